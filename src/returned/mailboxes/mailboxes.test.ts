// Bounce mailboxes over real IMAP and POP3 dialogues: of 40 mixed messages, the notices about our messages have their effects and
// are deleted; everything else stays.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { launchedTo, listOf, untilSent } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  type MailServer,
  mailUser,
  startImapServer,
  startPop3Server,
} from '../../../test/support/network/mail-servers.ts';
import { until } from '../../../test/support/run/until.ts';
import { complaints, neither, originalId, replies, report } from '../../../test/support/samples/bounces.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { type Entry, type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import type { Context, PrepareContext } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { startWorker } from '../../delivery/worker.ts';
import { sendWelcome } from '../../mail/list-mail.ts';
import { openChanged, updateMailbox } from './change.ts';
import { readBounceMailbox } from './read.ts';

let app: TestApp;
let other: Pick<TestApp, 'account' | 'call'>;
let sink: Sink;
let folder: string;
let stopWorker: () => Promise<void>;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailboxes-'));
  sink = await startSink({ raw: true });
  app = await testApp({
    DATA_DIR: folder,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  other = await app.anotherAccount();
  const worker = await startWorker(app.app, { readBounceMailbox });
  stopWorker = () => worker.stop();
});
after(async () => {
  await stopWorker();
  await sink.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

let lists = 0;
/** The messages of a campaign to a new list of these addresses, as the sink has them. */
async function send(of: Pick<TestApp, 'account' | 'call'>, emails: readonly string[]): Promise<Entry[]> {
  const list = await listOf(of, emails, `List ${++lists}`);
  const from = sink.log.length;
  const id = await launchedTo({ ...of, app: app.app }, list);
  await untilSent(app, id);
  const sent = new Map(sink.log.slice(from).map((entry) => [entry.to, entry]));
  return emails.map((email) => sent.get(email)!);
}

const addresses = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}${n}@reader.example`);

/** A notice to the From address, which returns the message with its Message-ID, or with another one that a service gave it. */
function dsn(message: Entry, status: string, words: string, by: 'id' | 'token' = 'id'): string {
  const token = /^X-Postrider-ID: (\w+)\r$/m.exec(message.raw!)?.[1];
  if (by === 'token') assert.ok(token);
  const raw = report({
    from: 'MAILER-DAEMON@mx.reader.example (Mail Delivery System)',
    subject: 'Undelivered Mail Returned to Sender',
    text: 'This is the mail system at host mx.reader.example.',
    status: `Reporting-MTA: dns; mx.reader.example\n\nFinal-Recipient: rfc822; ${message.to}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${words}`,
  });
  if (by === 'id') return raw.replaceAll(originalId, message.messageId!);
  return raw.replace(
    `Message-ID: ${originalId}`,
    `Message-ID: <0102018f@eu-west-1.amazonses.com>\nX-Postrider-ID: ${token}`,
  );
}

const add = (protocol: 'imap' | 'pop3', server: MailServer, more: object = {}) =>
  app.call<string>('bounceMailboxCreate', {
    protocol,
    host: '127.0.0.1',
    port: server.port,
    security: 'none',
    user_name: mailUser.user,
    password: mailUser.password,
    ...more,
  });

type Listed = { id: string; read_at: string; messages: number; matched: number; unknown: number; problem: string };
const listed = async (id: string) =>
  (await app.call<Listed[]>('bounceMailboxes')).find((mailbox) => mailbox.id === id)!;

const statuses = async (name: string) =>
  (
    await app.app.db.rows<{ status: string; count: number }>(sql`
      select s.status, count(*)::int as count
      from contact c
      join subscription s on s.account_id = c.account_id and s.contact_id = c.id
      where c.account_id = ${app.account.id}
        and c.email ~ ${`^${name}\\d`}
      group by 1
      order by 1`)
  ).map(({ status, count }) => `${status} ${count}`);

for (const [protocol, start] of [
  ['imap', startImapServer],
  ['pop3', startPop3Server],
] as const) {
  test(`of 40 mixed messages read by ${protocol}, notices about our messages count once and everything else stays`, async (t) => {
    const server = await start([]);
    t.after(() => server.close());
    const old = await send(app, addresses(`${protocol}-old`, 8));
    const id = await add(protocol, server);
    const fresh = await send(app, addresses(`${protocol}-new`, 12));
    const foreign = await send(other, addresses(`${protocol}-foreign`, 2));

    const ours = [
      ...old.map((message) => dsn(message, '5.1.1', '550 5.1.1 User unknown')),
      ...fresh.slice(0, 6).map((message) => dsn(message, '5.1.1', '550 5.1.1 User unknown', 'token')),
      ...fresh.slice(6, 10).map((message) => dsn(message, '5.2.2', '552 5.2.2 Mailbox full')),
      ...fresh
        .slice(10)
        .map((message) =>
          complaints[0]!.raw
            .replaceAll(originalId, message.messageId!)
            .replaceAll(/(?<=<|: |;)joe@reader\.example/g, message.to!),
        ),
    ];
    const letters = Array.from(
      { length: 8 },
      (_, n) =>
        `From: Joe <joe@reader.example>\nTo: us@example.com\nSubject: Letter ${n}\n\n.\nDear all,\n..\n550 5.1.1 times\n`,
    );
    const others = [...neither, ...replies]
      .filter((_, n) => n % 5 === 0)
      .slice(0, 4)
      .map((sample) => sample.raw);
    const unknown = [
      ...foreign.map((message) => dsn(message, '5.1.1', '550 5.1.1 User unknown')),
      // Our Message-ID, which anyone who got a copy knows, with another address; and Message-IDs of no message.
      ...fresh
        .slice(6, 8)
        .map((message) => dsn({ ...message, to: 'mallory@reader.example' }, '5.1.1', '550 5.1.1 User unknown')),
      ...Array.from({ length: 4 }, (_, n) =>
        dsn({ ...old[n]!, messageId: `<1.${n}.${'0'.repeat(24)}@example.com>` }, '5.1.1', '550 5.1.1 User unknown'),
      ),
    ];
    const all = [...ours, ...letters, ...others, ...unknown];
    assert.equal(all.length, 40);
    // Mixed: every third, then the rest.
    const mixed = [0, 1, 2].flatMap((rest) => all.filter((_, index) => index % 3 === rest));
    for (const raw of mixed) server.add(raw);
    await app.call('bounceMailboxRead', { id });
    await until('all are read', async () => (await listed(id)).messages === 40);

    assert.deepEqual(await statuses(`${protocol}-old`), ['bounced 8']);
    assert.deepEqual(await statuses(`${protocol}-new`), ['bounced 6', 'subscribed 4', 'unsubscribed 2']);
    const kept = server.messages();
    assert.equal(kept.length, 20);
    const subjects = kept.filter((raw) => /^Subject: Letter \d/m.test(raw));
    assert.equal(subjects.length, 8);
    const after = await listed(id);
    assert.deepEqual([after.matched, after.problem], [20, '']);
    assert.ok(after.unknown >= 8, String(after.unknown));
    const theirs = await app.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from notice where account_id = ${other.account.id}`);
    assert.equal(theirs!.count, 0);

    // The same notices again, with a new one among them.
    for (const raw of ours.slice(0, 5)) server.add(raw);
    server.add(dsn(fresh[7]!, '5.1.1', '550 5.1.1 User unknown'));
    const notices = () => app.app.db.row<{ count: number }>(sql`select count(*)::int as count from notice`);
    const before = await notices();
    await app.call('bounceMailboxRead', { id });
    await until('they are read', async () => (await listed(id)).messages === 46);
    assert.deepEqual(await notices(), before, 'a hard bounce replaces the soft one');
    assert.deepEqual(await statuses(`${protocol}-new`), ['bounced 7', 'subscribed 3', 'unsubscribed 2']);
    assert.equal(server.messages().length, 20);
  });
}

