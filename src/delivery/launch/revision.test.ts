// Corrections of what is running, cell by cell of the table in docs/flows.md: who gets which text, what is refused, and what of it
// a crash, a pause, a stop, a deletion and a lost member leave.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { until } from '../../../test/support/run/until.ts';
import { runAutomations } from '../../automations/run/engine.ts';
import { doubtWaiting } from '../../backup/release.ts';
import { frozenOfRecipient } from '../../campaigns/model/variant.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { startInbox } from '../../inbox/inbox.ts';
import { campaignAndRecipient } from '../../pages/recipient.ts';
import { keepReport } from '../../tracking/reports/kept.ts';
import { purgeCampaign } from '../control/purge.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { takeChunk } from '../sending/lease.ts';
import { startWorker } from '../worker.ts';
import { planOccasions } from './autoresponder-planner.ts';
import { launch } from './launch.ts';

let app: TestApp;
let stop: () => Promise<void>;
before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'revisions-'));
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
const key = (id: number) => ({ account: app.account.id, campaign: id });
const people = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}${n + 1}@revision.example`);
const change = (id: number, name: string, value: unknown) => call('campaignUpdate', { cid: formatId(id), name, value });
const pause = (id: number) => call('campaignPause', { cid: formatId(id) });
const resume = async (id: number) => {
  await call('campaignResume', { cid: formatId(id) });
  await launch(app.app, key(id));
};
const options = (id: number) =>
  call<{ can_change: boolean; can_correct: boolean; unpublished: boolean; revision: number; delivery_status: string }>(
    'campaignGet',
    { cid: formatId(id) },
  );
type Revision = { revision: number; by: string; published_at: string; recipients: number; sent: number };
const revisions = (id: number) => call<Revision[]>('campaignRevisions', { cid: formatId(id) });

/** The subject that each recipient gets, by number. */
async function subjects(id: number): Promise<string[]> {
  const rows = await app.app.db.rows<{ subject: string[] }>(sql`
    select f.compiled -> 'subject' as subject
    from delivery d
    join frozen_content f on f.account_id = d.account_id and f.campaign_id = d.campaign_id and f.variant = ${frozenOfRecipient(sql`d`)}
    where d.campaign_id = ${id}
    order by d.seq`);
  return rows.map(({ subject }) => subject.join(''));
}

/** Sets what became of queued recipients, in this order. @param from the number of the first one */
async function became(id: number, found: readonly (keyof typeof states)[], from = 1): Promise<void> {
  for (const [n, state] of found.entries())
    await app.app.db.run(sql`
      with changed as (
        update delivery
        set state = ${states[state]}, attempts = 1, first_at = now(), done_at = case when ${state} = 'accepted' then now() end
        where campaign_id = ${id} and seq = ${n + from}
      )
      update tally
      set queued = queued - 1, accepted = accepted + ${state === 'accepted' ? 1 : 0}, later = later + ${state === 'later' ? 1 : 0},
        unclear = unclear + ${state === 'unclear' ? 1 : 0}
      where campaign_id = ${id}`);
}

/** A paused campaign that the first recipients have got. */
async function reached(name: string, found: readonly (keyof typeof states)[] = ['accepted'], html?: string) {
  const id = await launchedTo(app, await listOf(app, people(name, 6)), html);
  await became(id, found);
  await pause(id);
  return id;
}

const stages = (id: number) =>
  app.app.db.row<{ status: string; rows: number }>(sql`
    select status, (select count(*)::int from frozen_content f where f.campaign_id = c.id) as rows
    from campaign c where id = ${id}`);

test('a test of a correction has the corrected text, before anyone gets it', async () => {
  const paused = await reached('tested');
  const autoresponder = await anAutoresponder(await listOf(app, []));
  for (const [n, id] of [paused, autoresponder].entries()) {
    await change(id, 'subject', `Corrected ${n}`);
    assert.equal(await call('campaignSendTest', { cid: formatId(id), test_emails: ['me@revision.example'] }), true);
  }
  await runWaitingJobs(app.app, 'sendTestMails');
  const tests = await app.app.db.rows<{ subject: string }>(sql`select subject from message where purpose = 'test'`);
  assert.deepEqual(tests.map(({ subject }) => subject).sort(), ['[Test] Corrected 0', '[Test] Corrected 1']);
  const gone = await launchedTo(app, await listOf(app, people('ended', 1)));
  await assert.rejects(call('campaignSendTest', { cid: formatId(gone), test_emails: ['me@revision.example'] }), {
    fault: 'CAMPAIGN_STATE_CONFLICT',
    message: /running/,
  });
});

test('of a paused campaign those whom no message was sent to get the corrected text', async () => {
  const id = await reached('rest', ['accepted', 'later', 'unclear', 'later']);
  // A copy was refused for now, and the first message may have arrived.
  await app.app.db.run(sql`update delivery set resent = 1 where campaign_id = ${id} and seq = 4`);
  assert.deepEqual(
    [(await options(id)).can_change, (await options(id)).can_correct, (await options(id)).unpublished],
    [false, true, false],
  );
  await change(id, 'subject', 'Corrected');
  assert.deepEqual(await subjects(id), Array(6).fill('News'), 'not before it is published');
  assert.equal((await options(id)).unpublished, true);
  await resume(id);
  const after = ['News', 'Corrected', 'News', 'News', 'Corrected', 'Corrected'];
  assert.deepEqual(await subjects(id), after);
  const { unpublished, revision, delivery_status } = await options(id);
  assert.deepEqual(
    { unpublished, revision, delivery_status },
    { unpublished: false, revision: 2, delivery_status: 'sending' },
  );
  assert.deepEqual(
    (await revisions(id)).map(({ revision, recipients, sent }) => [revision, recipients, sent]),
    [
      [1, 3, 1],
      [2, 3, 0],
    ],
  );
  // Another one takes only those who are left.
  await became(id, ['accepted'], 5);
  await pause(id);
  await change(id, 'html', '<p>Twice</p><p><a href="*|UNSUB|*">Leave</a></p>');
  await change(id, 'subject', 'Twice');
  await resume(id);
  const last = await subjects(id);
  assert.deepEqual(last, ['News', 'Twice', 'News', 'News', 'Corrected', 'Twice']);
  assert.equal(
    (await revisions(id)).reduce((sum, { recipients }) => sum + recipients, 0),
    6,
  );
});

test('a worker sends each its revision, the web version and the archive show it, and the links of both count', async () => {
  const link = (to: string) =>
    `<p><a href="https://example.com/${to}">x</a> <a href="https://example.com/both">y</a></p>`;
  const id = await reached('wire', ['accepted'], link('old'));
  await change(id, 'html', link('new'));
  await change(id, 'subject', 'Corrected');
  await resume(id);
  const worker = await startWorker(app.app, {});
  await until('the others are sent to', async () => {
    const row = await app.app.db.row<{ accepted: number }>(
      sql`select sum(accepted)::int as accepted from tally where campaign_id = ${id}`,
    );
    return row!.accepted === 6;
  });
  await worker.stop();
  const sent = await app.app.db.rows<{ source: Buffer }>(
    sql`select source from inbox_message where rcpt_to[1] like 'wire%'`,
  );
  assert.equal(sent.length, 5);
  for (const { source } of sent) assert.match(source.toString(), /^Subject: Corrected/m);
  assert.deepEqual(
    (await call<{ id: string; url: string }[]>('campaignClickStats', { cid: formatId(id) })).map(({ id, url }) => [
      id,
      url,
    ]),
    [
      ['1', 'https://example.com/old'],
      ['2', 'https://example.com/both'],
      ['3', 'https://example.com/new'],
    ],
  );
  const base = await app.listen();
  const archive = await call<{ archive_url: string }[]>('campaigns', { filters: { campaign_id: formatId(id) } });
  assert.match(
    await (await fetch(new URL(new URL(archive[0]!.archive_url).pathname, base))).text(),
    /example\.com\/new/,
  );
  const seen = async (seq: number) =>
    (await campaignAndRecipient(app.app, { ...key(id), seq } as never))!.compiled.subject.join('');
  assert.deepEqual([await seen(1), await seen(2)], ['News', 'Corrected']);
});

async function anAutoresponder(list: string): Promise<number> {
  const id = parseId(
    await aCampaign(app, {
      to: list,
      type: 'auto',
      type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
    }),
  );
  await call('campaignSendNow', { cid: formatId(id) });
  await launch(app.app, key(id));
  return id;
}

/** Adds contacts whose occasion is in an hour, and plans them. */
async function joined(
  list: string,
  id: number,
  emails: readonly string[],
  each: (email: string) => Promise<unknown> = async () => {},
): Promise<void> {
  for (const email_address of emails) await call('listSubscribe', { id: list, email_address, double_optin: false });
  for (const email of emails) await each(email);
  await app.app.db.run(sql`
    update subscription set signup_at = now() - interval '23 hours', optin_at = now() - interval '23 hours', confirm_at = null, changed_at = now()
    where contact_id in (select id from contact where email = any (${[...emails]}::text[]))`);
  await app.app.db.run(sql`update campaign set send_at = send_at - interval '2 days' where id = ${id}`);
  await app.app.db.run(
    sql`update occasion_plan set look_at = now(), changed_from = now() - interval '1 day' where campaign_id = ${id}`,
  );
  await until('they are planned', async () => {
    await planOccasions(app.app.db, 4 * 3_600_000);
    await app.app.db.run(sql`update occasion_plan set look_at = now() where campaign_id = ${id}`);
    const row = await app.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from delivery where campaign_id = ${id} and email = any (${[...emails]}::text[])`);
    return row!.count === emails.length;
  });
}

