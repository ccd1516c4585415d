// Language versions of autoresponders and of emails of automations, whose recipients come one by one: who gets which, and that
// nothing which happens afterwards changes it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import PostalMime from 'postal-mime';
import { aCampaign } from '../../../test/support/builders/campaigns.ts';
import { type MailingApp, mailingApp } from '../../../test/support/installation/mailing-app.ts';
import { until } from '../../../test/support/run/until.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { purgeCampaign } from '../../delivery/control/purge.ts';
import { planOccasions } from '../../delivery/launch/autoresponder-planner.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { campaignAndRecipient, formerRecipient } from '../../pages/recipient.ts';
import { runAutomations } from './engine.ts';

let app: MailingApp;
before(async () => {
  app = await mailingApp({});
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown>) => app.call<T>(method, params);
/** Runs the engine until nothing is due; what it has handed to delivery is due at once. */
const settle = async () => {
  while ((await runAutomations(app.app)) > 0);
  await app.app.db.run(sql`update chunk set due_at = now() where due_at > now()`);
  await app.app.db.run(sql`select pg_notify(${chunkChannel}, '')`);
};
const version = (cid: string, language: string, word: string) =>
  call('campaignLanguageUpdate', {
    cid,
    language,
    subject: `${word} *|FNAME:x|*`,
    html: `<p>${word}, reader</p><p><a href="https://example.com/${language}">${word}</a></p>`,
  });

async function join(list: string, languages: Record<string, string>): Promise<void> {
  for (const [email, language] of Object.entries(languages)) {
    await call('listSubscribe', { id: list, email_address: email, double_optin: false });
    await speak(email, language);
  }
}
const speak = (email: string, language: string) =>
  app.app.db.run(sql`update contact set language = ${language} where email = ${email}`);

/** An automation that sends an email with versions in German and Brazilian Portuguese to those who sign up; it is started. */
async function welcome(): Promise<{ list: string; cid: string; id: string }> {
  const list = await call<string>('listCreate', { title: 'Readers' });
  const cid = await call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome, reader' });
  await version(cid, 'de', 'Hallo');
  await version(cid, 'PT_br', 'Olá');
  const id = await call<string>('automationCreate', { title: 'Welcome', list });
  await call('automationUpdate', {
    id,
    trigger: { type: 'subscribed' },
    steps: [{ key: 'mail', type: 'send', campaign: cid }],
  });
  await call('automationStart', { id });
  return { list, cid, id };
}

const launched = (cid: string) => launch(app.app, { account: app.account.id, campaign: parseId(cid) });
const languagesIn = async (cid: string): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    (
      await app.app.db.rows<{ email: string; language: string | null }>(
        sql`select email, language from delivery where campaign_id = ${parseId(cid)} order by seq`,
      )
    ).map(({ email, language }) => [email.split('@')[0]!, language]),
  );

/** Plans an autoresponder, by several planners at once, until it has so many recipients. */
const planned = (cid: string, count: number) =>
  until('all are planned', async () => {
    await app.app.db.run(sql`
      update occasion_plan set changed_from = now() - interval '1 hour', look_at = now() where campaign_id = ${parseId(cid)}`);
    await Promise.all([1, 2, 3].map(() => planOccasions(app.app.db, 3_600_000)));
    return Object.keys(await languagesIn(cid)).length === count;
  });

type Shown = { language: string; recipients: number; sent: number; opens: number; clicks: number };
const results = async (cid: string) =>
  (await call<Shown[]>('campaignLanguages', { cid })).map(({ language, recipients, sent, opens, clicks }) => [
    language,
    recipients,
    sent,
    opens,
    clicks,
  ]);

/** The subjects of all messages to an address, the first one first. */
async function subjects(email: string): Promise<string[]> {
  const rows = await app.app.db.rows<{ source: Buffer }>(
    sql`select source from inbox_message where rcpt_to[1] = ${email} order by id`,
  );
  return Promise.all(rows.map(async ({ source }) => (await PostalMime.parse(source)).subject ?? ''));
}
const received = (email: string, count = 1) =>
  until(`${email} has ${count}`, async () => (await subjects(email)).length >= count);