test('a mailbox that cannot be opened is not added, and one that fails later shows why', async (t) => {
  for (const [protocol, start] of [
    ['imap', startImapServer],
    ['pop3', startPop3Server],
  ] as const) {
    const server = await start(['Subject: stays\n\nHello\n']);
    t.after(() => server.close().catch(() => {}));
    await assert.rejects(
      add(protocol, server, { password: 'wrong' }),
      /host.*user name or the password is wrong/,
      protocol,
    );
    await assert.rejects(add(protocol, server, { host: '10.1.2.3' }), /host.*not allowed/, protocol);
    const down = await add(protocol, server, { port: 9 });
    assert.match((await listed(down)).problem, /^no connection: no mail server/, 'may come up later');
    await app.call('bounceMailboxDelete', { id: down });
    const id = await add(protocol, server);
    await until('it is read', async () => (await listed(id)).messages === 1);
    assert.equal(server.messages().length, 1);
    await app.app.db.run(sql`update bounce_mailbox set port = 9 where id = ${parseId(id)}`);
    await app.call('bounceMailboxRead', { id });
    await until('the problem is shown', async () => (await listed(id)).problem !== '');
    assert.match((await listed(id)).problem, /^no connection: no mail server/);
    const answers = JSON.stringify(await app.call('bounceMailboxes'));
    assert.ok(!answers.includes(mailUser.password));
    await assert.rejects(other.call('bounceMailboxDelete', { id }), /does not exist/);
    await app.call('bounceMailboxDelete', { id });
  }
});

