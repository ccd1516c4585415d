// SMTP submission with real clients: nodemailer, Python's smtplib, curl and swaks; and everything an open relay would take, refused.
// SWAKS names the program swaks where it is not on the PATH; without it and without curl, their tests are skipped.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { type MailingApp, mailingApp } from '../../../test/support/installation/mailing-app.ts';
import { slowTest } from '../../../test/support/run/runs.ts';
import { createAuthority, createCertificate } from '../../../test/support/smtp-sink/certificate.ts';
import { readConfig } from '../../config.ts';
import { sql } from '../../db/connect.ts';
import { startSubmission } from './server.ts';

let app: MailingApp;
let folder: string;
let authority: string;
/** With a certificate, and without one. */
let secure: { port: number; close(): Promise<void> };
let plain: typeof secure;

before(async () => {
  app = await mailingApp({});
  folder = mkdtempSync(join(tmpdir(), 'submission-'));
  const ca = createAuthority();
  const made = createCertificate(ca, ['localhost']);
  authority = ca.cert;
  for (const [name, text] of [
    ['ca.pem', ca.cert],
    ['cert.pem', made.cert],
    ['key.pem', made.key],
  ] as const)
    writeFileSync(join(folder, name), text);
  plain = await startSubmission(app.app, 0);
  const config = {
    ...app.app.config,
    submissionCert: join(folder, 'cert.pem'),
    submissionKey: join(folder, 'key.pem'),
  };
  secure = await startSubmission({ ...app.app, config }, 0);
});
after(async () => {
  await plain.close();
  await secure.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

async function received(email: string) {
  for (let i = 0; i < 400; i++) {
    const rows = await app.app.db.rows<{ source: Buffer }>(sql`
      select source from inbox_message where ${email} = any (rcpt_to) order by id`);
    if (rows.length > 0) return rows.map(({ source }) => source);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail(`nothing arrived at ${email}`);
}

/** A session by hand: each command after the reply to the one before. @returns the last line of each reply */
function session(port: number, commands: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const replies: string[] = [];
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      const last = /(?:^|\r\n)(\d{3} [^\r\n]*)\r\n$/.exec(text)?.[1];
      if (last === undefined) return;
      text = '';
      replies.push(last);
      const next = commands[replies.length - 1];
      if (next === undefined) socket.removeAllListeners('data').resume().end('QUIT\r\n');
      else socket.write(`${next}\r\n`);
    });
    socket.on('close', () => resolve(replies.slice(0, commands.length + 1)));
    socket.on('error', reject);
  });
}
const login = (key: string) => `AUTH PLAIN ${Buffer.from(`\0postrider\0${key}`).toString('base64')}`;

test('raw letters in the head and an endless line, as PHP and devices send them, arrive as they were meant', async () => {
  const transport = createTransport({
    host: '127.0.0.1',
    port: plain.port,
    ignoreTLS: true,
    auth: { user: 'any', pass: app.key },
  });
  const body = `${'Grüße '.repeat(900)}Ende`;
  await transport.sendMail({
    envelope: { from: 'owner@example.com', to: 'php@example.net' },
    raw: `From: Jürgen <owner@example.com>\r\nTo: Ünal <php@example.net>\r\nSubject: Bestellung für Zoë\r\nX-Mailer: PHP/8\r\n\r\n${body}\r\n`,
  });
  transport.close();
  const [source] = await received('php@example.net');
  const mail = await PostalMime.parse(source!);
  assert.deepEqual([mail.subject, mail.from?.name, mail.to?.[0]?.name], ['Bestellung für Zoë', 'Jürgen', 'Ünal']);
  assert.equal(mail.text?.trimEnd(), body);
  const lines = source!.toString('latin1').split('\r\n');
  assert.ok(lines.every((line) => line.length <= 998 && !/[^\t -~]/.test(line)));
});

