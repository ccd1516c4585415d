// A campaign with too many hard bounces or complaints is paused while it is being sent, once for each reason, if its account wants that.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { onBehalf } from '../../accounts/account/system-context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { recordBounces, recordComplaint } from '../../returned/record/record.ts';
import { takeBack } from '../ledger/take-back.ts';
import { watchCampaign } from './watch.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await listOf(app, ['a@gmail.com', 'b@yahoo.de', 'c@example.com']);
});
after(() => app.close());

const setting = (value: 'warn' | 'pause') => app.call('accountUpdate', { name: 'reputation', value });

/** A campaign that is being sent and of which so many messages were accepted. */
async function sending(accepted: number, options: Record<string, unknown> = {}) {
  const campaign = await launchedTo(app, list, undefined, options);
  await app.app.db.run(sql`
    update tally
    set recipients = ${accepted}, queued = 0, accepted = ${accepted}
    where campaign_id = ${campaign}`);
  return { account: app.account.id, campaign };
}
type Of = Awaited<ReturnType<typeof sending>>;

const watch = (of: Of, counts: Parameters<typeof watchCampaign>[2]) =>
  app.app.db.transaction((tx) => watchCampaign(tx, of, counts));

type Progress = { delivery_status: string; status_reason: string; too_many: string };
const progressOf = ({ campaign }: Of) => app.call<Progress>('campaignProgress', { cid: formatId(campaign) });
const statusOf = async (of: Of) => (await progressOf(of)).delivery_status;