test('the email of an automation goes to each contact in its language, and its report has the sums of each', async () => {
  const { list, cid } = await welcome();
  await join(list, {
    'same@one.example': 'de',
    'region@one.example': 'de-at',
    'exact@one.example': 'PT-br',
    'other@one.example': 'pt',
    'none@one.example': '',
  });
  await settle();
  assert.deepEqual(await languagesIn(cid), { same: 'de', region: 'de', exact: 'pt-br', other: null, none: null });
  // Queued before the email is frozen; it speaks another language when it is sent.
  await speak('same@one.example', 'pt-br');
  await launched(cid);
  for (const name of ['same', 'region', 'exact', 'other', 'none']) await received(`${name}@one.example`);
  const first = async (name: string) => (await subjects(`${name}@one.example`))[0]!;
  assert.match(await first('same'), /^Hallo/);
  assert.match(await first('region'), /^Hallo/);
  assert.match(await first('exact'), /^Olá/);
  assert.match(await first('other'), /^Welcome/);
  await app.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, clicks, last_open_at)
    select account_id, campaign_id, seq, month, contact_id, 1, 1, now()
    from delivery
    where campaign_id = ${parseId(cid)} and email in ('same@one.example', 'none@one.example')`);
  await until('all are counted', async () => (await results(cid)).every(([, all, sent]) => all === sent));
  assert.deepEqual(await results(cid), [
    ['', 2, 2, 1, 1],
    ['de', 2, 2, 1, 1],
    ['pt-br', 1, 1, 0, 0],
  ]);
});

test('a contact that changes its language gets the next email in the new one, a copy in that of the first', async () => {
  const { list, cid, id } = await welcome();
  await launched(cid);
  await call('automationUpdate', { id, reentry: { again: true } });
  await call('automationStart', { id });
  await join(list, { 'eva@two.example': 'de' });
  await settle();
  await received('eva@two.example');
  await speak('eva@two.example', 'pt-br');
  await until('the outcome is written', async () => {
    const rows = await app.app.db.rows(sql`select from delivery where campaign_id = ${parseId(cid)} and state = 2`);
    return rows.length > 0;
  });
  // As after a crash in which it may have been sent: its owner has a copy sent.
  await app.app.db.run(sql`update delivery set state = 6, reason = null where campaign_id = ${parseId(cid)}`);
  await app.app.db.run(sql`
    update tally set accepted = accepted - 1, unclear = unclear + 1
    where ctid = (select ctid from tally where campaign_id = ${parseId(cid)} and accepted > 0 limit 1)`);
  await call('campaignResolve', { cid, action: 'resend' });
  await received('eva@two.example', 2);
  await call('listUnsubscribe', { id: list, email_address: 'eva@two.example', send_goodbye: false });
  await settle();
  await call('listSubscribe', { id: list, email_address: 'eva@two.example', double_optin: false });
  await speak('eva@two.example', 'pt-br');
  await settle();
  await received('eva@two.example', 3);
  const [first, copy, next] = await subjects('eva@two.example');
  assert.match(first!, /^Hallo/);
  assert.match(copy!, /^Hallo/);
  assert.match(next!, /^Olá/);
});

test('the web version has the language of the recipient, also when the contact has another one and the email is deleted', async () => {
  const { list, cid } = await welcome();
  await launched(cid);
  await join(list, { 'web@three.example': 'de', 'plain@three.example': 'fr' });
  await settle();
  await received('web@three.example');
  await received('plain@three.example');
  await speak('web@three.example', '');
  const rows = await app.app.db.rows<{ seq: number; email: string }>(
    sql`select seq, email from delivery where campaign_id = ${parseId(cid)}`,
  );
  const of = (email: string) => ({
    account: app.account.id,
    campaign: parseId(cid),
    seq: rows.find((row) => row.email === email)!.seq,
  });
  const subjectOf = (found: { compiled: object } | undefined) => JSON.stringify(found!.compiled);
  assert.match(subjectOf(await campaignAndRecipient(app.app, of('web@three.example'))), /Hallo, reader/);
  assert.match(subjectOf(await campaignAndRecipient(app.app, of('plain@three.example'))), /Welcome, reader/);
  await until('the outcomes are written', async () => {
    const rows = await app.app.db.rows(
      sql`select from tally where campaign_id = ${parseId(cid)} having sum(accepted) = 2`,
    );
    return rows.length > 0;
  });
  await call('campaignDelete', { cid });
  const german = async () => subjectOf(await formerRecipient(app.app, of('web@three.example')));
  assert.match(await german(), /Hallo, reader/);
  await purgeCampaign(
    { app: app.app, log: app.app.log, signal: new AbortController().signal } as never,
    { account_id: app.account.id, campaign_id: parseId(cid) } as never,
  );
  assert.match(await german(), /Hallo, reader/);
  assert.match(subjectOf(await formerRecipient(app.app, of('plain@three.example'))), /Welcome, reader/);
});

test('an autoresponder has versions, before and after it becomes one, and its copies have them', async () => {
  const list = await call<string>('listCreate', { title: 'Members' });
  const cid = await aCampaign(app, {
    to: list,
    type: 'auto',
    type_opts: { 'offset-units': 'day', 'offset-time': '1', 'offset-dir': 'after', event: 'signup' },
  });
  await version(cid, 'de', 'Hallo');
  await call('campaignUpdate', { cid, name: 'type', value: 'HTML' });
  await version(cid, 'fr', 'Salut');
  await call('campaignUpdate', { cid, name: 'type', value: 'auto' });
  const copy = await call<string>('campaignReplicate', { cid });
  assert.deepEqual(
    (await call<Shown[]>('campaignLanguages', { cid: copy })).map(({ language }) => language),
    ['', 'de', 'fr'],
  );
  assert.match((await call<{ subject: string }>('campaignPreview', { cid, variant: 2 })).subject, /^Salut/);
  await call('campaignSendNow', { cid });
  await launched(cid);
  await join(list, { 'de@four.example': 'de', 'fr@four.example': 'fr_CH', 'it@four.example': 'it' });
  await app.app.db.run(sql`
    update subscription set optin_at = now() - interval '23 hours', confirm_at = null, changed_at = now() where list_id = ${parseId(list)}`);
  await planned(cid, 3);
  await app.app.db.run(sql`
    update occasion_plan set changed_from = now() - interval '1 hour', look_at = now() where campaign_id = ${parseId(cid)}`);
  await speak('it@four.example', 'de');
  await planOccasions(app.app.db, 3_600_000);
  assert.deepEqual(await languagesIn(cid), { de: 'de', fr: 'fr', it: null });
  // No one has it yet: paused, it is changed and frozen again.
  await call('campaignPause', { cid });
  await version(cid, 'it', 'Ciao');
  await call('campaignLanguageDelete', { cid, language: 'de' });
  await speak('it@four.example', 'it');
  await call('campaignResume', { cid });
  await launched(cid);
  await planned(cid, 3);
  assert.deepEqual(await languagesIn(cid), { de: null, fr: 'fr', it: 'it' });
  // A fail-over has lost two rows: they are made again, by the languages of today.
  await speak('it@four.example', 'fr');
  await app.app.db.run(sql`delete from delivery where campaign_id = ${parseId(cid)} and language is not null`);
  await planned(cid, 3);
  assert.deepEqual(await languagesIn(cid), { de: null, fr: 'fr', it: 'fr' });
});

test('a start keeps the versions, and refuses one that says nothing or a draft with an A/B test', async () => {
  const list = await call<string>('listCreate', { title: 'Start' });
  const cid = await call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome, reader' });
  await version(cid, 'de', 'Hallo');
  await call('campaignLanguageUpdate', { cid, language: 'fr', subject: 'Salut', html: '<p> </p><br>' });
  const id = await call<string>('automationCreate', { title: 'Start', list });
  const steps = [{ key: 'mail', type: 'send', campaign: cid }];
  await call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
  await assert.rejects(call('automationStart', { id }), /the version fr of the email "Welcome" is not written yet/);
  await version(cid, 'fr', 'Salut');
  await call('automationStart', { id });
  assert.equal((await call<Shown[]>('campaignLanguages', { cid })).length, 3);
  const { languages } = await call<{ languages: object }>('automationGet', { id });
  assert.deepEqual(languages, { [cid]: ['de', 'fr'] });
  const tested = await aCampaign(app, { to: list });
  await call('campaignTestUpdate', { cid: tested, variants: [{ subject: 'Another' }] });
  await call('automationUpdate', { id, steps: [{ key: 'mail', type: 'send', campaign: tested }] });
  await assert.rejects(call('automationStart', { id }), /A\/B/);
});

test('a contact that leaves or is erased while it is queued is counted for its version', async () => {
  const { list, cid } = await welcome();
  await join(list, { 'left@five.example': 'de', 'erased@five.example': 'pt-br', 'stays@five.example': 'de' });
  await settle();
  await call('listUnsubscribe', { id: list, email_address: 'left@five.example', send_goodbye: false });
  await call('contactErase', { email: 'erased@five.example' });
  await launched(cid);
  await received('stays@five.example');
  await until('all have an outcome', async () => {
    const waiting = sql`select from delivery where campaign_id = ${parseId(cid)} and state in (0, 1)`;
    return (await app.app.db.rows(waiting)).length === 0;
  });
  assert.deepEqual(await results(cid), [
    ['', 0, 0, 0, 0],
    ['de', 2, 1, 0, 0],
    ['pt-br', 1, 0, 0, 0],
  ]);
});

test('the eighth version is previewed and tested like the first', async () => {
  const list = await call<string>('listCreate', { title: 'Many' });
  const cid = await call<string>('automationEmailCreate', { list, subject: 'Welcome', text: 'Welcome, reader' });
  for (const [at, language] of ['it', 'fr', 'nl', 'pl', 'da', 'de', 'sv', 'fi'].entries())
    await version(cid, language, `Word ${at}`);
  assert.match((await call<{ subject: string }>('campaignPreview', { cid, variant: 8 })).subject, /^Word 7/);
  const tested = (variant: number) => call('campaignSendTest', { cid, test_emails: ['me@six.example'], variant });
  assert.equal(await tested(8), true);
  await assert.rejects(tested(9), { fault: 'INVALID_PARAMETER' });
});
