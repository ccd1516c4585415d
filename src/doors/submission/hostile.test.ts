// Hostile dialogues with the submission server: each must end in a refusal, and store no message or exactly the one its sender may
// send. Written to the socket by hand, since no client would send them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { sql } from '../../db/connect.ts';
import { startSubmission } from './server.ts';

type Server = { port: number; close(): Promise<void> };
type Keys = Record<'sender' | 'reader' | 'revoked' | 'disabled' | 'other', string>;

const authority = createAuthority();
const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
let app: TestApp;
let keys: Keys;
const servers: Partial<Record<'plain' | 'secure', Server>> = {};

before(async () => {
  app = await testApp();
  const made = createCertificate(authority, ['localhost']);
  const files = { submissionCert: join(folder, 'cert.pem'), submissionKey: join(folder, 'key.pem') };
  writeFileSync(files.submissionCert, made.cert);
  writeFileSync(files.submissionKey, made.key);
  servers.plain = await startSubmission(app.app, 0);
  servers.secure = await startSubmission({ ...app.app, config: { ...app.app.config, ...files } }, 0);
  const revoked = await app.anotherKey('write');
  await app.call('apikeyExpire', { key: revoked });
  const disabled = await app.anotherAccount();
  await app.app.db.run(sql`update account set active = false where id = ${disabled.account.id}`);
  const other = await app.anotherAccount();
  keys = {
    sender: await app.anotherKey('write'),
    reader: await app.anotherKey('read'),
    revoked,
    disabled: disabled.key,
    other: other.key,
  };
});
after(async () => {
  for (const server of Object.values(servers)) await server.close();
  await app?.close();
  rmSync(folder, { recursive: true });
});

/** Written as it is, then as many replies are waited for as expected. After `tls` the session is encrypted. */
type Step = [send: string | 'tls', ...expected: RegExp[]];
type Dialogue = {
  what: string;
  on?: 'plain' | 'secure';
  steps(): Step[];
  /** What it stores, as "sender > recipients"; nothing if left out. */
  stored?: string[];
};

const greeting: Step = ['', /^220 /];
const hello: Step = ['EHLO client.example\r\n', /^250 /];
const plainAuth = (key: string, user = 'postrider', identity = '') =>
  `AUTH PLAIN ${Buffer.from(`${identity}\0${user}\0${key}`).toString('base64')}\r\n`;
const signedIn = (key = keys.sender): Step[] => [greeting, hello, [plainAuth(key), /^235 /]];
const mail: Step = ['MAIL FROM:<owner@example.com>\r\n', /^250 /];
const to = (path: string, reply = /^250 /): Step => [`RCPT TO:${path}\r\n`, reply];
const data: Step = ['DATA\r\n', /^354 /];
const head = 'From: owner@example.com\r\nSubject: x';
const stored = /^250 2\.0\.0 Stored as/;
const letter = (top = head, reply = stored): Step => [`${top}\r\n\r\nText\r\n.\r\n`, reply];
/** A session that ends with a message under a head. */
const sending = (top: string, reply: RegExp): Step[] => [
  ...signedIn(),
  mail,
  to('<ada@example.net>'),
  data,
  letter(top, reply),
];
const one = ['owner@example.com > ada@example.net'];
const second = `MAIL FROM:<owner@example.com>\r\nRCPT TO:<smuggled@example.net>\r\nDATA\r\n${head}\r\n\r\nsmuggled\r\n.\r\n`;
/** A body with an end of message that some servers accept, and a second message behind it. */
const smuggling = (end: string, reply = stored): Step[] => [
  ...signedIn(),
  mail,
  to('<ada@example.net>'),
  data,
  [`${head}\r\n\r\nbefore${end}${second}`, reply],
  ['NOOP\r\n', /^250 /],
];
const tooMany = Array.from({ length: 50 }, (_, n) => to(`<r${n}@example.net>`));