const notices = async (): Promise<number> =>
  (await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'sendAccountNotice'`))!.count;

test('it is paused at 5 % hard bounces, says why in the report and on Home, and continues when it is resumed', async () => {
  await setting('pause');
  const of = await sending(476);
  assert.equal(await watch(of, { refused: 24 }), false);
  const before = await notices();
  assert.equal(await watch(of, { returned: 1 }), true);
  assert.equal(await notices(), before + 1, 'the owner gets an email');
  const { delivery_status, status_reason, too_many } = await progressOf(of);
  assert.equal(delivery_status, 'paused');
  assert.equal(too_many, 'bounces');
  assert.match(status_reason, /^25 of its 500 messages so far are hard bounces: 5 % or more/);
  type Home = { attention: { kind: string; id: string; detail: string }[] };
  const { attention } = await app.call<Home>('homeSummary');
  const shown = attention.find(({ kind, id }) => kind === 'campaign' && id === formatId(of.campaign));
  assert.match(shown!.detail, /25 of its 500/);
  await app.call('campaignResume', { cid: formatId(of.campaign) });
  assert.equal(await watch(of, { refused: 20 }), false, 'not for the same again');
  assert.equal(await statusOf(of), 'sending');
  await app.app.db.run(sql`update tally set recipients = 600, accepted = 600 where campaign_id = ${of.campaign}`);
  assert.equal(await watch(of, { complaints: 5 }), true, 'for the other reason it is');
  assert.equal((await progressOf(of)).too_many, 'complaints');
});

test('a person who resumes it may have it watched again: only what comes later counts then', async () => {
  await setting('pause');
  const of = await sending(600);
  assert.equal(await watch(of, { refused: 60 }), true);
  await app.call('campaignResume', { cid: formatId(of.campaign), watch_again: true });
  assert.equal(await watch(of, { refused: 30 }), false, 'of messages since then there are too few');
  await app.app.db.run(sql`
    update tally set recipients = 1100, accepted = 1100 where campaign_id = ${of.campaign}`);
  assert.equal(await watch(of, { refused: 1 }), true, '31 of 531');
});

test('without the setting, when paused by hand, sent, or without an end, it is not paused', async () => {
  await setting('warn');
  const warned = await sending(600);
  assert.equal(await watch(warned, { refused: 60, complaints: 50 }), false);
  assert.equal(await statusOf(warned), 'sending');
  await setting('pause');
  assert.equal(await watch(warned, { refused: 1 }), true, 'the setting counts from the next bounce on');
  const paused = await sending(600);
  await app.call('campaignPause', { cid: formatId(paused.campaign) });
  assert.equal(await watch(paused, { refused: 60 }), false);
  assert.match((await progressOf(paused)).status_reason, /^paused/);
  const sent = await sending(600);
  await app.app.db.run(sql`update campaign set status = 'sent' where id = ${sent.campaign}`);
  assert.equal(await watch(sent, { complaints: 60 }), false);
  const auto = await sending(600, { type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': 1 } });
  assert.equal(await watch(auto, { refused: 60 }), false);
  assert.equal(await statusOf(auto), 'sending');
});

test('of many transactions that count at the same time one pauses it', async () => {
  await setting('pause');
  const of = await sending(481);
  const before = await notices();
  const paused = await Promise.all(Array.from({ length: 20 }, () => watch(of, { refused: 2 })));
  assert.equal(paused.filter(Boolean).length, 1);
  assert.equal(await notices(), before + 1);
  const row = await app.app.db.row<{ refused: number }>(sql`
    select refused from campaign_watch where campaign_id = ${of.campaign}`);
  assert.equal(row!.refused, 40, 'each counted');
});

test('a transaction that is rolled back counts nothing and pauses nothing', async () => {
  await setting('pause');
  const of = await sending(600);
  await assert.rejects(
    app.app.db.transaction(async (tx) => {
      assert.equal(await watchCampaign(tx, of, { refused: 60 }), true);
      throw new Error('the worker is killed');
    }),
  );
  assert.equal(await statusOf(of), 'sending');
  assert.equal(await watch(of, { refused: 10 }), false);
});

type Day = { provider: string; accepted: number; refused: number; returned: number; complaints: number };
const days = () =>
  app.app.db.rows<Day>(sql`
    select provider, sum(accepted)::int as accepted, sum(refused)::int as refused, sum(returned)::int as returned,
      sum(complaints)::int as complaints
    from sending_day
    where account_id = ${app.account.id}
    group by provider
    order by provider`);

test('a notice counts once, also when the relay refused the message before; refusals that are taken back count no more', async () => {
  await app.app.db.run(sql`delete from sending_day`);
  const campaign = await launchedTo(app, list);
  const of = { account: app.account.id, campaign };
  const rows = await app.app.db.rows<{ seq: number; contact: number; list: number; email: string }>(sql`
    select seq, contact_id as contact, list_id as list, email from delivery where campaign_id = ${campaign} order by email`);
  const [a, b, c] = rows;
  const settle = (seq: number, state: keyof typeof states) =>
    app.app.db.run(sql`
      update delivery set state = ${states[state]}, reason = ${state === 'failed' ? 'hard' : null} where campaign_id = ${campaign} and seq = ${seq}`);
  await settle(a!.seq, 'accepted');
  await settle(b!.seq, 'failed');
  await settle(c!.seq, 'failed');
  await app.app.db.run(sql`
    update tally set queued = 0, accepted = 1, failed = 2 where campaign_id = ${campaign}`);
  const bounce = (row: NonNullable<typeof a>, state: keyof typeof states) => ({
    ids: { account: of.account, campaign, seq: row.seq },
    mail: { ...row, state: states[state], single: false },
    class: 'hard' as const,
    code: 550,
    reply: '5.1.1 no such user',
  });
  const record = (bounces: ReturnType<typeof bounce>[]) =>
    onBehalf(app.app, of.account, '', (context) => recordBounces(context, bounces));
  await record([bounce(a!, 'accepted'), bounce(b!, 'failed')]);
  await record([bounce(a!, 'accepted')]);
  const complain = () =>
    onBehalf(app.app, of.account, '', (context) =>
      recordComplaint(
        context,
        { account: of.account, campaign, seq: a!.seq },
        { ...a!, state: states.accepted, single: false },
        'abuse',
        '',
      ),
    );
  assert.equal(await complain(), true);
  assert.equal(await complain(), false);
  assert.deepEqual(await days(), [{ provider: 'gmail', accepted: 0, refused: 0, returned: 1, complaints: 1 }]);
  const watched = () =>
    app.app.db.row(sql`select refused, returned, complaints from campaign_watch where campaign_id = ${campaign}`);
  assert.deepEqual(await watched(), { refused: 0, returned: 1, complaints: 1 });
  await watch(of, { refused: 2 });
  await app.app.db.transaction((tx) => takeBack(tx, of, [b!.seq, c!.seq], 0));
  assert.deepEqual(await watched(), { refused: 0, returned: 1, complaints: 1 });
  assert.deepEqual(
    (await days()).map(({ provider, refused }) => [provider, refused]),
    [
      ['gmail', 0],
      ['other', -1],
      ['yahoo', -1],
    ],
  );
});
