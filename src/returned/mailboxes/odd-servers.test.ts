// Mail servers that drip, flood, lie, refuse and recover: a reading ends in time and memory, loses no message, and reports what
// the server replied.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  type Answer,
  drip,
  fetched,
  flood,
  type OddServer,
  startOddImap,
  startOddPop3,
} from '../../../test/support/network/odd-mail-servers.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { readMailbox } from './mailbox.ts';
import { type Limits, type Mailbox, MailboxProblem, type Position, usualLimits } from './protocol.ts';
import { readBounceMailbox } from './read.ts';

let app: TestApp;
before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
});
after(() => app.close());

/** As usual, in a hundredth of the time. */
const short: Limits = {
  ...usualLimits,
  openMs: 400,
  silenceMs: 300,
  readMs: 700,
  slowAfterMs: 150,
  minBytesPerS: 1_000,
};

const mailboxAt = (protocol: Mailbox['protocol'], port: number, position: Position = {}): Mailbox => ({
  account: app.account.id,
  id: 1,
  protocol,
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'bounces@sender.example',
  password: 'correct horse',
  folder: 'INBOX',
  remove: true,
  position,
});

type Result = { position: Position; problem: string; read: string[] };

/** Readings one after another, each from where the one before ended, as the task does. */
async function readings(
  protocol: Mailbox['protocol'],
  server: OddServer,
  count: number,
  max = 100,
  limits = usualLimits,
) {
  let position: Position = {};
  const results: Result[] = [];
  for (let n = 0; n < count; n++) {
    const read: string[] = [];
    const take = async (raw: Buffer) => {
      read.push(/^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? raw.toString());
      return true;
    };
    try {
      const done = await readMailbox(app.app, mailboxAt(protocol, server.port, position), take, max, limits);
      position = done.position;
      results.push({ position, problem: done.problem, read });
    } catch (error) {
      if (!(error instanceof MailboxProblem)) throw error;
      position = error.position ?? position;
      results.push({ position, problem: error.message, read });
    }
  }
  return results;
}

const failure = async (protocol: Mailbox['protocol'], server: OddServer, max = 100, limits = usualLimits) => {
  const error = await readMailbox(app.app, mailboxAt(protocol, server.port), async () => true, max, limits).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof MailboxProblem, `a problem, not ${error}`);
  return error;
};

const letter = (subject: string) => `Subject: ${subject}\n\nHello\n`;
const letters = ['one', 'two', 'three'].map(letter);

const drippingImap: Record<string, Parameters<typeof startOddImap>[1]> = {
  greeting: { greeting: (socket) => drip(socket, '* OK ') },
  'untagged lines after the greeting': {
    answer: ({ socket }) => {
      drip(socket, '', 5, '* OK x\r\n');
      return true;
    },
  },
  ...Object.fromEntries(
    ['CAPABILITY', 'LOGIN', 'SELECT', 'UID SEARCH'].map((command) => [
      command,
      {
        answer: ({ text, socket }) => {
          if (!text.startsWith(command)) return false;
          drip(socket, '* ');
          return true;
        },
      },
    ]),
  ),
  'UID FETCH': {
    answer: ({ text, socket }) => {
      if (!text.startsWith('UID FETCH')) return false;
      drip(socket, '* 1 FETCH (UID 1 BODY[]<0> {1000000}\r\n');
      return true;
    },
  },
};

const drippingPop3: Record<string, Parameters<typeof startOddPop3>[1]> = {
  greeting: { greeting: (socket) => drip(socket, '+OK ') },
  ...Object.fromEntries(
    ['USER', 'PASS', 'UIDL', 'RETR'].map((command) => [
      command,
      {
        answer: ({ text, socket }) => {
          if (!text.startsWith(command)) return false;
          drip(socket, command === 'RETR' || command === 'UIDL' ? '+OK\r\n' : '+');
          return true;
        },
      },
    ]),
  ),
};

for (const [where, options] of Object.entries(drippingImap))
  test(`an IMAP server that drips (${where}) is left in time`, { timeout: 20_000 }, async (t) => {
    const server = await startOddImap(letters, options);
    t.after(() => server.close());
    const error = await failure('imap', server, 100, short);
    assert.ok(error.mayPass);
  });