const dialogues: Dialogue[] = [
  { what: 'MAIL without AUTH', steps: () => [greeting, hello, ['MAIL FROM:<owner@example.com>\r\n', /^530 /]] },
  { what: 'RCPT without AUTH', steps: () => [greeting, hello, to('<victim@example.net>', /^530 /)] },
  {
    what: 'a whole message at once without AUTH',
    steps: () => [
      greeting,
      [`EHLO c\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<v@b.example>\r\nDATA\r\n`, /^250 /, /^530 /, /^530 /, /^530 /],
    ],
  },
  { what: 'a key no one has', steps: () => [greeting, hello, [plainAuth('0'.repeat(32)), /^535 /]] },
  { what: 'an empty password', steps: () => [greeting, hello, [plainAuth(''), /^5(01|35) /]] },
  { what: 'a key that may only read', steps: () => [greeting, hello, [plainAuth(keys.reader), /^535 .*may not send/]] },
  { what: 'a revoked key', steps: () => [greeting, hello, [plainAuth(keys.revoked), /^535 /]] },
  {
    what: 'a key of an account that is switched off',
    steps: () => [greeting, hello, [plainAuth(keys.disabled), /^535 /]],
  },
  {
    what: 'a part of SQL in place of a key',
    steps: () => [greeting, hello, [plainAuth("' or '1'='1", "' or 1=1 --"), /^535 /]],
  },
  {
    what: 'AUTH in several steps that is broken off, then MAIL',
    steps: () => [
      greeting,
      hello,
      ['AUTH LOGIN\r\n', /^334 /],
      ['*\r\n', /^501 /],
      ['MAIL FROM:<a@b.example>\r\n', /^530 /],
    ],
  },
  {
    what: 'MAIL in place of the user name of AUTH LOGIN',
    steps: () => [
      greeting,
      hello,
      ['AUTH LOGIN\r\n', /^334 /],
      ['MAIL FROM:<a@b.example>\r\n', /^(334|5\d\d) /],
      ['RCPT TO:<v@b.example>\r\n', /^5\d\d /],
    ],
  },
  { what: 'a second AUTH', steps: () => [...signedIn(), [plainAuth(keys.other), /^503 /]] },
  { what: 'MAIL before EHLO', steps: () => [greeting, ['MAIL FROM:<owner@example.com>\r\n', /^503 /]] },
  {
    what: 'more than ten commands without AUTH',
    steps: () => [
      greeting,
      hello,
      ...Array.from({ length: 8 }, (): Step => ['NOOP\r\n', /^250 /]),
      ['NOOP\r\n', /^421 /],
    ],
  },
  {
    what: 'an HTTP request of a web page',
    steps: () => [greeting, ['POST / HTTP/1.1\r\nHost: localhost\r\n\r\n', /^421 /]],
  },
  {
    what: 'a proxy protocol that claims another origin',
    steps: () => [
      greeting,
      hello,
      ['XCLIENT ADDR=127.0.0.1 LOGIN=admin\r\n', /^5\d\d /],
      ['MAIL FROM:<a@b.example>\r\n', /^530 /],
    ],
  },
  { what: 'AUTH before STARTTLS', on: 'secure', steps: () => [greeting, hello, [plainAuth(keys.sender), /^500 /]] },
  {
    what: 'commands behind STARTTLS in plain text',
    on: 'secure',
    steps: () => [
      greeting,
      hello,
      [`STARTTLS\r\nEHLO evil.example\r\n${plainAuth(keys.sender)}MAIL FROM:<owner@example.com>\r\n`, /^220 /],
      ['tls'],
      ['NOOP\r\n', /^250 /],
      to('<victim@example.net>', /^503 /),
    ],
  },
  {
    what: 'AUTH under TLS, then a message',
    on: 'secure',
    steps: () => [
      greeting,
      hello,
      ['STARTTLS\r\n', /^220 /],
      ['tls'],
      ['MAIL FROM:<owner@example.com>\r\n', /^503 /],
      hello,
      [plainAuth(keys.sender), /^235 /],
      ['STARTTLS\r\n', /^503 /],
      mail,
      to('<ada@example.net>'),
      data,
      letter(),
    ],
    stored: one,
  },
  { what: 'From of a foreign domain', steps: () => sending('From: ceo@bank.example\r\nSubject: x', /^550 5\.7\.1 /) },
  {
    what: 'a foreign From behind the name of our own',
    steps: () => sending('From: "owner@example.com" <ceo@bank.example>\r\nSubject: x', /^550 5\.7\.1 /),
  },
  {
    what: 'a foreign From in an encoded word',
    steps: () => sending('From: =?utf-8?q?owner=40example=2Ecom?= <ceo@bank.example>\r\nSubject: x', /^550 5\.7\.1 /),
  },
  { what: 'two From fields', steps: () => sending(`${head}\r\nFrom: ceo@bank.example`, /^554 /) },
  { what: 'two addresses in From', steps: () => sending('From: owner@example.com, ceo@bank.example', /^554 /) },
  { what: 'a From of another account', steps: () => sending('From: owner2@example.org\r\nSubject: x', /^55\d /) },
  { what: 'no From', steps: () => sending('Subject: x', /^554 /) },
  { what: 'a field that is no field', steps: () => sending(`${head}\r\nBcc victim@example.net`, /^554 /) },
  {
    what: 'a foreign envelope sender',
    steps: () => [
      ...signedIn(),
      ['MAIL FROM:<ceo@bank.example>\r\n', /^250 /],
      to('<ada@example.net>'),
      data,
      letter(),
    ],
    // It is not used: the return path is ours.
    stored: one,
  },
  {
    what: 'the percent hack',
    steps: () => [...signedIn(), mail, to('<victim%example.net@localhost>'), data, letter(head, /^55\d /)],
  },
  {
    what: 'the percent hack at a domain',
    steps: () => [...signedIn(), mail, to('<victim%example.net@example.org>'), data, letter(head, /^55\d /)],
  },
  { what: 'two at signs', steps: () => [...signedIn(), mail, to('<victim@example.net@example.org>', /^501 /)] },
  {
    what: 'a quoted address within an address',
    steps: () => [...signedIn(), mail, to('<"victim@example.net"@example.org>', /^501 /)],
  },
  {
    what: 'a source route',
    steps: () => [...signedIn(), mail, to('<@relay.example,@mx.example:ada@example.net>'), data, letter()],
    // RFC 5321 4.1.2: the route is ignored, and the address stays.
    stored: one,
  },
  { what: 'a path of UUCP', steps: () => [...signedIn(), mail, to('<relay!victim>', /^501 /)] },
  {
    what: 'a recipient at an address of this machine',
    steps: () => [...signedIn(), mail, to('<victim@[127.0.0.1]>'), data, letter(head, /^55\d /)],
  },
  {
    what: 'a line end in a path',
    steps: () => [...signedIn(), mail, ['RCPT TO:<a@example.net\rRCPT TO:<b@example.net>\r\n', /^501 /]],
  },
  {
    what: 'a line end in an encoded parameter',
    steps: () => [...signedIn(), ['MAIL FROM:<owner@example.com> ENVID=a+0D+0ARCPT\r\n', /^501 /]],
  },
  {
    what: 'a recipient with letters beyond ASCII',
    steps: () => [...signedIn(), mail, to('<\xfc@example.net>'), data, letter(head, /^55\d /)],
  },
  { what: 'a bare LF around the dot', steps: () => smuggling('\n.\n'), stored: one },
  { what: 'a bare LF before the dot', steps: () => smuggling('\n.\r\n'), stored: one },
  { what: 'a bare LF after the dot', steps: () => smuggling('\r\n.\n'), stored: one },
  { what: 'a bare CR around the dot', steps: () => smuggling('\r.\r'), stored: one },
  { what: 'a bare CR after the dot', steps: () => smuggling('\r\n.\r'), stored: one },
  { what: 'a NUL before the dot', steps: () => smuggling('\r\n\0.\r\n', /^554 /) },
  {
    what: 'a message announced as too large',
    steps: () => [...signedIn(), ['MAIL FROM:<owner@example.com> SIZE=99999999\r\n', /^552 /]],
  },
  {
    what: 'a message that is too large',
    steps: () => [
      ...signedIn(),
      mail,
      to('<ada@example.net>'),
      data,
      [`${head}\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(210_000)}.\r\n`, /^552 /],
    ],
  },
  {
    what: 'a line that is too long',
    steps: () => sending(`${head}\r\n\r\n${'x'.repeat(2_000)}`, /^250 /),
    stored: one,
  },
  {
    what: 'too many recipients',
    steps: () => [...signedIn(), mail, ...tooMany, to('<r50@example.net>', /^452 /), ['RSET\r\n', /^250 /]],
  },
  { what: 'DATA without recipients', steps: () => [...signedIn(), mail, ['DATA\r\n', /^503 /]] },
  {
    what: 'a message in pieces',
    steps: () => [...signedIn(), mail, to('<ada@example.net>'), ['BDAT 5 LAST\r\n', /^50\d /]],
  },
  {
    what: 'a search for addresses',
    steps: () => [...signedIn(), ['VRFY owner@example.com\r\n', /^252 /], ['EXPN all\r\n', /^50\d /]],
  },
];

