// Files attached to campaigns: bad input, what each recipient gets, copies, the check, and what is stored.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { purgeCampaign } from '../../delivery/control/purge.ts';
import { freezeContent } from '../../delivery/launch/freeze-content.ts';
import { launchCampaign } from '../../delivery/launch/launch.ts';
import { startWorker } from '../../delivery/worker.ts';
import { startInbox } from '../../inbox/inbox.ts';
import { sendTestMails } from '../../mail/test-mail.ts';
import type { AttachmentRecord } from './attachments.ts';
import { attachmentLimits } from './limits.ts';

let app: TestApp;
let stop: () => Promise<void>;
before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attachments-'));
  app = await testApp({ DATA_DIR: folder });
  const inbox = await startInbox(app.app);
  app.app.config.inboxPort = inbox.port;
  const worker = await startWorker(app.app, { launchCampaign, sendTestMails, purgeCampaign });
  stop = async () => {
    await worker.stop();
    await inbox.close();
    await app.close();
    rmSync(folder, { recursive: true });
  };
});
after(() => stop());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
const add = (cid: string, name: string, bytes: Uint8Array, content_type = '') =>
  call<AttachmentRecord>('campaignAttachmentCreate', { cid, name, content: bytes, content_type });
const list = (cid: string) => call<AttachmentRecord[]>('campaignAttachments', { cid });
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const isStored = async (bytes: Uint8Array) =>
  (await app.app.db.row(sql`select from attachment_content where hash = ${hashOf(bytes)}`)) !== undefined;

async function listOf(...emails: string[]): Promise<string> {
  const id = await call<string>('listCreate', { title: 'Readers' });
  for (const [i, email] of emails.entries())
    await call('listSubscribe', { id, email_address: email, email_type: ['html', 'text'][i], double_optin: false });
  return id;
}

