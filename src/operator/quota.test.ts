// The monthly quota with workers and a sink: what is counted, what waits, what continues, and that no account is ever over.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { Stage } from '../../test/support/delivery/stage.ts';
import { runWaitingJobs } from '../../test/support/run/jobs.ts';
import { until } from '../../test/support/run/until.ts';
import { lockQuota, sentThisMonth } from '../accounts/account/monthly-quota.ts';
import { createKey } from '../accounts/keys/key.ts';
import { watchQuotas } from '../accounts/notices/quota-notice.ts';
import { advance } from '../automations/run/advance.ts';
import { takeSignals } from '../automations/run/enter.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { call } from '../doors/call.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 2 });
});
after(() => stage.stop());
// The account of the stage is that of the operator: it sets its own limits here.
beforeEach(async () => {
  await stage.db.run(sql`delete from sent_count`);
  await setQuota(0);
});

const app = () => stage.engine.app;
const id = () => formatId(app().account.id);
const own = <T = unknown>(method: string, params: Record<string, unknown> = {}) => app().call<T>(method, params);
const setQuota = (monthly_quota: number) => own('accountLimitsUpdate', { account: id(), monthly_quota });
const used = async () =>
  (await stage.db.row<{ used: number }>(sql`
    select ${sentThisMonth(sql`a`)} as used from account a where id = ${app().account.id}`))!.used;
/** As if the present month were over. */
const turnMonth = () => stage.db.run(sql`update sent_count set month = month - interval '1 month'`);

let lists = 0;
const readers = (count: number, beginning = '') => {
  lists += 1;
  return Array.from({ length: count }, (_, n) => `${beginning}r${n}@list${lists}.example`);
};
const begin = async (emails: readonly string[]) => launchedTo(app(), await listOf(app(), emails));
const accepted = async (campaign: number) =>
  (await stage.engine.recipients(campaign)).filter(({ state }) => state === 'accepted').length;
const untilAccepted = (campaign: number, count: number) =>
  until(`${count} are accepted`, async () => (await accepted(campaign)) === count);
const progress = (campaign: number) =>
  own<{ waits_for: string; next_time: string }>('campaignProgress', { cid: formatId(campaign) });
/** Until nothing is on its way, and the rest waits for the quota. */
const untilWaiting = (campaign: number) =>
  until('it waits for the quota', async () => {
    const isWaiting = (await progress(campaign)).waits_for === 'monthly_quota';
    return isWaiting && (await stage.engine.recipients(campaign)).every(({ state }) => state !== 'trying');
  });

test('a campaign stops exactly at the quota, says why, and continues when the quota is raised', async () => {
  await setQuota(12);
  const campaign = await begin(readers(30));
  await untilWaiting(campaign);
  assert.deepEqual([await accepted(campaign), await used()], [12, 12]);
  const { next_time } = await progress(campaign);
  assert.match(next_time, /^\d{4}-\d{2}-01 00:00:00$/);
  const waiting = (await stage.engine.recipients(campaign)).find(({ state }) => state === 'queued')!;
  const explained = await own<{ explanation: string }>('campaignExplain', {
    cid: formatId(campaign),
    email: waiting.email,
  });
  assert.match(explained.explanation, /monthly quota/);
  const { attention } = await own<{ attention: { kind: string; count: number }[] }>('homeSummary');
  assert.deepEqual(
    attention.filter(({ kind }) => kind === 'quota').map(({ count }) => count),
    [100],
  );
  await setQuota(20);
  await untilAccepted(campaign, 20);
  await untilWaiting(campaign);
  assert.deepEqual([await accepted(campaign), await used()], [20, 20]);
  await setQuota(0);
  await stage.engine.untilStatus(campaign, 'sent');
  assert.equal(await used(), 30, 'counted without a quota too');
  await stage.check(campaign);
});

test('what waits continues automatically in the next month', async () => {
  await setQuota(5);
  const campaign = await begin(readers(8));
  await untilWaiting(campaign);
  await turnMonth();
  await stage.engine.untilStatus(campaign, 'sent');
  assert.equal(await used(), 3);
  await stage.check(campaign);
});

test('a quota that is lowered below what was sent stops at once, and two campaigns share what is left', async () => {
  const before = await begin(readers(6));
  await stage.engine.untilStatus(before, 'sent');
  await setQuota(4);
  const first = await begin(readers(5));
  await untilWaiting(first);
  assert.equal(await accepted(first), 0);
  await setQuota(14);
  const second = await begin(readers(9));
  await until('the quota is used', async () => (await used()) === 14);
  await until('all are written', async () => (await accepted(first)) + (await accepted(second)) === 8);
  await setQuota(0);
  for (const campaign of [first, second]) await stage.engine.untilStatus(campaign, 'sent');
});