for (const { what, on = 'plain', steps, stored: expected = [] } of dialogues)
  test(`${what}: ${expected.length === 0 ? 'refused' : 'one message, as its sender may send it'}`, async () => {
    const before = await messages();
    const session = await Session.open(servers[on]!.port);
    for (const [send, ...replies] of steps()) {
      if (send === 'tls') await session.secure();
      else session.write(send);
      for (const reply of replies) assert.match(await session.reply(), reply, JSON.stringify(send.slice(0, 100)));
    }
    await session.end();
    const added = (await messages()).slice(before.length);
    assert.deepEqual(
      added.map(({ summary }) => summary),
      expected,
    );
    // Whatever the line ends were, no server behind this one reads another end of the message.
    for (const { content } of added) assert.doesNotMatch(content.toString('latin1'), /(?<!\r)\n|\r(?!\n)/);
  });

test('a key that is revoked after AUTH sends nothing more', async () => {
  const key = await app.anotherKey('write');
  const before = await messages();
  const session = await Session.open(servers.plain!.port);
  const dialogue = [...signedIn(key), mail, to('<ada@example.net>'), data];
  for (const [send, ...replies] of dialogue) {
    session.write(send);
    for (const reply of replies) assert.match(await session.reply(), reply);
  }
  await app.call('apikeyExpire', { key });
  session.write(letter()[0]);
  assert.match(await session.reply(), /^535 /);
  await session.end();
  assert.equal((await messages()).length, before.length);
});