test('nodemailer sends over STARTTLS: body as it was, a blind copy stays blind, dots survive', async () => {
  const transport = createTransport({
    ...{ host: 'localhost', port: secure.port, requireTLS: true, tls: { ca: authority } },
    auth: { user: 'postrider', pass: app.key },
  });
  const sent = await transport.sendMail({
    from: { name: 'Shöp', address: 'owner@example.com' },
    to: 'Ada <ada@example.com>',
    bcc: 'blind@example.com',
    subject: 'Grüße',
    text: '.\n..dots\n.',
    attachments: [{ filename: 'a.bin', content: Buffer.from([0, 1, 2, 255]) }],
  });
  assert.match(sent.response, /^250 2\.0\.0 Stored as [0-9a-f]{16}$/);
  const id = sent.response.slice(-16);
  for (const email of ['ada@example.com', 'blind@example.com']) {
    const [source] = await received(email);
    const mail = await PostalMime.parse(source!);
    assert.equal(mail.subject, 'Grüße');
    assert.equal(mail.messageId, sent.messageId);
    assert.equal(mail.text!.trimEnd(), '.\n..dots\n.');
    assert.deepEqual([...new Uint8Array(mail.attachments[0]!.content as ArrayBuffer)], [0, 1, 2, 255]);
    assert.doesNotMatch(source!.toString('latin1'), /blind@example\.com/);
  }
  const info = await app.call<{ via: string; subject: string }>('messageGet', { id });
  assert.deepEqual([info.via, info.subject], ['smtp', 'Grüße']);
});

slowTest('smtplib of Python sends over STARTTLS, and the same Idempotency-Key gives one message', async () => {
  const program = `
import smtplib, ssl, sys
from email.message import EmailMessage
for attempt in range(2):
    with smtplib.SMTP('localhost', int(sys.argv[1]), timeout=20) as server:
        server.starttls(context=ssl.create_default_context(cafile=sys.argv[2]))
        server.login('anyone', sys.argv[3])
        message = EmailMessage()
        message['From'] = 'owner@example.com'
        message['To'] = 'python@example.com'
        message['Subject'] = 'From Python'
        message['Idempotency-Key'] = 'python-1'
        message.set_content('Hello from smtplib')
        server.send_message(message)
print('sent')
`;
  const { stdout } = await promisify(execFile)('python3', [
    '-c',
    program,
    String(secure.port),
    join(folder, 'ca.pem'),
    app.key,
  ]);
  assert.equal(stdout.trim(), 'sent');
  const sources = await received('python@example.com');
  const head = sources[0]!.toString('latin1').split('\r\n\r\n')[0]!;
  assert.match(head, /^Message-ID: </m);
  assert.match(head, /^Date: /m);
  assert.doesNotMatch(head, /idempotency/i);
  const rows = await app.app.db.rows(sql`select from message_recipient where email_key = 'python@example.com'`);
  assert.equal(rows.length, 1);
});

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: 60_000 }).catch(
    (error: { code: number; stderr: string; stdout: string }) => error,
  );
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const swaks = process.env.SWAKS ?? 'swaks';

test('curl sends over smtp:// with --ssl-reqd; without a key, or with a wrong one, it is refused', {
  skip: !isThere('curl') && 'curl is not installed',
}, async () => {
  const file = join(folder, 'curl.eml');
  writeFileSync(
    file,
    'From: Shop <owner@example.com>\r\nTo: curl@example.com\r\nSubject: From curl\r\n\r\n.dots\r\n..\r\n',
  );
  const send = (key: string, to: string) =>
    run('curl', [
      ...['--silent', '--show-error', '--ssl-reqd', '--cacert', join(folder, 'ca.pem')],
      ...[
        '--url',
        `smtp://localhost:${secure.port}/client.example`,
        '--mail-from',
        'owner@example.com',
        '--mail-rcpt',
        to,
      ],
      ...(key === '' ? [] : ['--user', `anyone:${key}`]),
      ...['--upload-file', file],
    ]);
  assert.equal('code' in (await send(app.key, 'curl@example.com')), false);
  const [source] = await received('curl@example.com');
  const mail = await PostalMime.parse(source!);
  assert.deepEqual([mail.subject, mail.text!.trimEnd()], ['From curl', '.dots\n..']);
  for (const key of ['', '0'.repeat(32)]) assert.equal('code' in (await send(key, 'curl.refused@example.com')), true);
  const rows = await app.app.db.rows(sql`select from message_recipient where email_key = 'curl.refused@example.com'`);
  assert.deepEqual(rows, []);
});