test('an email that is deferred counts once, and its later attempts need no quota', async () => {
  await setQuota(3);
  const campaign = await begin(readers(3, '451x1.'));
  await until('all were deferred', async () =>
    (await stage.engine.recipients(campaign)).every(({ state }) => state === 'later'),
  );
  assert.equal(await used(), 3);
  await stage.passTime(campaign);
  await stage.engine.untilStatus(campaign, 'sent');
  assert.deepEqual([await accepted(campaign), await used()], [3, 3]);
});

test('single messages count when they are taken, and one that does not fit is refused as a whole', async () => {
  await setQuota(4);
  const message = (to: string[]) =>
    own('messageSend', { to, subject: 'Hello', html: '<p>Hello</p>', from_email: app().account.email });
  await message(['a@single.example', 'b@single.example', 'c@single.example']);
  assert.equal(await used(), 3);
  await assert.rejects(message(['d@single.example', 'e@single.example']), {
    code: 126,
    message: /may send 4 emails a month; 1 are left, and this would be 2\. Nothing was taken/,
  });
  await message(['d@single.example']);
  await assert.rejects(message(['e@single.example']), { fault: 'QUOTA_USED' });
  assert.equal((await own<{ emails_left: number }>('getAccountDetails')).emails_left, 0);
  // Campaigns and messages share it.
  const campaign = await begin(readers(2));
  await untilWaiting(campaign);
  await setQuota(0);
  await stage.engine.untilStatus(campaign, 'sent');
});

test('tests, emails of the program and test keys are neither counted nor held', async () => {
  await setQuota(1);
  const campaign = await begin(readers(2));
  await untilWaiting(campaign);
  const list = await listOf(app(), []);
  await own('listSubscribe', { id: list, email_address: 'new@program.example', merge_vars: {}, double_optin: true });
  const draft = await aCampaign(app(), { to: list });
  await own('campaignSendTest', { cid: draft, test_emails: ['tester@program.example'] });
  await runWaitingJobs(app().app, 'sendConfirmation', 'sendTestMails');
  const reached = () => new Set(stage.sink.log.filter(({ event }) => event === 'accepted').map(({ to }) => to));
  await until('both have arrived', async () =>
    ['new@program.example', 'tester@program.example'].every((email) => reached().has(email)),
  );
  const { key } = await createKey(stage.db, app().account.id, { label: 'tests', scope: 'full', test: true });
  await call(
    app().app,
    'messageSend',
    { to: ['kept@test.example'], subject: 'Hello', html: '<p>Hello</p>' },
    { kind: 'key', key, ip: '' },
    'json',
  );
  assert.equal(await used(), 1);
  await setQuota(0);
  await stage.engine.untilStatus(campaign, 'sent');
});

test('the owner is notified once at 80 % and once at 100 %, and again after the quota was changed', async () => {
  const context = { app: app().app, log: app().app.log, signal: new AbortController().signal };
  const notices = async () => {
    await watchQuotas(context);
    await watchQuotas(context);
    const rows = await stage.db.rows<{ subject: string }>(sql`
      with gone as (
        delete from graphile_worker._private_jobs j
        using graphile_worker._private_tasks k
        where k.id = j.task_id and k.identifier = 'sendAccountNotice'
        returning j.payload ->> 'subject' as subject
      )
      select subject from gone where subject like '%quota%'`);
    return rows.map(({ subject }) => subject);
  };
  await setQuota(10);
  const count = (n: number) =>
    stage.db.run(sql`
    insert into sent_count values (${app().account.id}, date_trunc('month', now() at time zone 'UTC'), 'campaign', ${n})`);
  await count(7);
  assert.deepEqual(await notices(), []);
  await count(1);
  assert.deepEqual(await notices(), ['Test organisation has used 80 % of its monthly quota']);
  await count(1);
  assert.deepEqual(await notices(), []);
  await count(1);
  assert.deepEqual(await notices(), ['Test organisation has used up its monthly quota']);
  assert.deepEqual(await notices(), []);
  await setQuota(12);
  assert.deepEqual(await notices(), ['Test organisation has used 80 % of its monthly quota']);
  await turnMonth();
  assert.deepEqual(await notices(), []);
  const rows = await stage.db.row<{ count: number }>(sql`select count(*)::int as count from sent_count`);
  assert.equal(rows!.count, 1, 'the rows of a month are summed up');
});

test('a campaign of a suspended account waits, and continues when the account is reactivated', async () => {
  const client = await app().anotherAccount('pro');
  const account = formatId(client.account.id);
  const emails = readers(200, 'delay200-dot.');
  const campaign = await launchedTo({ ...app(), ...client }, await listOf({ ...app(), ...client }, emails));
  await until('it has begun', async () => (await accepted(campaign)) > 2);
  await own('accountLimitsUpdate', { account, active: false });
  await until('what was begun is finished', async () =>
    (await stage.engine.recipients(campaign)).every(({ state }) => state !== 'trying'),
  );
  const suspended = await accepted(campaign);
  assert.ok(suspended < 200, `${suspended}`);
  await assert.rejects(call(app().app, 'ping', {}, { kind: 'key', key: client.key, ip: '' }, 'json'), { code: 101 });
  assert.equal(await accepted(campaign), suspended);
  await own('accountLimitsUpdate', { account, active: true });
  await stage.engine.untilStatus(campaign, 'sent');
  assert.equal(await accepted(campaign), 200);
  await stage.check(campaign);
});

