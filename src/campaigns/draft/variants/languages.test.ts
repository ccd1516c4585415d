// Language versions of a campaign: who gets which, what is sent and reported, and what cannot be combined.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { aCampaign } from '../../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../../test/support/installation/app.ts';
import { sql } from '../../../db/connect.ts';
import { parseId } from '../../../db/ids.ts';
import { launch } from '../../../delivery/launch/launch.ts';
import { startWorker } from '../../../delivery/worker.ts';
import { startInbox } from '../../../inbox/inbox.ts';
import { frozenOfRecipient } from '../../model/variant.ts';

let app: TestApp;
let stop: () => Promise<void>;
before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'languages-'));
  app = await testApp({ DATA_DIR: folder });
  const inbox = await startInbox(app.app);
  app.app.config.inboxPort = inbox.port;
  stop = async () => {
    await inbox.close();
    await app.close();
    rmSync(folder, { recursive: true });
  };
});
after(() => stop());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
const version = (cid: string, language: string, word: string) =>
  call('campaignLanguageUpdate', {
    cid,
    language,
    subject: `${word} *|FNAME:x|*`,
    html: `<p>${word}</p><p><a href="https://example.com/${language}">${word}</a></p>`,
  });

/** A list of contacts by the language they have. */
async function listOf(languages: Record<string, string>): Promise<string> {
  const id = await call<string>('listCreate', { title: 'Readers' });
  for (const email of Object.keys(languages))
    await call('listSubscribe', { id, email_address: email, double_optin: false });
  for (const [email, language] of Object.entries(languages))
    await app.app.db.run(sql`update contact set language = ${language} where email = ${email}`);
  return id;
}

type Shown = { variant: number; language: string; recipients: number; sent: number; opens: number; clicks: number };
const results = async (cid: string) =>
  (await call<Shown[]>('campaignLanguages', { cid })).map(({ language, recipients, sent, opens, clicks }) => [
    language,
    recipients,
    sent,
    opens,
    clicks,
  ]);

/** The language of the version that each recipient has. */
async function assigned(id: number): Promise<Record<string, string>> {
  const rows = await app.app.db.rows<{ email: string; language: string }>(sql`
    select d.email, coalesce(v.language, '') as language
    from delivery d
    left join campaign_variant v on v.account_id = d.account_id and v.campaign_id = d.campaign_id and v.no = ${frozenOfRecipient(sql`d`)}
    where d.campaign_id = ${id}`);
  return Object.fromEntries(rows.map(({ email, language }) => [email.split('@')[0]!, language]));
}

const table: [name: string, language: string, version: string][] = [
  ['same', 'de', 'de'],
  ['upper', 'DE', 'de'],
  ['region', 'de-at', 'de'],
  ['underscore', 'pt_BR', 'pt-br'],
  ['exact', 'pt-br', 'pt-br'],
  ['other.region', 'pt-pt', ''],
  ['general', 'pt', ''],
  ['unknown', 'fr', ''],
  ['none', '', ''],
  ['main', 'en', ''],
];

test('a contact gets the version of its language, else of the language without its region, else the campaign itself', async () => {
  const contacts = Object.fromEntries(table.map(([name, language]) => [`${name}@table.example`, language]));
  const cid = await aCampaign(app, { to: await listOf(contacts) });
  await version(cid, 'de', 'Hallo');
  await version(cid, 'PT_br', 'Olá');
  assert.deepEqual(await results(cid), [
    ['', 0, 0, 0, 0],
    ['de', 0, 0, 0, 0],
    ['pt-br', 0, 0, 0, 0],
  ]);
  await call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  assert.deepEqual(
    await assigned(parseId(cid)),
    Object.fromEntries(table.map(([name, , expected]) => [name, expected])),
  );
  assert.deepEqual(await results(cid), [
    ['', 5, 0, 0, 0],
    ['de', 3, 0, 0, 0],
    ['pt-br', 2, 0, 0, 0],
  ]);
  await assert.rejects(version(cid, 'fr', 'Salut'), { fault: 'CAMPAIGN_STATE_CONFLICT' });
});