for (const [where, options] of Object.entries(drippingPop3))
  test(`a POP3 server that drips (${where}) is left in time`, { timeout: 20_000 }, async (t) => {
    const server = await startOddPop3(letters, options);
    t.after(() => server.close());
    const error = await failure('pop3', server, 100, short);
    assert.ok(error.mayPass);
  });

const on = (command: string, first: string, again: string): { answer: Answer } => ({
  answer: ({ text, socket }) => {
    if (!text.startsWith(command)) return false;
    flood(socket, first, again);
    return true;
  },
});

const floodingImap: Record<string, Parameters<typeof startOddImap>[1]> = {
  'a greeting without end': { greeting: (socket) => flood(socket, '* OK ', 'x') },
  'greetings without end': { greeting: (socket) => flood(socket, '', '* OK x\r\n') },
  'EXISTS without end': on('SELECT', '', '* 1 EXISTS\r\n'),
  'EXISTS without end when it signs in': on('LOGIN', '', '* 1 EXISTS\r\n'),
  'a search result without end': on('UID SEARCH', '* SEARCH', ' 1234567'),
  'search results without end': on('UID SEARCH', '', '* SEARCH 1 2 3\r\n'),
  'a message without end': on('UID FETCH', '* 1 FETCH (UID 1 BODY[] {99999999999}\r\n', 'x'),
  'messages without end': on('UID FETCH', '', `${fetched(1, 'x'.repeat(5_000))}`),
  'literals without end': on('UID FETCH', '* 1 FETCH (', ' X {3}\r\nabc'),
  'an answer after the end': on('LOGOUT', '', 'x'),
};

const floodingPop3: Record<string, Parameters<typeof startOddPop3>[1]> = {
  'a greeting without end': { greeting: (socket) => flood(socket, '+OK ', 'x') },
  'a reply without end': on('PASS', '+OK ', 'x'),
  'a list without end': on('UIDL', '+OK\r\n', 'x\r\n'),
  'a list of messages without end': on('UIDL', '+OK\r\n', '1 abc\r\n'),
  'a message without end': on('RETR', '+OK\r\n', 'x\r\n'),
  'a line without end': on('RETR', '+OK\r\n', 'x'),
};

const maxSent = 160 * 1024 * 1024;
for (const [protocol, servers] of [
  ['imap', floodingImap],
  ['pop3', floodingPop3],
] as const)
  for (const [what, options] of sample(Object.entries(servers), 2))
    test(`a server that sends ${what} (${protocol}) is left before it fills the memory`, {
      timeout: 60_000,
    }, async (t) => {
      const server = await (protocol === 'imap' ? startOddImap(letters, options) : startOddPop3(letters, options));
      t.after(() => server.close());
      const before = process.memoryUsage().rss;
      if (what === 'an answer after the end') await readings(protocol, server, 1);
      else await failure(protocol, server);
      assert.ok(server.sent() < maxSent, `${server.sent()} bytes were taken`);
      const grown = process.memoryUsage().rss - before;
      assert.ok(grown < 150 * 1024 * 1024, `${grown} bytes of memory`);
    });

test('a mailbox that is opened without being read takes no list of messages into memory', {
  timeout: 60_000,
}, async (t) => {
  const server = await startOddPop3(letters, on('UIDL', '+OK\r\n', '1 abc\r\n'));
  t.after(() => server.close());
  assert.match((await failure('pop3', server, 0)).message, /more than/);
});

const emptyAnswers: Record<string, (uid: number) => string> = {
  'no body': (uid) => `* ${uid} FETCH (UID ${uid})\r\n`,
  'BODY[] NIL': (uid) => `* ${uid} FETCH (UID ${uid} BODY[] NIL)\r\n`,
  'an empty literal': (uid) => `* ${uid} FETCH (UID ${uid} BODY[] {0}\r\n)\r\n`,
  'an empty string': (uid) => `* ${uid} FETCH (BODY[]<0> "" UID ${uid})\r\n`,
  nothing: () => '',
  'another message': (uid) => fetched(uid + 100, letter('another')),
  'only flags': (uid) => `* ${uid} FETCH (FLAGS (\\Seen) UID ${uid})\r\n`,
};
for (const [what, answered] of Object.entries(emptyAnswers))
  test(`a message that is first answered with ${what} is read the next time`, async (t) => {
    const server = await startOddImap(letters, {
      answer: ({ text, tag, send, count }) => {
        const [, uid] = /^UID FETCH (\d+)/.exec(text) ?? [];
        if (uid === undefined || count(new RegExp(`^UID FETCH ${uid}\\b`)) > 1) return false;
        send(`${answered(Number(uid))}${tag} OK done\r\n`);
        return true;
      },
    });
    t.after(() => server.close());
    const [first, second, third] = await readings('imap', server, 3);
    assert.deepEqual(first!.read, []);
    assert.match(first!.problem, /3 messages could not be read/);
    assert.deepEqual([second!.read, second!.problem], [['one', 'two', 'three'], '']);
    assert.deepEqual([third!.read, third!.problem], [[], '']);
    assert.equal(server.deleted.size, 3);
  });

