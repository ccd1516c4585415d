// The audience of a large campaign is frozen in portions while its first messages leave: it is the same audience, with one number for
// each recipient, whatever happens between two portions.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { draftWithTest } from '../../../test/support/delivery/ab-test.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { finishMissed } from '../outcomes/finish.ts';
import { doubtDue } from '../recovery/failover.ts';
import { redo } from '../recovery/redo.ts';
import { takeChunk } from '../sending/lease.ts';
import { launch, launchCampaign } from './launch.ts';
import { nextSize, portionSizes } from './portion.ts';
import { requeueLaunches } from './requeue.ts';

/** Portions of these tests: three members at first, four at most. */
const small = { first: 3, most: 4, whole: 3 };
const ending = AbortSignal.abort();

let t: TestApp;
let worker: number;
before(async () => {
  t = await testApp();
  await t.app.db.run(sql`
    insert into webhook (account_id, title, url, events) values (${t.account.id}, 'All', 'https://example.com/', '{campaign.*}')`);
  const row = await t.app.db.row<{ id: number }>(
    sql`insert into worker (host, boot_id, pid, journal) values ('here', 'b', 1, '') returning id`,
  );
  worker = row!.id;
});
after(() => t.close());

const keyOf = (cid: string): CampaignKey => ({ account: t.account.id, campaign: parseId(cid) });

/** Launches a campaign and freezes the first two portions, then the next one with each call. */
async function freezeSome(cid: string): Promise<void> {
  await assert.rejects(launch(t.app, keyOf(cid), { sizes: small, signal: ending }), /continues/);
}
const freezeAll = (cid: string) => launch(t.app, keyOf(cid), { sizes: small });

async function sendNow(cid: string): Promise<string> {
  await t.call('campaignSendNow', { cid });
  return cid;
}
const sentTo = async (list: string, options: Record<string, unknown> = {}) =>
  sendNow(await aCampaign(t, { to: list, ...options }));

type Progress = {
  recipients: number;
  recipients_complete: boolean;
  queued: number;
  unclear: number;
  skipped: number;
  delivery_status: string;
  finish_at: string;
  excluded: Record<string, number>;
};
const progressOf = (cid: string) => t.call<Progress>('campaignProgress', { cid });

const rowsOf = (cid: string) =>
  t.app.db.rows<{ seq: number; email: string; due: string }>(sql`
    select seq, email, due_at::text as due from delivery where campaign_id = ${parseId(cid)} order by seq`);
const emailsOf = async (cid: string) => (await rowsOf(cid)).map(({ email }) => email).sort();

/** The numbers that chunks have, in ascending order. */
async function chunkedOf(cid: string): Promise<number[]> {
  const rows = await t.app.db.rows<{ seq: number }>(sql`
    select generate_series(from_seq, to_seq) as seq from chunk where campaign_id = ${parseId(cid)} order by 1`);
  return rows.map(({ seq }) => seq);
}
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** Every recipient has one number, is in one chunk and is counted. */
async function assertWhole(cid: string, emails: readonly string[]): Promise<void> {
  const rows = await rowsOf(cid);
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    upTo(emails.length),
  );
  assert.deepEqual(await emailsOf(cid), [...emails].sort());
  assert.deepEqual(await chunkedOf(cid), upTo(emails.length));
  const { recipients, queued, recipients_complete } = await progressOf(cid);
  assert.deepEqual([recipients, queued, recipients_complete], [emails.length, emails.length, true]);
}

/** The events of a campaign, as type and number of recipients. */
async function eventsOf(cid: string): Promise<unknown[]> {
  const rows = await t.app.db.rows<{ type: string; recipients: number | null }>(sql`
    select type, (payload ->> 'recipients')::int as recipients
    from webhook_event
    where payload ->> 'campaign' = ${cid}
    order by id`);
  return rows.map(({ type, recipients }) => (recipients === null ? type : `${type} ${recipients}`));
}

const isFreezing = async (cid: string) =>
  (await t.app.db.row(sql`select from freezing where campaign_id = ${parseId(cid)}`)) !== undefined;