slowTest(
  'swaks sends with AUTH PLAIN and LOGIN over STARTTLS; what an open relay would take is refused',
  {
    skip: !isThere(swaks) && 'swaks is not installed',
  },
  async () => {
    const send = (more: readonly string[]) =>
      run(swaks, [
        ...['--server', 'localhost', '--port', String(secure.port), '--helo', 'client.example'],
        ...['--from', 'owner@example.com', '--body', 'Hello from swaks', ...more],
      ]);
    for (const method of ['PLAIN', 'LOGIN']) {
      const to = `swaks.${method.toLowerCase()}@example.com`;
      const auth = ['--auth', method, '--auth-user', 'anyone', '--auth-password', app.key];
      const sent = await send([
        '--to',
        to,
        '--tls',
        '--tls-verify',
        '--tls-ca-path',
        join(folder, 'ca.pem'),
        ...auth,
        '--header',
        `Subject: ${method}`,
      ]);
      assert.match(sent.stdout, /250 2\.0\.0 Stored as [0-9a-f]{16}/);
      const [source] = await received(to);
      assert.equal((await PostalMime.parse(source!)).subject, method);
    }
    for (const [more, expected] of [
      [['--tls'], /530 /],
      [
        ['--auth', 'PLAIN', '--auth-user', 'anyone', '--auth-password', app.key],
        /Authentication not attempted|no authentication|did not advertise|50[03] |538 |530 /i,
      ],
      [['--tls', '--auth', 'PLAIN', '--auth-user', 'anyone', '--auth-password', 'f'.repeat(32)], /535 /],
    ] as const) {
      const refused = await send(['--to', 'victim@example.net', ...more]);
      assert.equal('code' in refused, true, more.join(' '));
      assert.match(`${refused.stdout}${refused.stderr}`, expected, more.slice(0, 2).join(' '));
    }
  },
);

test('no relay without AUTH: every way to send is refused', async () => {
  const helo = 'EHLO client.example';
  const mail = 'MAIL FROM:<owner@example.com>';
  for (const [port, commands, expected] of [
    [plain.port, [helo, mail], /^530 /],
    [plain.port, [helo, 'RCPT TO:<victim@example.net>'], /^5\d\d /],
    [plain.port, [helo, 'DATA'], /^5\d\d /],
    [plain.port, [helo, login('0'.repeat(32))], /^535 /],
    [plain.port, [helo, login('')], /^5(35|01) /],
    [plain.port, [helo, login(await app.anotherKey('read'))], /^535 5\.7\.8 This API key may not send/],
    [secure.port, [helo, login(app.key)], /^5(38|30|00|02) /],
    [secure.port, [helo, mail], /^530 /],
  ] as const)
    assert.match((await session(port, commands)).at(-1)!, expected, commands.join(' | '));
});