test('of an autoresponder that is sent those who are frozen keep their text, and the next get the new one', async () => {
  const list = await listOf(app, []);
  const id = await anAutoresponder(list);
  await joined(list, id, people('early', 2));
  assert.equal((await options(id)).can_correct, true);
  await assert.rejects(call('campaignRevisionCreate', { cid: formatId(id) }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await change(id, 'subject', 'Corrected');
  await joined(list, id, people('between', 1));
  await call('campaignRevisionCreate', { cid: formatId(id) });
  assert.equal((await options(id)).delivery_status, 'launching');
  await assert.rejects(call('campaignRevisionCreate', { cid: formatId(id) }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await assert.rejects(change(id, 'subject', 'Meanwhile'), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await launch(app.app, key(id));
  await launch(app.app, key(id));
  await joined(list, id, people('late', 2));
  assert.deepEqual(await subjects(id), ['News', 'News', 'News', 'Corrected', 'Corrected']);
  assert.deepEqual(
    (await revisions(id)).map(({ revision, recipients }) => [revision, recipients]),
    [
      [1, 3],
      [2, 2],
    ],
  );
  // Who waits in a paused one has not got it.
  await became(id, ['accepted']);
  await pause(id);
  await change(id, 'subject', 'For all');
  await resume(id);
  assert.deepEqual(await subjects(id), ['News', 'For all', 'For all', 'For all', 'For all']);
});

test('only texts can be corrected, and nothing of a campaign with an A/B test', async () => {
  const id = await reached('only');
  for (const [name, value] of [
    ['list_id', await listOf(app, people('other', 1))],
    ['sender', 'owner@example.com'],
    ['tracking', { opens: false }],
    ['inline_img', true],
    ['time_match', true],
    ['type', 'plain'],
  ] as const)
    await assert.rejects(change(id, name, value), (error: { fault: string; message: string }) => {
      assert.equal(error.fault, 'CAMPAIGN_STATE_CONFLICT', name);
      assert.match(error.message, new RegExp(`not ${name}; these can be changed: `));
      return true;
    });
  await assert.rejects(call('campaignAttachmentCreate', { cid: formatId(id), name: 'a.txt', content: 'eA==' }), {
    fault: 'CAMPAIGN_STATE_CONFLICT',
  });
  await assert.rejects(call('campaignTestUpdate', { cid: formatId(id), variants: [{ subject: 'B' }] }), {
    fault: 'CAMPAIGN_STATE_CONFLICT',
  });
  assert.equal((await options(id)).unpublished, false, 'a refused change leaves nothing behind');
  const cid = await aCampaign(app, { to: people('tested', 6) });
  await call('campaignTestUpdate', { cid, share: 100, variants: [{ subject: 'B' }] });
  await app.app.db.run(sql`update campaign set status = 'launching' where id = ${parseId(cid)}`);
  await launch(app.app, key(parseId(cid)));
  await became(parseId(cid), ['accepted']);
  await pause(parseId(cid));
  await assert.rejects(change(parseId(cid), 'subject', 'Corrected'), /with an A\/B test cannot be corrected/);
});

test('a language version that exists can be corrected, and who gets which version stays', async () => {
  const list = await listOf(app, people('speaks', 6));
  await app.app.db.run(
    sql`update contact set language = 'de' where email in ('speaks1@revision.example', 'speaks2@revision.example', 'speaks3@revision.example')`,
  );
  const cid = await aCampaign(app, { to: list });
  const german = (subject: string) =>
    call('campaignLanguageUpdate', { cid, language: 'de', subject, html: `<p>${subject}</p>` });
  await german('Neuigkeiten');
  const id = parseId(cid);
  await app.app.db.run(sql`update campaign set status = 'launching' where id = ${id}`);
  await launch(app.app, key(id));
  const before = await subjects(id);
  await became(id, ['accepted']);
  await pause(id);
  await german('Berichtigt');
  await assert.rejects(
    call('campaignLanguageUpdate', { cid, language: 'fr', subject: 'Salut', html: '<p>Salut</p>' }),
    /none can be added or removed/,
  );
  await assert.rejects(call('campaignLanguageDelete', { cid, language: 'de' }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await resume(id);
  const expected = before.map((subject, at) => (at > 0 && subject === 'Neuigkeiten' ? 'Berichtigt' : subject));
  assert.deepEqual(await subjects(id), expected);
  const sums = await call<{ language: string; recipients: number }[]>('campaignLanguages', { cid });
  assert.deepEqual(
    sums.map(({ language, recipients }) => [language, recipients]),
    [
      ['', 3],
      ['de', 3],
    ],
  );
});

test('recipients of an autoresponder keep language and revision, and the next get those of theirs', async () => {
  const list = await listOf(app, []);
  const cid = await aCampaign(app, {
    to: list,
    type: 'auto',
    type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
  });
  const german = (subject: string) =>
    call('campaignLanguageUpdate', { cid, language: 'de', subject, html: `<p>${subject}</p>` });
  await german('Neuigkeiten');
  await call('campaignSendNow', { cid });
  const id = parseId(cid);
  await launch(app.app, key(id));
  const [one, two, three, four] = people('polyglot', 4) as [string, string, string, string];
  const speak = (email: string) => app.app.db.run(sql`update contact set language = 'de' where email = ${email}`);
  await joined(list, id, [one]);
  await joined(list, id, [two], speak);
  await german('Berichtigt');
  await change(id, 'subject', 'Corrected');
  await call('campaignRevisionCreate', { cid });
  await launch(app.app, key(id));
  await joined(list, id, [three]);
  await joined(list, id, [four], speak);
  assert.deepEqual(await subjects(id), ['News', 'Neuigkeiten', 'Corrected', 'Berichtigt']);
  assert.deepEqual(
    (await revisions(id)).map(({ recipients }) => recipients),
    [2, 2],
  );
});

test('two editors of a correction do not overwrite each other', async () => {
  const id = await reached('editors');
  const edit = (value: string, editor: string, base_version: number) =>
    call('campaignUpdate', { cid: formatId(id), name: 'subject', value, editor, base_version });
  await edit('One', 'first', 0);
  await assert.rejects(edit('Two', 'second', 0), { fault: 'CAMPAIGN_CHANGED' });
});

test('a launch that dies before its commit leaves the old text, and the next one publishes', async () => {
  const id = await reached('crash');
  await change(id, 'subject', 'Corrected');
  await call('campaignResume', { cid: formatId(id) });
  await app.app.db.run(sql`
    create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`);
  await app.app.db.run(
    sql`create trigger refuse before insert on campaign_revision for each row execute function refuse()`,
  );
  await assert.rejects(launch(app.app, key(id)), /killed/);
  await app.app.db.run(sql`drop trigger refuse on campaign_revision`);
  assert.deepEqual(await stages(id), { status: 'launching', rows: 1 });
  assert.deepEqual(await subjects(id), Array(6).fill('News'));
  await launch(app.app, key(id));
  await launch(app.app, key(id));
  assert.deepEqual(await stages(id), { status: 'sending', rows: 2 });
});

test('paused while it is published, it publishes when it resumes', async () => {
  const id = await reached('paused');
  await change(id, 'subject', 'Corrected');
  await call('campaignResume', { cid: formatId(id) });
  await pause(id);
  await launch(app.app, key(id));
  assert.deepEqual(await stages(id), { status: 'paused', rows: 1 });
  await resume(id);
  assert.deepEqual((await subjects(id)).slice(0, 2), ['News', 'Corrected']);
});

test('stopped or deleted with an unpublished correction, what was sent stays as it was', async () => {
  const id = await reached('stopped');
  await change(id, 'subject', 'Corrected');
  await call('campaignStop', { cid: formatId(id) });
  assert.deepEqual(await stages(id), { status: 'sent', rows: 1 });
  const gone = await reached('deleted');
  await change(gone, 'subject', 'Corrected');
  await call('campaignResume', { cid: formatId(gone) });
  await call('campaignDelete', { cid: formatId(gone) });
  await launch(app.app, key(gone));
  await purgeCampaign(
    { app: app.app, log: app.app.log, signal: new AbortController().signal },
    {
      account_id: app.account.id,
      campaign_id: gone,
    },
  );
  const left = await app.app.db.row(sql`select from campaign_revision where campaign_id = ${gone}`);
  assert.equal(left, undefined);
});

test('a correction that cannot be sent any more pauses the campaign with the reason, and the old text stays', async () => {
  const id = await reached('unfit');
  await change(id, 'subject', 'Corrected');
  await app.app.db.run(sql`update account set may_send = false where id = ${app.account.id}`);
  await resume(id);
  await app.app.db.run(sql`update account set may_send = true where id = ${app.account.id}`);
  assert.deepEqual(await stages(id), { status: 'paused', rows: 1 });
  await resume(id);
  assert.deepEqual(await stages(id), { status: 'sending', rows: 2 });
});

test('the report keeps the figures of each revision when the recipients are deleted', async () => {
  const id = await reached('kept', ['accepted', 'accepted']);
  await change(id, 'subject', 'Corrected');
  await resume(id);
  const before = await revisions(id);
  await app.app.db.transaction(async (tx) => {
    const row = await tx.row<{ month: string }>(sql`select month::text from campaign where id = ${id}`);
    await keepReport(tx, { ...key(id), cid: formatId(id), month: row!.month });
    await tx.run(sql`delete from delivery where campaign_id = ${id}`);
  });
  assert.deepEqual(
    before.map(({ recipients, sent }) => [recipients, sent]),
    [
      [2, 2],
      [4, 0],
    ],
  );
  assert.deepEqual(await revisions(id), before);
});

test('a worker whose chunk was leased under an earlier revision marks nothing', async () => {
  const id = await launchedTo(app, await listOf(app, people('leased', 3)));
  const { db } = app.app;
  const worker = await db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid, journal) values ('here', 'b', 1, '') returning id`);
  const { chunk } = (await takeChunk(db, worker!.id, key(id)))!;
  await db.run(sql`update campaign set revision = 2 where id = ${id}`);
  const group = await db.transaction((tx) => markGroup(tx, chunk, worker!.id, 10, 3_600));
  assert.deepEqual(group, { marked: [], touched: 0, again: false, stopped: true });
  await db.run(sql`update campaign set revision = 1 where id = ${id}`);
  const again = await db.transaction((tx) => markGroup(tx, chunk, worker!.id, 10, 3_600));
  assert.equal(again!.marked.length, 3);
});

test('those in flight when a campaign is paused keep their text', async () => {
  const id = await launchedTo(app, await listOf(app, people('flying', 4)));
  const { db } = app.app;
  const worker = await db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid, journal) values ('here', 'b', 2, '') returning id`);
  await became(id, ['accepted']);
  const { chunk } = (await takeChunk(db, worker!.id, key(id)))!;
  await db.transaction((tx) => markGroup(tx, chunk, worker!.id, 2, 3_600));
  await pause(id);
  await change(id, 'subject', 'Corrected');
  await resume(id);
  assert.deepEqual(await subjects(id), ['News', 'News', 'News', 'Corrected']);
});

test('after a restore with `unclear` a campaign that was being published is paused, and publishes when it resumes', async () => {
  const id = await reached('restored');
  await change(id, 'subject', 'Corrected');
  await call('campaignResume', { cid: formatId(id) });
  await doubtWaiting(app.app, '2026-01-01');
  await launch(app.app, key(id));
  assert.deepEqual(await stages(id), { status: 'paused', rows: 1 });
  const states = await app.app.db.rows<{ state: number }>(
    sql`select distinct state from delivery where campaign_id = ${id}`,
  );
  assert.equal(states.length, 2, 'accepted, and all others unclear');
  await resume(id);
  assert.deepEqual(await stages(id), { status: 'sending', rows: 2 });
  assert.deepEqual(await subjects(id), Array(6).fill('News'), 'a copy is the same message');
});

async function emailOfAutomation(subject: string): Promise<{ automation: string; list: string; id: number }> {
  const list = await call<string>('listCreate', { title: subject });
  const cid = await call<string>('automationEmailCreate', { list, subject, text: 'Hello' });
  const automation = await call<string>('automationCreate', { title: subject, list });
  await call('automationUpdate', {
    id: automation,
    trigger: { type: 'subscribed' },
    steps: [{ key: 'mail', type: 'send', campaign: cid }],
  });
  await call('automationStart', { id: automation });
  await launch(app.app, key(parseId(cid)));
  return { automation, list, id: parseId(cid) };
}

const enter = async (list: string, emails: readonly string[]) => {
  for (const email_address of emails) await call('listSubscribe', { id: list, email_address, double_optin: false });
  while ((await runAutomations(app.app)) > 0);
};

test('the email of an automation is corrected for the next while it runs, and published by starting the automation again', async () => {
  const { automation, list, id } = await emailOfAutomation('Welcome');
  await enter(list, people('entered', 2));
  await change(id, 'subject', 'Corrected');
  await enter(list, people('still', 1));
  await call('automationStart', { id: automation });
  await enter(list, people('launching', 1));
  await launch(app.app, key(id));
  await enter(list, people('after', 1));
  assert.deepEqual(await subjects(id), ['Welcome', 'Welcome', 'Welcome', 'Welcome', 'Corrected']);
  assert.deepEqual(
    (await revisions(id)).map(({ recipients }) => recipients),
    [4, 1],
  );
  await call('automationStart', { id: automation });
  assert.equal((await options(id)).delivery_status, 'sending', 'nothing to publish');
});

test('an email of an automation for which someone is queued, but which no one has, can be corrected while it is paused', async () => {
  const { list, id } = await emailOfAutomation('Typo');
  await enter(list, people('queued', 1));
  await pause(id);
  await change(id, 'subject', 'No typo');
  await resume(id);
  assert.deepEqual(await subjects(id), ['No typo']);
});
