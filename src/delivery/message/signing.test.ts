// Signatures as receivers see them: every message of a mixed corpus, taken from a sink after a real delivery and
// checked by two other verifiers; and that no message of a campaign with authenticate leaves unsigned.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { aCampaign, launchDraft } from '../../../test/support/builders/campaigns.ts';
import { activeDomain } from '../../../test/support/builders/sender-domain.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  type PythonVerifier,
  type Records,
  startPythonVerifier,
  verifyWithMailauth,
} from '../../../test/support/judges/dkim-verifiers.ts';
import { sample } from '../../../test/support/run/runs.ts';
import { until } from '../../../test/support/run/until.ts';
import { layouts as allLayouts } from '../../../test/support/samples/layouts.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { renderPacked } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { dkimRecordName, dkimRecordText, generateDkimKey } from '../../senders/domains/dkim-key.ts';
import { launch } from '../launch/launch.ts';
import { startWorker } from '../worker.ts';
import { createSigner } from './dkim.ts';
import { signatureRoom, signed } from './signing.ts';

const layouts = sample(allLayouts, 5);
let app: TestApp;
let sink: Sink;
let folder: string;
let list: string;
let records: Records;
let stopWorker: () => Promise<void>;
let python: PythonVerifier | null;
let reason = '';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signing-'));
  sink = await startSink({ raw: true });
  app = await testApp({ DATA_DIR: folder, SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });
  await app.app.db.run(sql`update account set email = 'letters@signed.example' where id = ${app.account.id}`);
  records = await activeDomain(app.app, app.account.id, 'signed.example');
  list = await app.call<string>('listCreate', { title: 'Die Leser – readers' });
  for (const [email, name, type] of [
    ['ada@example.com', 'Ada', 'html'],
    ['zoe@example.com', 'Zoë  Ünlü "Z" <x>', 'html'],
    ['text@example.com', '', 'text'],
  ]) {
    await app.call('listSubscribe', {
      id: list,
      email_address: email,
      merge_vars: { FNAME: name },
      email_type: type,
      double_optin: false,
    });
  }
  const worker = await startWorker(app.app, {});
  stopWorker = () => worker.stop();
  const started = startPythonVerifier();
  python = started.verifier;
  if (!started.verifier) reason = started.reason;
});
after(async () => {
  python?.close();
  await stopWorker();
  await sink.close();
  await app.close();
  rmSync(folder, { recursive: true });
});

async function draft(html: string, subject: string, authenticate: boolean): Promise<number> {
  const content = { html, plain: 'Hello *|FNAME:friend|*' };
  return parseId(await aCampaign(app, { to: list, content, subject, from_name: 'Müller & Co', authenticate }));
}

async function send(html: string, subject: string, authenticate: boolean): Promise<number> {
  const id = await draft(html, subject, authenticate);
  await launchDraft(app, id);
  return id;
}
const statusOf = async (id: number) => {
  const row = await app.app.db.row<{ status: string; reason: string }>(sql`
    select status, status_reason as reason from campaign where id = ${id}`);
  return { status: row!.status, reason: renderPacked(row!.reason) };
};
const mailsOf = (subject: string) => sink.accepted().filter((entry) => entry.raw?.includes(`Subject: ${subject}`));

test('every message of every layout, as the sink got it, carries two signatures that two verifiers accept', async (t) => {
  if (!python) t.diagnostic(`NOT JUDGED by the second verifier: ${reason}`);
  assert.ok(allLayouts.length >= 40);
  const ids: number[] = [];
  for (const [i, { html }] of layouts.entries())
    ids.push(await send(html, `Layout ${i} for *|FNAME:you|*`, i % 2 === 0));
  await until(
    'all campaigns are sent',
    async () => {
      const left = await app.app.db.row<{ count: number }>(sql`
        select count(*)::int as count from campaign where id = any (${ids}::int[]) and status <> 'sent'`);
      return left!.count === 0;
    },
    180_000,
  );
  const messages = sink.accepted();
  assert.equal(messages.length, layouts.length * 3);
  let checked = 0;
  for (const { raw, to } of messages) {
    const message = Buffer.from(raw!, 'latin1');
    const head = raw!.slice(0, raw!.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, '');
    const signatures = head.split('\r\n').filter((field) => field.startsWith('DKIM-Signature:'));
    assert.equal(signatures.length, 2, `${to}`);
    for (const signature of signatures) {
      assert.match(signature, /d=signed\.example;/);
      assert.match(signature, /h=[^;]*List-Unsubscribe:List-Unsubscribe-Post/);
    }
    assert.deepEqual(await verifyWithMailauth(message, records), ['pass', 'pass'], `${to}`);
    if (python) assert.deepEqual(await python.verify(message, records, 2), [true, true], `${to}`);
    checked += 1;
  }
  t.diagnostic(
    `${checked} messages of ${layouts.length} layouts checked by mailauth${python ? ' and dkimpy' : ' alone'}`,
  );
});