/** What the file looks like in a message. */
const received = (filename: string, mimeType: string, bytes: Uint8Array) => ({
  filename,
  mimeType,
  disposition: 'attachment',
  hash: hashOf(bytes),
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function mailTo(email: string) {
  const { source } = await until(() =>
    app.app.db.row<{ source: Buffer }>(sql`select source from inbox_message where ${email} = any (rcpt_to)`),
  );
  const { attachments, ...mail } = await PostalMime.parse(source, { attachmentEncoding: 'arraybuffer' });
  return {
    ...mail,
    files: attachments.map(({ filename, mimeType, disposition, content }) => ({
      filename,
      mimeType,
      disposition,
      hash: hashOf(new Uint8Array(content as ArrayBuffer)),
    })),
  };
}

const price = randomBytes(300_000);
const note = Buffer.from('.\r\nOne line.\r\n..\r\n');

test('every recipient gets the files with the message, readers of plain text and test addresses too', async () => {
  const cid = await aCampaign(app, { to: await listOf('html@files.example', 'text@files.example') });
  assert.deepEqual(await add(cid, 'Preisliste Frühjahr.pdf', price, 'application/pdf'), {
    no: 1,
    name: 'Preisliste Frühjahr.pdf',
    content_type: 'application/pdf',
    size: 300_000,
  });
  assert.equal((await add(cid, 'note.txt', note)).no, 2);
  const files = [
    received('Preisliste Frühjahr.pdf', 'application/pdf', price),
    received('note.txt', 'text/plain', note),
  ];
  await call('campaignSendTest', { cid, test_emails: ['try@files.example'] });
  assert.deepEqual((await mailTo('try@files.example')).files, files);
  await call('campaignSendNow', { cid });
  const page = await mailTo('html@files.example');
  assert.deepEqual(page.files, files);
  assert.ok(page.html && page.text);
  const text = await mailTo('text@files.example');
  assert.deepEqual(text.files, files);
  assert.ok(text.text && !text.html);
  await assert.rejects(add(cid, 'late.txt', note), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await assert.rejects(call('campaignAttachmentDelete', { cid, no: 1 }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
});

test('other files make another content hash, by which a worker knows that its copy is old', async () => {
  const cid = await aCampaign(app, { to: await listOf('changed@files.example') });
  const id = parseId(cid);
  const frozenHash = async () => {
    await app.app.db.transaction((tx) => freezeContent({ app: app.app, tx, account: app.account }, id, []));
    const row = await app.app.db.row<{ hash: string }>(
      sql`select content_hash as hash from frozen_content where campaign_id = ${id}`,
    );
    return row!.hash;
  };
  await add(cid, 'first.txt', Buffer.from('first'));
  const first = await frozenHash();
  assert.equal(await frozenHash(), first);
  await add(cid, 'second.txt', Buffer.from('second'));
  assert.notEqual(await frozenHash(), first);
});

test('bad input is refused by name and leaves nothing behind', async () => {
  const cid = await aCampaign(app, { to: await listOf() });
  const file = { cid, name: 'a.txt', content: 'aGVsbG8=' };
  const refused: [Record<string, unknown>, RegExp][] = [
    [{ ...file, cid: 'ffffffffff' }, /cid/],
    [{ ...file, name: '  ' }, /name is empty/],
    [{ ...file, name: 'x'.repeat(201) }, /name/],
    [{ ...file, content: 'not base64!' }, /content is not Base64/],
    [{ ...file, content: '' }, /content is empty/],
    [{ ...file, content_type: 'pdf' }, /content_type is not a media type/],
  ];
  for (const [params, reason] of refused) await assert.rejects(call('campaignAttachmentCreate', params), reason);
  await assert.rejects(add(cid, 'big.bin', randomBytes(attachmentLimits.bytes + 1)), {
    fault: 'TOO_LARGE',
    message: `content: the attachments would have ${attachmentLimits.bytes + 1} bytes together; ${attachmentLimits.bytes} are allowed`,
  });
  assert.deepEqual(await list(cid), []);
  for (let i = 0; i < attachmentLimits.files; i++) await add(cid, `${i}.txt`, Buffer.from(`file ${i}`));
  await assert.rejects(add(cid, 'one.more', note), /cid: a campaign has at most 10 attachments/);
  await assert.rejects(call('campaignAttachmentDelete', { cid, no: 11 }), /no: the campaign has no attachment 11/);
  await call('campaignAttachmentDelete', { cid, no: 3 });
  assert.deepEqual(
    (await list(cid)).map(({ no }) => no),
    [1, 2, 4, 5, 6, 7, 8, 9, 10],
  );
});

test('content is stored once, belongs to its account, and goes with the last campaign that has it', async () => {
  const bytes = randomBytes(5_000);
  const cid = await aCampaign(app, { to: await listOf('copies@files.example') });
  await add(cid, 'one.bin', bytes);
  await add(cid, 'same.bin', bytes);
  const copy = await call<string>('campaignReplicate', { cid });
  assert.deepEqual(await list(copy), await list(cid));
  const other = await app.anotherAccount('free');
  await assert.rejects(other.call('campaignAttachments', { cid }), { fault: 'CAMPAIGN_UNKNOWN' });
  const counted = await app.app.db.row<{ count: number }>(
    sql`select count(*)::int as count from attachment_content where hash = ${hashOf(bytes)}`,
  );
  assert.equal(counted!.count, 1);
  await call('campaignAttachmentDelete', { cid, no: 1 });
  await call('campaignAttachmentDelete', { cid, no: 2 });
  assert.equal(await isStored(bytes), true, 'the copy has it');
  await call('campaignDelete', { cid: copy });
  await until(async () => ((await isStored(bytes)) ? undefined : true));
});

test('the check warns of types that servers reject and of large files', async () => {
  const cid = await aCampaign(app, { to: await listOf('check@files.example') });
  const codes = async () =>
    (await call<{ code: string; found: string[] }[]>('campaignCheck', { cid }))
      .filter(({ code }) => code.startsWith('attachment'))
      .map(({ code, found }) => [code, found]);
  await add(cid, 'list.pdf', note);
  assert.deepEqual(await codes(), []);
  await add(cid, 'Setup.EXE', note);
  await add(cid, 'film.mp4', randomBytes(1024 * 1024));
  assert.deepEqual(await codes(), [
    ['attachment_blocked', ['Setup.EXE']],
    ['attachments_large', ['list.pdf', 'Setup.EXE', 'film.mp4']],
  ]);
});