test('a message that has no content is read, and one whose content is not sent is not', async (t) => {
  for (const protocol of ['imap', 'pop3'] as const)
    for (const size of [0, 500]) {
      const answer: Answer = ({ text, tag, send }) => {
        if (/^UID FETCH 1 .*SIZE/.test(text)) send(`* 1 FETCH (UID 1 RFC822.SIZE ${size})\r\n${tag} OK done\r\n`);
        else if (text.startsWith('UID FETCH 1 ')) send(`${fetched(1, '')}${tag} OK done\r\n`);
        else if (text === 'RETR 1') send('+OK\r\n.\r\n');
        else if (text === 'LIST 1') send(`+OK 1 ${size}\r\n`);
        else return false;
        return true;
      };
      const server = await (protocol === 'imap'
        ? startOddImap(letters, { answer })
        : startOddPop3(letters, { answer }));
      t.after(() => server.close());
      const [first] = await readings(protocol, server, 1);
      assert.deepEqual(first!.read, size === 0 ? ['', 'two', 'three'] : ['two', 'three'], protocol);
      assert.equal(first!.problem === '', size === 0);
    }
});

for (const [status, how] of [
  ['NO [SERVERBUG] Internal error', /the server replied: .*\[SERVERBUG\] Internal error/],
  ['NO [UNAVAILABLE] try later', /\[UNAVAILABLE\] try later/],
  ['BAD what?', /what\?/],
] as const)
  test(`a search that is answered with ${status} is a problem, and nothing is lost`, async (t) => {
    const server = await startOddImap(letters, {
      answer: ({ text, tag, send, count }) => {
        if (!text.startsWith('UID SEARCH') || count(/^UID SEARCH/) > 1) return false;
        send(`${tag} ${status}\r\n`);
        return true;
      },
    });
    t.after(() => server.close());
    const [first, second] = await readings('imap', server, 2);
    assert.match(first!.problem, how);
    assert.deepEqual([second!.read, second!.problem], [['one', 'two', 'three'], '']);
  });

test('a search that finds none of the messages of a mailbox is a problem', async (t) => {
  const server = await startOddImap(letters, {
    answer: ({ text, tag, send, count }) => {
      if (!text.startsWith('UID SEARCH') || count(/^UID SEARCH/) > 1) return false;
      send(`* SEARCH\r\n${tag} OK done\r\n`);
      return true;
    },
  });
  t.after(() => server.close());
  const [first, second] = await readings('imap', server, 2);
  assert.match(first!.problem, /found none of 3 messages/);
  assert.deepEqual(second!.read, ['one', 'two', 'three']);
});

for (const [protocol, fails] of [
  ['imap', 'NO [SERVERBUG] message is corrupt'],
  ['imap', 'close'],
  ['pop3', '-ERR message is corrupt'],
  ['pop3', 'close'],
] as const)
  for (const poisoned of [1, 2, 3])
    test(`message ${poisoned} of 3 that can never be read (${protocol}: ${fails}) is named, and the others are read`, async (t) => {
      const answer: Answer = ({ text, tag, send, socket }) => {
        if (!text.startsWith(protocol === 'imap' ? `UID FETCH ${poisoned} ` : `RETR ${poisoned}`)) return false;
        if (fails === 'close') socket.destroy();
        else send(`${tag} ${fails}\r\n`.trimStart());
        return true;
      };
      const server = await (protocol === 'imap'
        ? startOddImap(letters, { answer })
        : startOddPop3(letters, { answer }));
      t.after(() => server.close());
      const max = fails === 'close' ? 1 : 100;
      const results = await readings(protocol, server, 8, max);
      const others = ['one', 'two', 'three'].filter((_, index) => index !== poisoned - 1);
      assert.deepEqual(
        results.flatMap(({ read }) => read),
        others,
      );
      assert.match(
        results.at(-1)!.problem,
        new RegExp(`1 message could not be read \\(${protocol === 'imap' ? 'UID ' : 'id u'}${poisoned}\\)`),
      );
      const fetches = server.commands.filter((text) =>
        text.startsWith(protocol === 'imap' ? `UID FETCH ${poisoned} ` : `RETR ${poisoned}`),
      );
      assert.equal(fetches.length, 3, 'then it is skipped');
    });

