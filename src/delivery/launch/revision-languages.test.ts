// Languages that are added to or removed from an email whose recipients come one by one while it runs, cell by cell of the table in
// docs/flows.md: those who have or wait for the email keep what they were frozen with, the next get what was published.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fault } from '../../../test/conformance/fixture.ts';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runAutomations } from '../../automations/run/engine.ts';
import { frozenOfRecipient } from '../../campaigns/model/variant.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { campaignAndRecipient } from '../../pages/recipient.ts';
import { keepReport } from '../../tracking/reports/kept.ts';
import { ContentCache } from '../sending/content.ts';
import { launch } from './launch.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
const key = (id: number) => ({ account: app.account.id, campaign: id });

type Email = { automation: string; list: string; cid: string; id: number };

/** An email of an automation that is running, in English and German. */
async function running(): Promise<Email> {
  const list = await listOf(app, []);
  const cid = await call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome, reader' });
  await write(cid, 'de', 'Hallo');
  const automation = await call<string>('automationCreate', { title: 'Welcome', list });
  const steps = [{ key: 'mail', type: 'send', campaign: cid }];
  await call('automationUpdate', { id: automation, trigger: { type: 'subscribed' }, steps });
  await call('automationStart', { id: automation });
  const email = { automation, list, cid, id: parseId(cid) };
  await launch(app.app, key(email.id));
  return email;
}
const write = (cid: string, language: string, word: string) =>
  call('campaignLanguageUpdate', { cid, language, subject: word, html: `<p>${word}, reader</p>` });
const remove = (cid: string, language: string) => call('campaignLanguageDelete', { cid, language });

let people = 0;
/** A contact of each language enters and is queued. */
async function enter({ list }: Email, ...languages: string[]): Promise<void> {
  for (const language of languages) {
    const email_address = `reader${++people}@languages.example`;
    await call('listSubscribe', { id: list, email_address, double_optin: false });
    await app.app.db.run(sql`update contact set language = ${language} where email = ${email_address}`);
  }
  while ((await runAutomations(app.app)) > 0);
}
const publish = async ({ cid, id }: Email) => {
  await call('campaignRevisionCreate', { cid });
  await launch(app.app, key(id));
};

/** The subject that each recipient gets, by number: as the web version, and as a worker renders it. */
async function subjects(id: number): Promise<string[]> {
  const rows = await app.app.db.rows<{ seq: number; language: string | null; variant: number; subject: string[] }>(sql`
    select d.seq, d.language, f.variant, f.compiled -> 'subject' as subject
    from delivery d
    join frozen_content f on f.account_id = d.account_id and f.campaign_id = d.campaign_id and f.variant = ${frozenOfRecipient(sql`d`)}
    where d.campaign_id = ${id}
    order by d.seq`);
  const content = (await new ContentCache(app.app.db).get({ ...key(id), contentHash: '' } as never))!;
  const sent = rows.map(({ seq, language }) => {
    const reader = { seq, language: language ?? '', untracked: false };
    return content.rendererOf(reader as never);
  });
  for (const [a, one] of sent.entries())
    for (const [b, other] of sent.entries())
      assert.equal(one === other, rows[a]!.variant === rows[b]!.variant, `${a} and ${b}`);
  return rows.map(({ subject }) => subject.join(''));
}

type Shown = { language: string; removed: boolean; recipients: number };
const results = async (cid: string) =>
  (await call<Shown[]>('campaignLanguages', { cid })).map(({ language, removed, recipients }) =>
    removed ? [language, recipients, 'removed'] : [language, recipients],
  );

test('a language that is added while an email runs is for those who come after it is published', async () => {
  const email = await running();
  await enter(email, 'fr', 'de');
  await write(email.cid, 'fr', 'Salut');
  await enter(email, 'fr');
  assert.deepEqual(await subjects(email.id), ['Welcome', 'Hallo', 'Welcome'], 'not before it is published');
  await publish(email);
  await enter(email, 'fr-ch', 'de', 'it');
  const after = ['Welcome', 'Hallo', 'Welcome', 'Salut', 'Hallo', 'Welcome'];
  assert.deepEqual(await subjects(email.id), after);
  assert.deepEqual(await results(email.cid), [
    ['', 3],
    ['de', 2],
    ['fr', 1],
  ]);
  const revisions = await call<{ recipients: number }[]>('campaignRevisions', { cid: email.cid });
  assert.deepEqual(
    revisions.map(({ recipients }) => recipients),
    [3, 3],
  );
});