test('a changed letter in a message from the sink breaks both signatures', async () => {
  const raw = sink.accepted()[0]!.raw!;
  const changed = raw.replace('\r\nTo: <', '\r\nTo: <x');
  assert.notEqual(changed, raw);
  const verdicts = await verifyWithMailauth(Buffer.from(changed, 'latin1'), records);
  assert.equal(verdicts.length, 2);
  for (const verdict of verdicts) assert.match(verdict, /fail|neutral/);
});

test('mail comes back to the From address when there is no bounce domain', () => {
  for (const entry of sink.accepted()) assert.equal(entry.from, 'letters@signed.example');
});

test('F95: a campaign with authenticate pauses with the reason when its key is gone, and nothing is sent unsigned', async () => {
  const id = await draft('<p>x</p>', 'Broken', true);
  await app.app.db.run(sql`update sender_domain set active = false, broken_at = now()`);
  await launchDraft(app, id);
  await until('the campaign is paused', async () => (await statusOf(id)).status === 'paused');
  assert.match((await statusOf(id)).reason, /signed\.example is not an authenticated and activated domain/);
  assert.equal(mailsOf('Broken').length, 0);

  await app.app.db.run(sql`update sender_domain set active = true, broken_at = null`);
  await app.app.db.run(sql`update sender_domain_key set published = false where algorithm = 'rsa-sha256'`);
  await until('the old answer is forgotten', async () => {
    await app.call('campaignResume', { cid: formatId(id) });
    // After the first time it is being sent already, and this does nothing.
    await launch(app.app, { account: app.account.id, campaign: id });
    await until('it is paused again', async () => (await statusOf(id)).status === 'paused');
    return (await statusOf(id)).reason.endsWith('has no published key');
  });
  assert.equal(mailsOf('Broken').length, 0);

  await app.app.db.run(
    sql`update sender_domain_key set published = true, private_key = set_byte(private_key, 40, 255 - get_byte(private_key, 40))`,
  );
  await until('the old answer is forgotten', async () => {
    await app.call('campaignResume', { cid: formatId(id) });
    // After the first time it is being sent already, and this does nothing.
    await launch(app.app, { account: app.account.id, campaign: id });
    await until('it is paused again', async () => (await statusOf(id)).status === 'paused');
    return /cannot be decrypted/.test((await statusOf(id)).reason);
  });
  assert.equal(mailsOf('Broken').length, 0);

  const plain = await send('<p>x</p>', 'Plain', false);
  await until('the other campaign is sent', async () => (await statusOf(plain)).status === 'sent');
  for (const { raw } of mailsOf('Plain')) assert.doesNotMatch(raw!, /DKIM-Signature/);
  assert.equal(mailsOf('Plain').length, 3);

  await app.app.db.run(
    sql`update sender_domain_key set private_key = set_byte(private_key, 40, 255 - get_byte(private_key, 40))`,
  );
  await until(
    'the campaign goes out once the key is back',
    async () => {
      const { status } = await statusOf(id);
      if (status === 'paused') await app.call('campaignResume', { cid: formatId(id) });
      return status === 'sent';
    },
    60_000,
  );
  const sent = mailsOf('Broken');
  assert.equal(sent.length, 3);
  for (const { raw } of sent)
    assert.deepEqual(await verifyWithMailauth(Buffer.from(raw!, 'latin1'), records), ['pass', 'pass']);
});

test('a signature is written in front of its message, or both are copied if it has more names than there is room for', async () => {
  const key = await generateDkimKey('rsa-sha256');
  const signing = {
    kind: 'signed' as const,
    signer: createSigner([{ domain: 'signed.example', selector: 's', ...key }]),
  };
  const room = signatureRoom(signing);
  const found = { [dkimRecordName('s', 'signed.example')]: dkimRecordText('rsa-sha256', key.publicKey) };
  for (const [copies, isInPlace] of [
    [1, true],
    [200, false],
  ] as const) {
    const head = `From: <a@signed.example>\r\n${'Cc: <b@example.com>\r\n'.repeat(copies)}\r\n`;
    const memory = Buffer.alloc(65_536, '#');
    const size = memory.write(`${head}Hello  \r\n\r\n`, room);
    const part = (from: number, to: number) => memory.subarray(room + from, room + to);
    const mail = {
      head: part(0, head.length),
      body: part(head.length, size),
      whole: part(0, size),
      size,
      memory: memory.subarray(room),
    };
    const message = await signed(signing, mail, memory);
    assert.equal(message.buffer === memory.buffer, isInPlace);
    assert.equal(message.indexOf('DKIM-Signature: '), 0);
    assert.deepEqual(await verifyWithMailauth(message, found), ['pass']);
    assert.ok(
      memory.subarray(room + size).every((byte) => byte === 35),
      'nothing is written behind it',
    );
  }
});