test('an automation waits at the quota, and its contact gets the email when there is room', async () => {
  const list = await listOf(app(), readers(1));
  const [reader] = await stage.db.rows<{ email: string }>(sql`
    select email from contact order by id desc limit 1`);
  const campaign = await own<string>('automationEmailCreate', {
    list,
    subject: 'Step',
    text: 'Hello, this is for you',
  });
  const automation = await own<string>('automationCreate', { title: 'Flow', list });
  await own('automationUpdate', {
    id: automation,
    trigger: { type: 'event', name: 'quota.test' },
    steps: [{ type: 'send', campaign }],
  });
  await own('automationStart', { id: automation });
  await runWaitingJobs(app().app, 'launchCampaign');
  await setQuota(1);
  const full = await begin(readers(1));
  await stage.engine.untilStatus(full, 'sent');
  await own('eventSend', { name: 'quota.test', email_address: reader!.email });
  const later = new Date(Date.now() + 60_000);
  await takeSignals(app().app, later);
  await advance(app().app, later);
  await stage.engine.hurry(parseId(campaign));
  const state = async () => (await stage.engine.recipients(parseId(campaign))).map((one) => one.state);
  await until('the email is queued', async () => (await state())[0] === 'queued');
  const explained = await own<{ explanation: string }>('campaignExplain', { cid: campaign, email: reader!.email });
  assert.match(explained.explanation, /monthly quota/);
  assert.equal(await used(), 1);
  await setQuota(2);
  await until('it is sent', async () => (await state())[0] === 'accepted');
  assert.equal(await used(), 2);
});

test('a batch of messages that does not fit is refused as a whole, and what was counted of it is taken back', async () => {
  await setQuota(2);
  const batch = (count: number) =>
    own('messageSendBatch', {
      messages: Array.from({ length: count }, (_, n) => ({
        ...{ to: [`b${n}@batch.example`], subject: 'Hello', html: '<p>Hello</p>', from_email: app().account.email },
      })),
    });
  const messages = async () =>
    (await stage.db.row<{ count: number }>(sql`select count(*)::int as count from message`))!.count;
  const before = await messages();
  await assert.rejects(batch(3), { fault: 'QUOTA_USED' });
  assert.deepEqual([await messages(), await used()], [before, 0]);
  // Refused for another reason after it was counted.
  await assert.rejects(
    own('messageSend', { to: ['a@batch.example'], subject: 'x', html: '<p>x</p>', from_email: 'ceo@bank.example' }),
  );
  assert.equal(await used(), 0);
  await batch(2);
  assert.equal(await used(), 2);
});

test('what a paused campaign has not begun is not counted', async () => {
  const campaign = await begin(readers(60, 'delay200-dot.'));
  await until('some are accepted', async () => (await accepted(campaign)) > 3);
  await own('campaignPause', { cid: formatId(campaign) });
  await until('what was begun has ended', async () =>
    (await stage.engine.recipients(campaign)).every(({ state }) => state !== 'trying'),
  );
  const begun = (await stage.engine.recipients(campaign)).filter(({ attempts }) => attempts > 0).length;
  assert.ok(begun < 60, `${begun}`);
  assert.equal(await used(), begun);
  await own('campaignDelete', { cid: formatId(campaign) });
  assert.equal(await used(), begun, 'a deleted campaign was sent all the same');
});

test('a quota that is set waits for what is being handed out, and those that hand out under one wait for each other', async () => {
  const { id: account } = app().account;
  const waiting = () =>
    stage.db.row(sql`select from pg_locks where locktype = 'advisory' and classid = 7314 and not granted`);
  let changed = false;
  let change: Promise<unknown> = Promise.resolve();
  await stage.db.transaction(async (tx) => {
    assert.equal(await lockQuota(tx, account), false, 'without a quota others hand out at the same time');
    change = setQuota(5).then(() => {
      changed = true;
    });
    await until('the change waits', async () => (await waiting()) !== undefined);
    assert.equal(changed, false);
  });
  await change;
  let second: Promise<boolean> = Promise.resolve(false);
  await stage.db.transaction(async (tx) => {
    assert.equal(await lockQuota(tx, account), true);
    second = stage.db.transaction((other) => lockQuota(other, account));
    await until('the other waits', async () => (await waiting()) !== undefined);
  });
  assert.equal(await second, true);
});