/** All messages, oldest first. */
function messages() {
  return app.app.db.rows<{ summary: string; content: Buffer }>(sql`
    select m.from_email || ' > ' || string_agg(r.email_key, ', ' order by r.seq) as summary, m.content
    from message m
    join message_recipient r on r.account_id = m.account_id and r.campaign_id = m.campaign_id and r.no = m.no
    group by m.account_id, m.campaign_id, m.no
    order by m.created_at, m.no`);
}

/** A session by hand: what was written, and the last line of each reply. */
class Session {
  #socket: Socket;
  #text = '';
  #lines: string[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  static async open(port: number): Promise<Session> {
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Session(socket);
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  write(text: string): void {
    this.#socket.write(Buffer.from(text, 'latin1'));
  }

  async reply(): Promise<string> {
    while (this.#lines.length === 0) {
      assert.ok(!this.#isClosed, 'the server closed the connection');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift()!;
  }

  async secure(): Promise<void> {
    assert.deepEqual(this.#lines, [], 'nothing is answered before TLS');
    this.#socket.removeAllListeners('data').removeAllListeners('close');
    const socket = connectTls({ socket: this.#socket, servername: 'localhost', ca: authority.cert });
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    this.#socket = socket;
    this.#listen();
  }

  /** No reply may be left over: it would belong to a command that no step names. */
  async end(): Promise<void> {
    if (!this.#isClosed) {
      this.write('QUIT\r\n');
      await new Promise<void>((resolve) => {
        this.#wake = () => this.#isClosed && resolve();
        this.#wake();
      });
    }
    assert.ok(this.#lines.length <= 1 && this.#lines.every((line) => /^221 /.test(line)), this.#lines.join(' | '));
  }

  #listen(): void {
    this.#socket.on('data', (piece: Buffer) => {
      this.#text += piece.toString('latin1');
      const lines = this.#text.split('\r\n');
      this.#text = lines.pop()!;
      this.#lines.push(...lines.filter((line) => /^\d{3} /.test(line)));
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }
}