test('an audience in portions is the one of a launch in one piece, with the same exclusions and times', async () => {
  const join = (id: string, email: string, merge_vars: Record<string, string> = {}) =>
    t.call('listSubscribe', { id, email_address: email, merge_vars, double_optin: false });
  const [letter, offers, customers] = await Promise.all(
    ['Letter', 'Offers', 'Customers'].map((title) => t.call<string>('listCreate', { title })),
  );
  const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York'];
  for (const [n, email] of people(16, 'good.example', 'part').entries()) {
    await join(letter!, email, { TIMEZONE: zones[n % 3]! });
    if (n % 3 === 0) await join(offers!, email);
    if (n % 5 === 0) await join(customers!, email);
  }
  for (const email of people(5, 'good.example', 'offers')) await join(offers!, email);
  await join(letter!, 'eve@example.org');
  await t.call('listUnsubscribe', {
    id: offers,
    email_address: people(5, 'good.example', 'offers')[1],
    send_goodbye: false,
  });
  await t.call('suppressedListSubscribe', { email_address: people(16, 'good.example', 'part')[7] });
  await t.app.db.run(sql`
    update contact set paused_until = now() + interval '1 day' where email = ${people(16, 'good.example', 'part')[8]!}`);
  const filter = [{ field: 'DOMAIN', condition: 'is', value: 'example.org' }];
  const segment = await t.call<string>('listSegmentCreate', { list: letter, title: 'Org', match: 'all', filter });
  const options = { list_id: [letter, offers], exclude_list_id: customers, exclude_segment_id: [segment] };
  for (const timed of [{}, { best_hour: true }]) {
    const whole = await sentTo(letter!, { ...options, ...timed });
    await launch(t.app, keyOf(whole));
    assert.equal(await isFreezing(whole), false);
    const parts = await sentTo(letter!, { ...options, ...timed });
    await freezeSome(parts);
    await freezeAll(parts);
    await assertWhole(parts, await emailsOf(whole));
    assert.deepEqual((await progressOf(parts)).excluded, (await progressOf(whole)).excluded);
    assert.deepEqual(Object.keys((await progressOf(parts)).excluded).sort(), [
      ...['duplicate', 'excluded_list', 'excluded_segment', 'paused', 'suppressed', 'unsubscribed'],
    ]);
  }
});

test('it is sent while it is frozen, and its figures and events say when it is complete', async () => {
  const emails = people(10, 'good.example', 'early');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  const early = await progressOf(cid);
  assert.deepEqual(
    [early.delivery_status, early.recipients, early.queued, early.recipients_complete, early.finish_at],
    ['sending', 6, 6, false, ''],
  );
  assert.deepEqual(await chunkedOf(cid), upTo(6));
  const leased = await takeChunk(t.app.db, worker, keyOf(cid));
  assert.ok(leased, 'a worker can take what there is');
  await t.app.db.run(sql`update chunk set state = 'waiting' where campaign_id = ${parseId(cid)}`);
  assert.deepEqual(await eventsOf(cid), []);
  const absent = await t.call<{ explanation: string }>('campaignExplain', { cid, email: emails[9]! });
  assert.match(absent.explanation, /still being recorded/);
  await freezeAll(cid);
  await assertWhole(cid, emails);
  assert.deepEqual(await eventsOf(cid), ['campaign.started 10']);
  await freezeAll(cid);
  assert.deepEqual(await eventsOf(cid), ['campaign.started 10'], 'a second run changes nothing');
});

test('when all recipients so far are sent to, it continues until its audience is complete', async () => {
  const emails = people(8, 'good.example', 'fast');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  const allSent = () =>
    t.app.db.transaction(async (tx) => {
      await tx.run(sql`update delivery set state = 2, done_at = now() where campaign_id = ${parseId(cid)}`);
      await tx.run(sql`delete from chunk where campaign_id = ${parseId(cid)}`);
      await tx.run(sql`update tally set accepted = recipients, queued = 0 where campaign_id = ${parseId(cid)}`);
    });
  await allSent();
  assert.equal(await finishMissed(t.app.db), 0);
  await freezeAll(cid);
  assert.equal((await progressOf(cid)).delivery_status, 'sending');
  await allSent();
  assert.equal(await finishMissed(t.app.db), 1);
  assert.deepEqual(await eventsOf(cid), ['campaign.started 8', 'campaign.sent']);
});