test('each message is in one language, clicks count for its version, and the sums are all recipients', async () => {
  const languages = ['de', 'fr', 'en', ''];
  const contacts = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`reader.${i}@send.example`, languages[i % 4]!]),
  );
  const cid = await aCampaign(app, { to: await listOf(contacts) });
  await version(cid, 'de', 'Hallo');
  await version(cid, 'fr', 'Salut');
  await call('campaignSendNow', { cid });
  const id = parseId(cid);
  await launch(app.app, { account: app.account.id, campaign: id });
  const worker = await startWorker(app.app, {});
  for (;;) {
    const row = await app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${id}`);
    if (row!.status === 'sent') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await worker.stop();
  const messages = await app.app.db.rows<{ email: string; source: Buffer }>(
    sql`select rcpt_to[1] as email, source from inbox_message where rcpt_to[1] like '%@send.example'`,
  );
  assert.equal(messages.length, 40);
  const words: Record<string, RegExp> = { de: /^Hallo/, fr: /^Salut/ };
  for (const { email, source } of messages) {
    const { subject, html } = await PostalMime.parse(source);
    const word = words[contacts[email]!];
    if (!word) assert.doesNotMatch(subject!, /Hallo|Salut/);
    else {
      assert.match(subject!, word);
      assert.match(html!, contacts[email] === 'de' ? /Abmelden|abmelden|abbestellen/ : /désabonner|désinscri/i);
    }
  }
  await app.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, last_open_at)
    select account_id, campaign_id, seq, month, contact_id, 1, 1, now()
    from delivery
    where campaign_id = ${id}
      and email in ('reader.0@send.example', 'reader.4@send.example', 'reader.1@send.example')`);
  assert.deepEqual(await results(cid), [
    ['', 20, 20, 0, 0],
    ['de', 10, 10, 2, 2],
    ['fr', 10, 10, 1, 1],
  ]);
});

test('versions go with a copy, can be removed, and their numbers stay without a gap', async () => {
  const cid = await aCampaign(app, { to: await listOf({ 'copy@copy.example': 'fr' }) });
  for (const [language, word] of Object.entries({ de: 'Hallo', fr: 'Salut', it: 'Ciao' }))
    await version(cid, language, word);
  await version(cid, 'fr', 'Bonjour');
  const copy = await call<string>('campaignReplicate', { cid });
  await call('campaignLanguageDelete', { cid: copy, language: 'de' });
  const shown = await call<(Shown & { subject: string })[]>('campaignLanguages', { cid: copy });
  assert.deepEqual(
    shown.slice(1).map(({ variant, language, subject }) => [variant, language, subject]),
    [
      [1, 'fr', 'Bonjour *|FNAME:x|*'],
      [2, 'it', 'Ciao *|FNAME:x|*'],
    ],
  );
  const preview = await call<{ subject: string }>('campaignPreview', { cid: copy, variant: 2 });
  assert.match(preview.subject, /^Ciao/);
  assert.equal((await call<Shown[]>('campaignLanguages', { cid })).length, 4);
});

test('a wrong version is refused by name and leaves nothing behind', async () => {
  const cid = await aCampaign(app, { to: await listOf({ 'wrong@wrong.example': '' }) });
  const right = { cid, language: 'de', subject: 'Hallo', html: '<p>Hallo</p>' };
  const refused: [Record<string, unknown>, RegExp][] = [
    [{ ...right, language: 'german' }, /^language is not a language tag/],
    [{ ...right, language: '' }, /^language/],
    [{ ...right, subject: ' ' }, /^subject: a language version needs a subject/],
    [{ ...right, html: '' }, /^html: a language version needs content/],
    [{ ...right, cid: 'ffffffffff' }, /cid/],
  ];
  for (const [params, reason] of refused)
    await assert.rejects(call('campaignLanguageUpdate', params), { message: reason });
  await assert.rejects(call('campaignLanguageDelete', { cid, language: 'de' }), /no version for "de"/);
  const abTest = { cid, share: 50, winner: 'manual', wait_minutes: 60, variants: [{ subject: 'Another' }] };
  await call('campaignTestUpdate', abTest);
  await assert.rejects(call('campaignLanguageUpdate', right), /language versions and an A\/B test cannot be combined/);
  await call('campaignTestDelete', { cid });
  await call('campaignLanguageUpdate', right);
  await assert.rejects(call('campaignTestUpdate', abTest), /language versions and an A\/B test cannot be combined/);
  await call('campaignTestDelete', { cid });
  assert.equal((await call<Shown[]>('campaignLanguages', { cid })).length, 2, 'there was no test to remove');
  await call('campaignLanguageDelete', { cid, language: 'de' });
  assert.deepEqual(await call('campaignLanguages', { cid }), []);
});

test('the check names the version whose message has a problem', async () => {
  const cid = await aCampaign(app, { to: await listOf({ 'check@check.example': '' }) });
  await call('campaignLanguageUpdate', { cid, language: 'de', subject: 'Hallo *|NOTHING|*', html: '<p>Hallo</p>' });
  const findings = await call<{ code: string; variant: number; message: string }[]>('campaignCheck', { cid });
  const found = findings.find(({ code, variant }) => code === 'tag_unknown' && variant === 1);
  assert.match(found?.message ?? '', /^Version de: /);
});