test('while no message at all can be read, none is skipped for good', async (t) => {
  const many = Array.from({ length: 150 }, (_, n) => letter(`n${n}`));
  let works = false;
  const server = await startOddImap(many, {
    answer: ({ text, tag, send }) => {
      if (works || !text.startsWith('UID FETCH')) return false;
      send(`${tag} NO [SERVERBUG] storage is down\r\n`);
      return true;
    },
  });
  t.after(() => server.close());
  const down = await readings('imap', server, 6);
  assert.match(down.at(-1)!.problem, /storage is down/);
  works = true;
  let position = down.at(-1)!.position;
  const read = new Set<string>();
  for (let n = 0; n < 6; n++) {
    const take = async (raw: Buffer) => {
      read.add(raw.toString());
      return true;
    };
    ({ position } = await readMailbox(app.app, mailboxAt('imap', server.port, position), take, 100));
  }
  assert.equal(read.size, 150);
});

test('a message that another client deletes meanwhile is no problem', async (t) => {
  const server = await startOddImap(letters, {
    answer: ({ text }) => {
      if (text.startsWith('UID FETCH 1 ')) server.deleted.add(2);
      return false;
    },
  });
  t.after(() => server.close());
  const [first] = await readings('imap', server, 1);
  assert.deepEqual([first!.read, first!.problem], [['one', 'three'], '']);
});

test('when UIDVALIDITY changes, the mailbox is read from the start', async (t) => {
  let validity = 7;
  const server = await startOddImap(letters, {
    answer: ({ text, tag, send }) => {
      if (text.startsWith('UID EXPUNGE')) {
        send(`${tag} OK not now\r\n`);
        return true;
      }
      if (!text.startsWith('SELECT')) return false;
      send(`* 3 EXISTS\r\n* OK [UIDVALIDITY ${validity++}] x\r\n${tag} OK [READ-WRITE] done\r\n`);
      return true;
    },
  });
  t.after(() => server.close());
  const results = await readings('imap', server, 2);
  assert.deepEqual(
    results.map(({ read }) => read.length),
    [3, 3],
  );
});

for (const [what, says] of [
  ['with UIDNEXT', true],
  ['without UIDNEXT', false],
] as const)
  test(`a UID that only a search names hides no later message: a server ${what}`, async (t) => {
    let next = 4;
    let named = '';
    const server = await startOddImap(
      Array.from({ length: 5 }, (_, n) => letter(`n${n + 1}`)),
      {
        answer: ({ text, tag, send }) => {
          if (text.startsWith('SELECT'))
            send(
              `* ${next - 1} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n${says ? `* OK [UIDNEXT ${next}] x\r\n` : ''}${tag} OK done\r\n`,
            );
          else if (text.startsWith('UID SEARCH UID') && text.endsWith('*')) {
            const from = Number(/(\d+):/.exec(text)![1]);
            const found = Array.from({ length: next - 1 }, (_, n) => n + 1).filter((uid) => uid >= from);
            send(`* SEARCH ${found.join(' ')}${named}\r\n${tag} OK done\r\n`);
          } else return false;
          return true;
        },
      },
    );
    t.after(() => server.close());
    const read: string[] = [];
    const problems: string[] = [];
    let position: Position = {};
    const readOnce = async () => {
      const take = async (raw: Buffer) => {
        read.push(/^Subject: (.*)\r$/m.exec(raw.toString())![1]!);
        return false;
      };
      const done = await readMailbox(app.app, mailboxAt('imap', server.port, position), take, 100);
      position = done.position;
      problems.push(done.problem);
    };
    await readOnce();
    named = ' 4000000000';
    await readOnce();
    named = '';
    next = 6;
    await readOnce();
    assert.deepEqual(read, ['n1', 'n2', 'n3', 'n4', 'n5']);
    assert.match(problems[1]!, says ? /names messages that it does not have/ : /^$/);
    assert.deepEqual([problems[0], problems[2], position.uid], ['', '', 5]);
  });