test('a contact that leaves before its portion is no recipient, nor is one that joins after the launch', async () => {
  const emails = people(12, 'good.example', 'while');
  const list = await listOf(t, emails);
  const cid = await sentTo(list);
  await freezeSome(cid);
  const [first] = await emailsOf(cid);
  const [left, suppressed, back] = emails.slice(9);
  await t.call('listUnsubscribe', { id: list, email_address: left, send_goodbye: false });
  await t.call('suppressedListSubscribe', { email_address: suppressed });
  const join = (email: string) => t.call('listSubscribe', { id: list, email_address: email, double_optin: false });
  await join('new@good.example');
  // As another contact: it may come after all that are there.
  await t.call('listUnsubscribe', { id: list, email_address: first, delete_member: true, send_goodbye: false });
  await t.app.db.run(sql`delete from contact where email = ${first!}`);
  await join(first!);
  await t.call('listUnsubscribe', { id: list, email_address: back, send_goodbye: false });
  await join(back!);
  await freezeAll(cid);
  await assertWhole(
    cid,
    emails.filter((email) => ![left, suppressed, back].includes(email)),
  );
  assert.deepEqual((await progressOf(cid)).excluded, { suppressed: 1, unsubscribed: 1 });
});

test('a clock that was set back makes no one a late joiner', async () => {
  const emails = people(9, 'good.example', 'clock');
  const list = await listOf(t, emails);
  await t.app.db.run(sql`
    update subscription set status_at = now() + interval '1 hour', signup_at = now() + interval '1 hour' where list_id = ${parseId(list)}`);
  await t.app.db.run(
    sql`update contact set created_at = now() + interval '1 hour' where email = any (${emails}::text[])`,
  );
  const cid = await sentTo(list);
  await freezeSome(cid);
  await freezeAll(cid);
  await assertWhole(cid, emails);
});

test('an A/B test and an account with a frequency limit are frozen in one portion', async () => {
  const draft = await draftWithTest(t, people(20, 'good.example', 'variant'), { variants: 2, share: 40 });
  await sendNow(draft);
  await freezeAll(draft);
  const divided = await t.app.db.row<{ size: number }>(sql`
    select test_size as size from campaign_test where campaign_id = ${parseId(draft)}`);
  assert.equal(divided!.size, 8);
  assert.deepEqual(await chunkedOf(draft), upTo(8));
  assert.deepEqual(await eventsOf(draft), ['campaign.started 20']);
  const limited = await sentTo(await listOf(t, people(9, 'good.example', 'limit')));
  await t.call('accountUpdate', { name: 'frequency_cap', value: '5:7' });
  await launch(t.app, keyOf(limited), { sizes: small, signal: ending });
  await t.call('accountUpdate', { name: 'frequency_cap', value: '' });
  assert.equal((await progressOf(limited)).recipients, 9);
});

test('each recipient gets the version of its language, and the hash of the content changes with every portion', async () => {
  const emails = people(11, 'good.example', 'tongue');
  const list = await listOf(t, emails);
  await t.app.db.run(sql`
    update contact set language = (array['de', 'fr', 'en'])[1 + id % 3] where email = any (${emails}::text[])`);
  const cid = await aCampaign(t, { to: list });
  for (const language of ['de', 'fr'])
    await t.call('campaignLanguageUpdate', {
      cid,
      language,
      subject: language,
      html: `<p>${language}</p><p><a href="*|UNSUB|*">x</a></p>`,
    });
  await sendNow(cid);
  const hashes = new Set<string>();
  const note = async () => {
    const row = await t.app.db.row<{ hash: string }>(sql`
      select string_agg(content_hash, ' ' order by variant) as hash from frozen_content where campaign_id = ${parseId(cid)}`);
    hashes.add(row!.hash);
  };
  await freezeSome(cid);
  await note();
  while (await isFreezing(cid)) {
    await launch(t.app, keyOf(cid), { sizes: small, signal: ending }).catch(() => {});
    await note();
  }
  assert.ok(hashes.size >= 3, `${hashes.size} hashes`);
  const wrong = await t.app.db.rows(sql`
    select d.email, c.language, f.language as version
    from delivery d
    join contact c on c.account_id = d.account_id and c.id = d.contact_id
    left join frozen_content f on f.campaign_id = d.campaign_id and d.seq <@ f.recipients
    where d.campaign_id = ${parseId(cid)}
      and f.language is distinct from case c.language when 'en' then '' else c.language end`);
  assert.deepEqual(wrong, []);
  await assertWhole(cid, emails);
});