const servers = [
  ['imap', startImapServer],
  ['pop3', startPop3Server],
] as const;

for (const [protocol, start] of servers)
  test(`notices about single messages and those of a list are found by ${protocol}, and no others count`, async (t) => {
    const server = await start([]);
    t.after(() => server.close());
    const id = await add(protocol, server);
    const accepted = async (email: string) => {
      const found = () => sink.log.find((entry) => entry.event === 'accepted' && entry.to === email);
      await until('it is sent', () => found() !== undefined);
      return found()!;
    };
    const to = `${protocol}.order@reader.example`;
    const cc = `${protocol}.copy@reader.example`;
    const { id: message } = await app.call<{ id: string }>('messageSend', {
      ...{ to: [to], cc: [cc], subject: 'Your order', plain: 'On its way' },
    });
    const order = await accepted(to);
    await accepted(cc);
    const list = await app.call<string>('listCreate', { title: 'Letter' });
    const email = `${protocol}.welcome@reader.example`;
    await app.call('listSubscribe', { id: list, email_address: email, double_optin: false });
    const contact = await app.app.db.row<{ id: number }>(sql`select id from contact where email = ${email}`);
    await sendWelcome(
      { app: app.app, log: app.app.log, signal: new AbortController().signal },
      { account_id: app.account.id, list_id: parseId(list)!, contact_id: contact!.id },
    );
    const welcome = await accepted(email);
    await until('the outcomes are written', async () => {
      const waiting = await app.app.db.row(sql`select from delivery where state in (0, 1) limit 1`);
      return waiting === undefined;
    });
    for (const raw of [
      dsn({ ...order, to: cc }, '5.1.1', '550 5.1.1 User unknown'),
      dsn({ ...order, to: 'mallory@reader.example' }, '5.1.1', '550 5.1.1 User unknown'),
      dsn({ ...order, messageId: order.messageId!.replace(/^<./, '<x') }, '5.1.1', '550 5.1.1 User unknown'),
      dsn(welcome, '5.1.1', '550 5.1.1 User unknown', 'token'),
    ])
      server.add(raw);
    await app.call('bounceMailboxRead', { id });
    await until('all are read', async () => (await listed(id)).messages === 4);
    const { matched, unknown } = await listed(id);
    assert.deepEqual([matched, unknown, server.messages().length], [2, 2, 2]);
    const { recipients } = await app.call<{ recipients: { email: string; bounce: string }[] }>('messageGet', {
      id: message,
    });
    assert.deepEqual(
      recipients.map((recipient) => [recipient.email, recipient.bounce]),
      [
        [to, ''],
        [cc, 'hard'],
      ],
    );
    const rows = await app.app.db.rows<{ value: string }>(sql`
      select value from suppression where value like ${`${protocol}.%`} order by value`);
    assert.deepEqual(
      rows.map(({ value }) => value),
      [cc, email],
    );
  });

for (const [protocol, start] of servers)
  test(`with STARTTLS, ${protocol} reads over TLS only, and gives no password to a server without a valid certificate`, async (t) => {
    const authority = createAuthority();
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, authority.cert]);
    t.after(() => setDefaultCACertificates(trusted));
    const secured = await start(['Subject: stays\n\nHello\n'], createCertificate(authority, ['127.0.0.1']));
    const wrongName = await start([], createCertificate(authority, ['mail.example.com']));
    const stranger = await start([], createCertificate(createAuthority('Stranger'), ['127.0.0.1']));
    const without = await start([]);
    t.after(() => Promise.all([secured, wrongName, stranger, without].map((server) => server.close())));
    const starttls = { security: 'starttls' };

    const [message] = await send(app, [`${protocol}.tls@reader.example`]);
    const id = await add(protocol, secured, starttls);
    secured.add(dsn(message!, '5.1.1', '550 5.1.1 User unknown'));
    await app.call('bounceMailboxRead', { id });
    await until('both are read', async () => (await listed(id)).messages === 2);
    assert.deepEqual([(await listed(id)).matched, (await listed(id)).problem], [1, '']);
    assert.equal(secured.messages().length, 1);
    assert.ok(secured.signIns.length >= 2 && secured.signIns.every(({ encrypted }) => encrypted));
    await assert.rejects(add(protocol, secured, { ...starttls, password: 'wrong' }), /password is wrong/);

    for (const server of [wrongName, stranger]) {
      const doubtful = await add(protocol, server, starttls);
      assert.match((await listed(doubtful)).problem, /^no connection: /);
      assert.deepEqual(server.signIns, []);
      await app.call('bounceMailboxDelete', { id: doubtful });
    }
    await add(protocol, without, starttls).then(
      async (doubtful) => app.call('bounceMailboxDelete', { id: doubtful }),
      () => {},
    );
    assert.deepEqual(without.signIns, [], 'no password in clear text');
    await app.call('bounceMailboxDelete', { id });
  });