test('a mailbox that was restored from a backup is read again, and its new messages too', async (t) => {
  let next = 4;
  const server = await startOddImap(letters, {
    answer: ({ text, tag, send }) => {
      if (!text.startsWith('SELECT')) return false;
      send(`* 3 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT ${next}] x\r\n${tag} OK done\r\n`);
      return true;
    },
  });
  t.after(() => server.close());
  const read: string[] = [];
  const take = async (raw: Buffer) => {
    read.push(raw.toString());
    return false;
  };
  const first = await readMailbox(app.app, mailboxAt('imap', server.port, { validity: '7', uid: 500 }), take, 100);
  assert.match(first.problem, /back to an earlier state/);
  assert.deepEqual([read.length, first.position.uid], [3, 3]);
  next = 500;
  const second = await readMailbox(app.app, mailboxAt('imap', server.port, first.position), take, 100);
  assert.deepEqual([read.length, second.problem], [3, '']);
});

test('a string without end is a message that cannot be read, at once', { timeout: 60_000 }, async (t) => {
  const server = await startOddImap(letters, {
    answer: ({ text, tag, send }) => {
      if (!text.startsWith('UID FETCH 2 ')) return false;
      send(`* 2 FETCH (UID 2 BODY[] "${'\\"'.repeat(30_000)}\r\n${tag} OK done\r\n`);
      return true;
    },
  });
  t.after(() => server.close());
  const before = process.cpuUsage();
  const [first] = await readings('imap', server, 1);
  const { user } = process.cpuUsage(before);
  assert.deepEqual(first!.read, ['one', 'three']);
  assert.match(first!.problem, /UID 2\): the answer of the server was not understood/);
  assert.ok(user < 1_500_000, `${user / 1_000} ms`);
});

test('a response of one endless line is refused, except the result of a search', async (t) => {
  const server = await startOddImap(letters, {
    answer: ({ text, tag, send }) => {
      if (text.startsWith('UID SEARCH')) send(`* SEARCH ${'1 2 3 '.repeat(50_000)}\r\n${tag} OK done\r\n`);
      else if (text.startsWith('UID FETCH 2 ')) send(`* 2 FETCH (UID 2 X ${'x'.repeat(70_000)})\r\n${tag} OK done\r\n`);
      else return false;
      return true;
    },
  });
  t.after(() => server.close());
  const [first] = await readings('imap', server, 1);
  assert.deepEqual(first!.read, ['one']);
  assert.match(first!.problem, /a line without end/);
});