test('a paused campaign continues to freeze; resuming makes a job for it, and so does the safeguard', async () => {
  const emails = people(14, 'good.example', 'pause');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  await t.call('campaignPause', { cid });
  await freezeSome(cid);
  assert.equal((await progressOf(cid)).recipients, 9);
  const jobsOf = async () => {
    const row = await t.app.db.row<{ count: number }>(sql`
      with gone as (
        delete from graphile_worker._private_jobs j
        using graphile_worker._private_tasks k
        where k.id = j.task_id and k.identifier = 'launchCampaign' and (j.payload ->> 'campaign_id')::int = ${parseId(cid)}
        returning j.id
      )
      select count(*)::int as count from gone`);
    return row!.count;
  };
  await jobsOf();
  await t.call('campaignResume', { cid });
  assert.equal(await jobsOf(), 1);
  const context = { app: t.app, log: t.app.log, signal: new AbortController().signal };
  await requeueLaunches(context);
  assert.equal(await jobsOf(), 0, 'not at once');
  await t.app.db.run(sql`update campaign set changed_at = now() - interval '6 minutes' where id = ${parseId(cid)}`);
  await requeueLaunches(context);
  assert.equal(await jobsOf(), 1);
  await launchCampaign(context, { account_id: t.account.id, campaign_id: parseId(cid) });
  await assertWhole(cid, emails);
});

test('a change before anyone received it forgets the portions, and resuming launches it again', async () => {
  const emails = people(10, 'good.example', 'change');
  const list = await listOf(t, emails);
  const cid = await sentTo(list);
  await freezeSome(cid);
  await t.call('campaignPause', { cid });
  await t.call('campaignUpdate', { cid, name: 'subject', value: 'Other news' });
  assert.equal(await isFreezing(cid), false);
  assert.deepEqual(await rowsOf(cid), []);
  await t.call('campaignResume', { cid });
  await freezeSome(cid);
  await freezeAll(cid);
  await assertWhole(cid, emails);
});

test('a corrected text is published when the audience is complete', async () => {
  const emails = people(10, 'good.example', 'correct');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  await t.app.db.run(sql`update tally set accepted = 1, queued = queued - 1 where campaign_id = ${parseId(cid)}`);
  await t.app.db.run(
    sql`update delivery set state = 2, attempts = 1, done_at = now() where campaign_id = ${parseId(cid)} and seq = 1`,
  );
  await t.call('campaignPause', { cid });
  await t.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected news' });
  await t.call('campaignResume', { cid });
  await freezeAll(cid);
  const got = await t.app.db.rows<{ variant: number; recipients: string | null }>(sql`
    select variant, recipients::text as recipients from frozen_content where campaign_id = ${parseId(cid)} order by variant`);
  assert.equal(got.length, 2);
  assert.equal(got[1]!.recipients, '{[2,)}');
  assert.equal(await isFreezing(cid), false);
});

test('a stopped campaign has the recipients of the portions so far, and a deleted one none', async () => {
  const cid = await sentTo(await listOf(t, people(12, 'good.example', 'stop')));
  await freezeSome(cid);
  await t.call('campaignPause', { cid });
  assert.equal(await t.call('campaignStop', { cid }), 6);
  await freezeAll(cid);
  const { recipients, skipped, delivery_status, recipients_complete } = await progressOf(cid);
  assert.deepEqual([recipients, skipped, delivery_status, recipients_complete], [6, 6, 'sent', true]);
  assert.deepEqual(await eventsOf(cid), ['campaign.paused', 'campaign.started 6', 'campaign.sent']);

  const deleted = await sentTo(await listOf(t, people(12, 'good.example', 'delete')));
  await freezeSome(deleted);
  await t.call('campaignDelete', { cid: deleted });
  await freezeAll(deleted);
  assert.equal((await rowsOf(deleted)).length, 6, 'those that the task will delete');
  await assert.rejects(progressOf(deleted), (error) => error instanceof Fault);
});

test('the pause, deletion and portions of two processes wait for each other or pass each other', async () => {
  const emails = people(30, 'good.example', 'two');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  await Promise.all([freezeAll(cid), freezeAll(cid), t.call('campaignPause', { cid }), freezeAll(cid)]);
  await t.call('campaignResume', { cid });
  await assertWhole(cid, emails);
  assert.deepEqual(await eventsOf(cid).then((all) => all.filter((one) => String(one).startsWith('campaign.started'))), [
    'campaign.started 30',
  ]);
});