test('those who wait in a language that is removed get it, the next the email itself, and the report has both', async () => {
  const email = await running();
  await write(email.cid, 'fr', 'Salut');
  await publish(email);
  await enter(email, 'de', 'fr');
  await remove(email.cid, 'de');
  await enter(email, 'de');
  await publish(email);
  await enter(email, 'de', 'fr');
  assert.deepEqual(await subjects(email.id), ['Hallo', 'Salut', 'Hallo', 'Welcome', 'Salut']);
  assert.deepEqual(await results(email.cid), [
    ['', 1],
    ['fr', 2],
    ['de', 2, 'removed'],
  ]);
  const seen = await campaignAndRecipient(app.app, { ...key(email.id), seq: 1 } as never);
  assert.match(JSON.stringify(seen!.compiled), /Hallo, reader/);
  // Written again it is a version of the next revision only.
  await write(email.cid, 'de', 'Guten Tag');
  await publish(email);
  await enter(email, 'de');
  assert.deepEqual(await subjects(email.id), ['Hallo', 'Salut', 'Hallo', 'Welcome', 'Salut', 'Guten Tag']);
  await remove(email.cid, 'fr');
  const before = await results(email.cid);
  await app.app.db.transaction((tx) => keepReport(tx, key(email.id) as never));
  assert.deepEqual(await results(email.cid), before);
});

test('of a paused email those who wait keep their language, and get the corrected text of it if it is still there', async () => {
  const email = await running();
  await enter(email, 'de', 'fr', 'de', '');
  await app.app.db.run(sql`update delivery set state = 2, attempts = 1 where campaign_id = ${email.id} and seq = 1`);
  await app.app.db.run(
    sql`update tally set queued = queued - 1, accepted = accepted + 1 where campaign_id = ${email.id}`,
  );
  await call('campaignPause', { cid: email.cid });
  await call('campaignUpdate', { cid: email.cid, name: 'subject', value: 'Corrected' });
  await remove(email.cid, 'de');
  await write(email.cid, 'fr', 'Salut');
  await call('campaignResume', { cid: email.cid });
  await launch(app.app, key(email.id));
  await enter(email, 'de', 'fr');
  // Numbers 1 and 3 were frozen in German; number 2 speaks French and was frozen without a version.
  assert.deepEqual(await subjects(email.id), ['Hallo', 'Corrected', 'Hallo', 'Corrected', 'Corrected', 'Salut']);
  const revisions = await call<{ recipients: number }[]>('campaignRevisions', { cid: email.cid });
  assert.deepEqual(
    revisions.map(({ recipients }) => recipients),
    [2, 4],
  );
});

test('a recipient whose revision lacks its language gets the email itself of that revision', async () => {
  const email = await running();
  await remove(email.cid, 'de');
  await call('campaignUpdate', { cid: email.cid, name: 'subject', value: 'Corrected' });
  await publish(email);
  await enter(email, 'de');
  // As one that was added in the moment of the publication, or made again after a fail-over.
  await app.app.db.run(sql`update delivery set language = 'de' where campaign_id = ${email.id}`);
  assert.deepEqual(await subjects(email.id), ['Corrected']);
});

test('a version that says nothing is refused, and so is another language of a campaign that some have received', async () => {
  const email = await running();
  await assert.rejects(
    call('campaignLanguageUpdate', { cid: email.cid, language: 'fr', subject: 'Salut', html: ' ' }),
    { fault: 'CAMPAIGN_OPTION_INVALID' },
  );
  await call('campaignLanguageUpdate', { cid: email.cid, language: 'fr', subject: 'Salut', html: '<p> </p><br>' });
  await assert.rejects(publish(email), fault('CONTENT_INVALID', 'fr'));
  await assert.rejects(call('automationStart', { id: email.automation }), fault('AUTOMATION_INVALID', 'fr'));
  await enter(email, 'fr', 'de');
  assert.deepEqual(await subjects(email.id), ['Welcome', 'Hallo'], 'it continues as it was');
  await remove(email.cid, 'fr');
  await remove(email.cid, 'de');
  await assert.rejects(remove(email.cid, 'de'), { fault: 'CAMPAIGN_OPTION_INVALID' });
  await publish(email);
  await enter(email, 'de');
  assert.deepEqual(await subjects(email.id), ['Welcome', 'Hallo', 'Welcome'], 'the email itself is always there');
  const id = await launchedTo(app, await listOf(app, ['one@languages.example', 'two@languages.example']));
  await app.app.db.run(sql`update delivery set state = 2, attempts = 1 where campaign_id = ${id} and seq = 1`);
  await app.app.db.run(sql`update tally set queued = queued - 1, accepted = accepted + 1 where campaign_id = ${id}`);
  await call('campaignPause', { cid: formatId(id) });
  await assert.rejects(write(formatId(id), 'de', 'Hallo'), fault('CAMPAIGN_STATE_CONFLICT', 'language'));
});