/** All lines of the reply to EHLO, before and, where it is offered, after STARTTLS; and the reply to the first HELO. */
async function greetings(port: number): Promise<{ clear: string[]; helo: string[]; encrypted: string[] }> {
  const socket = connect(port, '127.0.0.1');
  const ask = async (on: Socket, command: string): Promise<string[]> => {
    if (command !== '') on.write(`${command}\r\n`);
    let text = '';
    while (!/(?:^|\r\n)\d{3} [^\r\n]*\r\n$/.test(text)) text += String((await once(on, 'data'))[0]);
    return text.trimEnd().split('\r\n');
  };
  await ask(socket, '');
  const helo = await ask(socket, 'HELO client.example');
  const clear = await ask(socket, 'EHLO client.example');
  if (!clear.some((line) => /STARTTLS/.test(line))) {
    socket.destroy();
    return { clear, helo, encrypted: [] };
  }
  await ask(socket, 'STARTTLS');
  const encrypted = connectTls({ socket, ca: authority, servername: 'localhost' });
  await once(encrypted, 'secureConnect');
  const answer = await ask(encrypted, 'EHLO client.example');
  encrypted.destroy();
  return { clear, helo, encrypted: answer };
}

test('a server with a certificate offers AUTH after STARTTLS only: a client would send its key in clear text', async () => {
  const offers = (lines: string[], word: string) => lines.filter((line) => line.includes(word));
  const { clear, helo, encrypted } = await greetings(secure.port);
  assert.deepEqual([offers(clear, 'AUTH'), offers(helo, 'AUTH')], [[], []]);
  assert.equal(offers(clear, 'STARTTLS').length, 1);
  assert.deepEqual(offers(encrypted, 'AUTH'), ['250-AUTH PLAIN LOGIN']);
  assert.deepEqual(offers(encrypted, 'STARTTLS'), []);
  const local = await greetings(plain.port);
  assert.equal(offers(local.clear, 'AUTH').length, 1, 'the connection stays on this machine');
});

test('a key does not open the senders of other accounts, nor a second sender in the head', async () => {
  const other = await app.anotherAccount('pro');
  await app.app.db
    .run(sql`
    insert into sender_domain (account_id, domain, token, active)
    values (${app.account.id}, 'example.com', 'x', true)`)
    .catch(() => {});
  const send = (key: string, head: string, rcpt = 'x@example.net') =>
    session(plain.port, [
      ...['EHLO c.example', login(key), 'MAIL FROM:<a@example.com>', `RCPT TO:<${rcpt}>`, 'DATA'],
      `${head}\r\n\r\nText\r\n.`,
    ]).then((replies) => replies.at(-1)!);
  // A free account may send as its main address only.
  assert.match(await send(app.key, 'From: ceo@bank.example\r\nSubject: x'), /^550 5\.7\.1 /);
  assert.match(await send(app.key, 'From: owner@example.com, ceo@bank.example\r\nSubject: x'), /^554 /);
  assert.match(await send(app.key, 'From: owner@example.com\r\nFrom: ceo@bank.example\r\nSubject: x'), /^554 /);
  assert.match(await send(app.key, 'Subject: no sender'), /^554 /);
  // As a full mailbox: the client tries again.
  await app.app.db.run(sql`
    insert into sent_count values (${app.account.id}, date_trunc('month', now() at time zone 'UTC'), 'message', 1)`);
  await app.app.db.run(sql`update account set monthly_quota = 1 where id = ${app.account.id}`);
  assert.match(
    await send(app.key, 'From: owner@example.com\r\nSubject: x'),
    /^452 4\.2\.2 The account may send 1 emails/,
  );
  await app.app.db.run(sql`update account set monthly_quota = null where id = ${app.account.id}`);
  assert.match(await send(other.key, 'From: =?utf-8?q?x?= <owner1@example.org>\r\nSubject: x'), /^250 /);
  assert.match(await send(app.key, 'From: owner@example.com\r\nSubject: x', 'ü@example.net'), /^5\d\d /);
});

test('a password would not pass the network in clear text: settings refuse it', () => {
  assert.throws(() => readConfig({ SUBMISSION_PORT: '5870', SUBMISSION_HOST: '0.0.0.0' }), /SUBMISSION_CERT/);
  assert.throws(() => readConfig({ SUBMISSION_PORT: '5870', SUBMISSION_CERT: 'x' }), /belong together/);
  readConfig({ SUBMISSION_PORT: '5870', SUBMISSION_HOST: '::1' });
});