test('unique ids of POP3 may be long, have blanks, or occur twice', async (t) => {
  const ids = ['x'.repeat(300), 'with some blanks', 'twice', 'twice', 'näher', '!'];
  const server = await startOddPop3(
    ids.map((_, index) => letter(`n${index}`)),
    { ids },
  );
  t.after(() => server.close());
  const keep: string[] = [];
  let position: Position = {};
  for (let n = 0; n < 3; n++) {
    const take = async (raw: Buffer) => {
      keep.push(/n\d/.exec(raw.toString())![0]);
      return false;
    };
    const done = await readMailbox(app.app, mailboxAt('pop3', server.port, position), take, 100);
    assert.equal(done.problem, '');
    position = done.position;
  }
  assert.deepEqual(keep, ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'], 'each once');
  assert.ok(
    position.seen!.every((id) => id.length <= 80),
    'what is stored stays short',
  );
});

test('messages without a unique id are a problem that is shown, and the others are read', async (t) => {
  const server = await startOddPop3(letters, { ids: ['a', '', 'c'] });
  t.after(() => server.close());
  const [first] = await readings('pop3', server, 1);
  assert.deepEqual(first!.read, ['one', 'three']);
  assert.match(first!.problem, /1 message has no unique id/);
});

test('a server that closes the connection now and then loses no message and deletes what was counted', async (t) => {
  for (const protocol of ['imap', 'pop3'] as const) {
    const many = Array.from({ length: 10 }, (_, n) => letter(`n${n}`));
    let fetches = 0;
    const answer: Answer = ({ text, socket }) => {
      if (!/^(UID FETCH|RETR)/.test(text) || ++fetches % 4 !== 0) return false;
      socket.destroy();
      return true;
    };
    const server = await (protocol === 'imap' ? startOddImap(many, { answer }) : startOddPop3(many, { answer }));
    t.after(() => server.close());
    const results = await readings(protocol, server, 20, 3);
    assert.deepEqual(new Set(results.flatMap(({ read }) => read)).size, 10);
    assert.equal(server.deleted.size, 10, protocol);
    assert.equal(results.at(-1)!.problem, '');
  }
});

const refusals: [Mailbox['protocol'], string, RegExp, boolean][] = [
  ['imap', 'NO [UNAVAILABLE] Too many connections', /\[UNAVAILABLE\] Too many connections/, false],
  ['imap', 'NO [INUSE] Mailbox in use', /\[INUSE\]/, false],
  ['imap', 'NO [LIMIT] Rate limited', /\[LIMIT\]/, false],
  [
    'imap',
    'NO [ALERT] Application-specific password required',
    /\[ALERT\] Application-specific password required/,
    false,
  ],
  ['imap', 'NO [ALERT] Please log in via your web browser', /web browser/, false],
  ['imap', 'NO [AUTHORIZATIONFAILED] IMAP is disabled for this account', /IMAP is disabled/, false],
  ['imap', 'NO [CONTACTADMIN] Account locked', /Account locked/, false],
  ['imap', 'NO [PRIVACYREQUIRED] Plaintext authentication disallowed', /Plaintext/, false],
  ['imap', 'NO [EXPIRED] Password expired', /Password expired/, false],
  ['imap', 'NO IMAP access is not enabled', /not enabled/, false],
  ['imap', 'NO Temporary authentication failure. Try again later', /Temporary/, false],
  ['imap', 'BAD unknown command', /unknown command/, false],
  ['imap', 'NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)', /user name or the password is wrong/, true],
  ['imap', 'NO LOGIN failed.', /user name or the password is wrong/, true],
  ['imap', 'NO Login failed: Invalid user name or password', /user name or the password is wrong/, true],
  ['pop3', '-ERR [IN-USE] Do you have another POP session running?', /\[IN-USE\]/, false],
  ['pop3', '-ERR [SYS/TEMP] Temporary system problem', /\[SYS\/TEMP\]/, false],
  ['pop3', '-ERR [SYS/PERM] Your account is not enabled for POP access', /not enabled/, false],
  ['pop3', '-ERR [SYS/PERM] POP not enabled', /POP not enabled/, false],
  ['pop3', '-ERR [LOGIN-DELAY] minimum time between logins', /LOGIN-DELAY/, false],
  ['pop3', '-ERR POP not enabled', /POP not enabled/, false],
  ['pop3', '-ERR maildrop already locked', /already locked/, false],
  ['pop3', '-ERR [AUTH] Username and password not accepted.', /user name or the password is wrong/, true],
  ['pop3', '-ERR Logon failure: unknown user name or bad password.', /user name or the password is wrong/, true],
  ['pop3', '-ERR wrong', /user name or the password is wrong/, true],
];
for (const [protocol, reply, expected, isOurs] of refusals)
  test(`a login refused with "${reply}" (${protocol}) is reported as what it is`, async (t) => {
    const answer: Answer = ({ text, tag, send }) => {
      if (!/^(LOGIN|PASS) /.test(text)) return false;
      send(`${tag} ${reply}\r\n`.trimStart());
      return true;
    };
    const server = await (protocol === 'imap' ? startOddImap([], { answer }) : startOddPop3([], { answer }));
    t.after(() => server.close());
    const error = await failure(protocol, server, 0);
    assert.match(error.message, expected);
    assert.match(error.message, /the server replied: /);
    assert.equal(/password is wrong/.test(error.message), isOurs, error.message);
    assert.equal(error.mayPass, !isOurs);
    const add = app.call<string>('bounceMailboxCreate', {
      ...{ protocol, host: '127.0.0.1', port: server.port, security: 'none' },
      ...{ user_name: 'u@sender.example', password: 'secret' },
    });
    if (isOurs) {
      await assert.rejects(add, { message: expected });
      return;
    }
    const id = await add;
    const listed = await app.call<{ id: string; problem: string }[]>('bounceMailboxes');
    assert.match(listed.find((one) => one.id === id)!.problem, expected);
    await app.call('bounceMailboxDelete', { id });
  });

const strangers: Record<string, string> = {
  'an SSH server': 'SSH-2.0-secret-banner\r\n',
  'an SMTP server': '220 secret-banner ESMTP\r\n',
  'a Redis server': '-ERR secret-banner\n',
  'a web server': 'HTTP/1.1 400 secret-banner\r\n\r\n',
  'a server that sends nothing': '',
  'a server that closes': 'close',
};
for (const protocol of ['imap', 'pop3'] as const)
  test(`what is not a mail server (${protocol}) gives one text, whatever it sends, closed ports too`, async (t) => {
    const texts = new Set<string>();
    for (const [name, banner] of Object.entries(strangers)) {
      if (protocol === 'pop3' && name === 'a Redis server') continue;
      const greeting = (socket: Socket) => {
        if (banner === 'close') socket.destroy();
        else socket.write(banner);
      };
      const server = await startOddPop3([], { greeting, answer: () => true });
      t.after(() => server.close());
      texts.add((await failure(protocol, server, 0, short)).message);
    }
    texts.add((await failure(protocol, { port: 9 } as OddServer, 0, short)).message);
    assert.equal(texts.size, 1, [...texts].join(' | '));
    assert.match([...texts][0]!, /^no connection: /);
  });

test('a greeting that refuses is shown', async (t) => {
  const busy = await startOddImap([], {
    greeting: (socket) => socket.end('* BYE [UNAVAILABLE] Too many connections\r\n'),
  });
  const locked = await startOddPop3([], { greeting: (socket) => socket.end('-ERR [SYS/TEMP] too busy\r\n') });
  t.after(() => Promise.all([busy.close(), locked.close()]));
  assert.match((await failure('imap', busy)).message, /Too many connections/);
  assert.match((await failure('pop3', locked)).message, /too busy/);
});

test('OUTBOUND_ALLOW with a port allows mailboxes at that port only', async (t) => {
  const server = await startOddImap(letters);
  t.after(() => server.close());
  for (const [port, allowed] of [
    [443, false],
    [server.port, true],
  ] as const) {
    const bound = await testApp({ OUTBOUND_ALLOW: `127.0.0.1/32:${port}` });
    const result = readMailbox(bound.app, mailboxAt('imap', server.port), async () => false, 0);
    if (allowed) await result;
    else await assert.rejects(result, { message: /not allowed/ });
    await bound.close();
  }
});

test('servers that do not answer hold one reading of an account and two of a worker', async (t) => {
  let isSilent = false;
  const server = await startOddImap(letters, { answer: ({ text }) => isSilent && text.startsWith('SELECT') });
  t.after(() => server.close());
  const settings = { protocol: 'imap', host: '127.0.0.1', port: server.port, security: 'none' };
  const accounts = [app, await app.anotherAccount(), await app.anotherAccount()];
  const named: { account_id: number; mailbox_id: number }[] = [];
  for (const of of accounts)
    for (const name of of === app ? ['a', 'b'] : ['a']) {
      const id = await of.call<string>('bounceMailboxCreate', { ...settings, user_name: name, password: 'secret' });
      named.push({ account_id: of.account.id, mailbox_id: parseId(id)! });
    }
  const queues = await app.app.db.rows(sql`
    select distinct q.queue_name
    from graphile_worker._private_jobs j
    join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    where j.payload->>'account_id' = ${String(app.account.id)}
      and q.queue_name like 'mailbox%'`);
  assert.equal(queues.length, 1, 'the readings of an account follow each other');

  isSilent = true;
  const context = { app: app.app, log: app.app.log, signal: new AbortController().signal };
  const held = [named[0]!, named[2]!].map((one) => readBounceMailbox(context, one));
  await until(
    'both wait',
    () => server.commands.filter((text) => text.startsWith('SELECT')).length === named.length + 2,
  );
  const before = server.commands.length;
  await readBounceMailbox(context, named[3]!);
  assert.equal(server.commands.length, before, 'no third connection');
  const later = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from graphile_worker._private_jobs
    where payload->>'mailbox_id' = ${String(named[3]!.mailbox_id)}
      and run_at > created_at`);
  assert.equal(later!.count, 1, 'it is read later');
  await server.close();
  await Promise.all(held);
});