test('a portion does not wait for the pause of its campaign, nor the pause for the portion', async () => {
  const cid = await sentTo(await listOf(t, people(10, 'good.example', 'free')));
  await freezeSome(cid);
  const portion = await t.app.db.pool.connect();
  try {
    await portion.query('begin; set local idle_in_transaction_session_timeout = 0');
    await portion.query(`select from campaign where id = ${parseId(cid)} for key share`);
    await portion.query(`select from freezing where campaign_id = ${parseId(cid)} for update`);
    // A wait would end with the test.
    await t.call('campaignPause', { cid });
    await t.call('campaignResume', { cid });
    await t.app.db.transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '1s'`);
      const { finishIfDone } = await import('../outcomes/finish.ts');
      assert.equal(await finishIfDone(tx, keyOf(cid)), false);
    });
  } finally {
    await portion.query('rollback');
    portion.release();
  }
});

test('F19 what a fail-over has lost of a later portion is redone when that is frozen again', async () => {
  const emails = people(12, 'good.example', 'lost');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  const contacts = await t.app.db.rows<{ contact: number; email: string }>(sql`
    select c.id as contact, c.email
    from contact c
    where c.email = any (${emails}::text[])
      and not exists (select from delivery d where d.campaign_id = ${parseId(cid)} and d.contact_id = c.id)
    order by c.id`);
  const last = contacts.at(-1)!;
  const entry = {
    attempt: { ...keyOf(cid), seq: 2, contact: last.contact, attempts: 1, resent: 0 },
    trace: { kind: 'outcome', verdict: { kind: 'accepted', code: 250, text: 'OK' } } as const,
  };
  assert.deepEqual(await redo(t.app, worker, [entry]), { outcomes: 0, unclear: 0, lost: 1 });
  await freezeSome(cid);
  await freezeAll(cid);
  const got = await t.app.db.row<{ state: number }>(sql`
    select state from delivery where campaign_id = ${parseId(cid)} and contact_id = ${last.contact}`);
  assert.equal(got!.state, 2);
  const left = await t.app.db.rows(sql`select from lost_attempt where campaign_id = ${parseId(cid)}`);
  assert.equal(left.length, 0);
  const { recipients, queued } = await progressOf(cid);
  assert.deepEqual([recipients, queued], [12, 11]);
});

test('F19 with an absent machine, recipients of all further portions are unclear from the start', async () => {
  const emails = people(12, 'good.example', 'doubt');
  const cid = await sentTo(await listOf(t, emails));
  await freezeSome(cid);
  await doubtDue(t.app, worker, sql`interval '15 minutes'`);
  await freezeSome(cid);
  await freezeAll(cid);
  const { recipients, unclear, queued } = await progressOf(cid);
  assert.deepEqual([recipients, unclear, queued], [12, 12, 0]);
});

test('portions grow while they are short, and shrink when they take long', () => {
  assert.equal(nextSize(5_000, 100), 10_000);
  assert.equal(nextSize(50_000, 2_000), 50_000);
  assert.equal(nextSize(100_000, 4_000), 50_000);
  assert.equal(nextSize(portionSizes.most, 10), portionSizes.most);
  assert.equal(nextSize(portionSizes.first, 60_000), portionSizes.first);
});

test('those who are sent to by their clocks have the time of the launch, whenever they are frozen', async () => {
  const emails = people(9, 'good.example', 'zone');
  const list = await listOf(t, emails);
  await t.app.db.run(sql`
    update contact set time_zone = (array['Asia/Tokyo', 'Europe/Berlin', ''])[1 + (id % 3)] where email = any (${emails}::text[])`);
  const launched = async () => {
    const cid = await aCampaign(t, { to: list, time_match: true });
    await t.app.db.run(sql`
      update campaign
      set status = 'launching', schedule_at = date_trunc('day', now()) + interval '30 hours', match_at = now()
      where id = ${parseId(cid)}`);
    return cid;
  };
  const whole = await launched();
  await launch(t.app, keyOf(whole));
  const parts = await launched();
  await freezeSome(parts);
  await freezeAll(parts);
  // After 21:00 the time of those in Tokyo has passed: all of them have that of the launch.
  const timesOf = async (cid: string) => {
    const rows = await rowsOf(cid);
    const isPast = (due: string) => Date.parse(`${due.replace(' ', 'T')}:00`) < Date.now();
    assert.ok(new Set(rows.map(({ due }) => due).filter(isPast)).size <= 1, JSON.stringify(rows));
    return Object.fromEntries(rows.map(({ email, due }) => [email, isPast(due) ? 'at the launch' : due]));
  };
  assert.deepEqual(await timesOf(parts), await timesOf(whole));
  assert.ok(new Set(Object.values(await timesOf(parts))).size > 1);
  assert.equal(formatId(parseId(parts)), parts);
});