for (const [protocol, start] of servers)
  test(`a mailbox read by ${protocol} is changed without being deleted, and its password stays unless another is given`, async (t) => {
    const server = await start(['Subject: stays\n\nHello\n']);
    const moved = await start(['Subject: new\n\nHello\n', 'Subject: too\n\nHello\n']);
    t.after(() => Promise.all([server.close(), moved.close()]));
    const id = await add(protocol, server);
    await until('it is read', async () => (await listed(id)).messages === 1);
    const change = (given: object) => app.call('bounceMailboxUpdate', { id, ...given });
    const stored = () =>
      app.app.db.row<{ port: number }>(
        sql`select host, port, user_name, folder, title, remove, position from bounce_mailbox where id = ${parseId(id)}`,
      );

    await change({ title: 'Returned', remove: false });
    const before = await stored();
    for (const [given, expected] of [
      [{ password: 'wrong' }, /host.*password is wrong/],
      [{ user_name: 'someone-else' }, /host.*password is wrong/],
      [{ host: 'localhost' }, /^password: enter the password again/],
      [{ host: 'no host', password: mailUser.password }, /^host is not the name/],
      [{ host: '10.1.2.3', password: mailUser.password }, /host.*not allowed/],
      [{ port: moved.port }, /^password: enter the password again/],
      [{ protocol: protocol === 'imap' ? 'pop3' : 'imap', port: moved.port }, /^password: enter the password again/],
      [{ port: 0 }, /port/],
    ] as const)
      await assert.rejects(change(given), { message: expected }, JSON.stringify(given));
    assert.deepEqual(await stored(), before);
    await assert.rejects(other.call('bounceMailboxUpdate', { id, title: 'Mine' }), /does not exist/);

    assert.deepEqual(moved.signIns, [], 'the stored password goes to no other service of the host');
    // Another port is read from the start.
    await change({ port: moved.port, password: mailUser.password });
    await until('the new port is read', async () => (await listed(id)).messages === 3);
    assert.equal((await listed(id)).problem, '');
    await change({ password: mailUser.password });
    const shown = JSON.stringify([await app.call('bounceMailboxes'), await app.call('auditLog', {})]);
    assert.ok(!shown.includes(mailUser.password));
    // A password that was sealed with another SEAL_KEY can be entered again.
    await app.app.db.run(sql`update bounce_mailbox set password = '\x01' where id = ${parseId(id)}`);
    await change({ title: 'Still' });
    await assert.rejects(change({ port: server.port }), { message: /^password: enter/ });
    await change({ password: mailUser.password });
    // The stored password serves the usual ports of the same host.
    const port = protocol === 'imap' ? 143 : 110;
    await change({ port, password: '' });
    assert.equal((await stored())!.port, port);
    await app.call('bounceMailboxDelete', { id });
  });

test('two changes of one mailbox at once: the later one is refused when it was opened with the settings of before', async (t) => {
  const server = await startImapServer([]);
  const moved = await startImapServer([]);
  t.after(() => Promise.all([server.close(), moved.close()]));
  const id = await add('imap', server);
  const stored = () =>
    app.app.db.row<{ port: number; title: string }>(
      sql`select port, title from bounce_mailbox where id = ${parseId(id)}`,
    );
  const given = { id, port: 143, title: 'Late' };
  const context = { app: app.app, account: app.account };
  const opened = await openChanged(context as PrepareContext, given);
  await app.call('bounceMailboxUpdate', { id, port: moved.port, password: mailUser.password, title: 'Moved' });
  const finish = () => app.app.db.transaction((tx) => updateMailbox({ ...context, tx } as Context, given, opened));
  await assert.rejects(finish(), { fault: 'BOUNCE_MAILBOX_INVALID', message: /^id: another call/ });
  assert.deepEqual(await stored(), { port: moved.port, title: 'Moved' });
  await app.call('bounceMailboxUpdate', given);
  assert.deepEqual(await stored(), { port: 143, title: 'Late' });
  await app.call('bounceMailboxDelete', { id });
});
