// What was sent and what came back by day: counted as it is delivered, shown as rates and usage, warned of once, and folded.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type SendingApp, sendingApp } from '../../../test/support/installation/sending-app.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { sendAccountNotice } from '../../mail/send-account-notice.ts';
import { sendTestMails } from '../../mail/test-mail.ts';
import { foldDays } from './fold.ts';
import { watchAccounts } from './warnings.ts';

let t: SendingApp;
before(async () => {
  t = await sendingApp();
  await t.app.db.run(sql`update account set plan = 'pro'`);
});
after(() => t.close());
beforeEach(() => t.app.db.run(sql`delete from sending_day`));

type Usage = Record<'campaigns' | 'automations' | 'messages' | 'program' | 'tests' | 'total', number> & {
  month: string;
  account: string;
  name: string;
};
type Rates = Record<'emails' | 'hard_bounces' | 'complaints' | 'bounce_rate' | 'complaint_rate', number> & {
  warned: boolean;
};
type Reputation = Rates & {
  lists: (Rates & { id: string; name: string })[];
  providers: (Rates & { provider: string; name: string })[];
};

const reputation = () => t.call<Reputation>('reputationGet');
const month = new Date().toISOString().slice(0, 7);

test('what is delivered counts by kind, list and provider, and tests only in usage', async () => {
  const list = await listOf(t, [
    'ann@gmail.com',
    'bob@googlemail.com',
    'cem@yahoo.fr',
    '550rcpt.dee@gmx.de',
    'eve@shop.example',
  ]);
  await launchedTo(t, list);
  await t.allSent();
  const draft = parseId(await aCampaign(t, { to: list }));
  const test = { account_id: t.account.id, campaign_id: draft, send_type: 'both' as const, variant: 0 };
  await sendTestMails(t.context, { ...test, emails: ['me@gmail.com', 'us@example.com'] });
  await t.call('messageSend', { to: 'fay@gmail.com', subject: 'Order', plain: 'Thanks' });
  await sendAccountNotice(t.context, { account_id: t.account.id, subject: 'A notice', text: 'x' });
  await t.allSent();
  const [usage, ...others] = await t.call<Usage[]>('usage');
  assert.deepEqual(others, []);
  const counts = { campaigns: 4, automations: 0, messages: 1, program: 1, tests: 2, total: 8 };
  assert.deepEqual(usage, { month, account: formatId(t.account.id), name: t.account.name, ...counts });
  const { emails, hard_bounces, bounce_rate, lists, providers } = await reputation();
  assert.deepEqual({ emails, hard_bounces }, { emails: 7, hard_bounces: 1 });
  assert.equal(bounce_rate, 1 / 7);
  assert.deepEqual(
    lists.map((row) => [row.id, row.emails, row.hard_bounces]),
    [[list, 5, 1]],
  );
  assert.deepEqual(providers.map((row) => [row.provider, row.emails, row.hard_bounces]).sort(), [
    ['gmail', 3, 0],
    ['gmx', 1, 1],
    ['other', 2, 0],
    ['yahoo', 1, 0],
  ]);
});

/** As if so much had been sent some days ago. */
const sent = (
  account: number,
  { list = 0, provider = 'other', daysAgo = 0, accepted = 0, complaints = 0, shard = 0, kind = 'campaign' },
) =>
  t.app.db.run(sql`
    insert into sending_day (account_id, day, kind, list_id, provider, shard, accepted, complaints)
    values (${account}, (now() at time zone 'UTC')::date - ${daysAgo}::int, ${kind}, ${list}, ${provider}, ${shard}, ${accepted},
      ${complaints})`);

const noticesOf = async (account: number): Promise<string[]> => {
  const rows = await t.app.db.rows<{ text: string }>(sql`
    select j.payload ->> 'text' as text
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
      and (j.payload ->> 'account_id')::int = ${account}
    order by j.id`);
  return rows.map(({ text }) => text);
};

test('the owner is warned once of each rate that is too high, until it has fallen; Home shows it meanwhile', async () => {
  const other = await t.anotherAccount('pro');
  const account = other.account.id;
  const list = await other.call<string>('listCreate', { title: 'Offers' });
  const watch = () => watchAccounts(t.app.db);
  await sent(account, { accepted: 4_000, complaints: 4, provider: 'yahoo', list: parseId(list) });
  assert.equal(await watch(), 0, 'four complaints mean nothing');
  await sent(account, { accepted: 1_000, complaints: 3, daysAgo: 29, provider: 'yahoo' });
  await sent(account, { accepted: 9_000, complaints: 90, daysAgo: 30, provider: 'gmx' });
  await sent(account, { accepted: 9_000, complaints: 90, kind: 'test' });
  // Two processes look at the same moment: 7 of 5,000 of the account, and at Yahoo.
  const begun = await Promise.all([watch(), watch(), watch()]);
  assert.equal(
    begun.reduce((sum, count) => sum + count, 0),
    2,
  );
  const [text, ...more] = await noticesOf(account);
  assert.deepEqual(more, []);
  assert.match(text!, /Account: 7 of 5000 delivered emails/);
  assert.match(text!, /Provider Yahoo and AOL: 7 of 5000/);
  assert.doesNotMatch(text!, /Offers/);
  type Home = { attention: { kind: string; id: string; detail: string }[] };
  const onHome = async () =>
    (await other.call<Home>('homeSummary')).attention.filter(({ kind }) => kind === 'reputation').map(({ id }) => id);
  assert.deepEqual((await onHome()).sort(), ['account', 'yahoo']);
  await sent(account, { accepted: 100, complaints: 3, shard: 1, list: parseId(list), provider: 'yahoo' });
  assert.equal(await watch(), 1, 'the list is warned of too, and nothing else again');
  assert.match((await noticesOf(account))[1]!, /List "Offers": 7 of 4100/);
  assert.deepEqual((await onHome()).sort(), ['account', list, 'yahoo'].sort());
  // 10 of 11,100 are less than 0.1 %, but not clearly.
  await sent(account, { accepted: 6_000, daysAgo: 1, provider: 'yahoo' });
  assert.equal(await watch(), 0);
  assert.deepEqual((await onHome()).sort(), ['account', list, 'yahoo'].sort());
  await sent(account, { accepted: 5_000, daysAgo: 2, provider: 'yahoo' });
  assert.equal(await watch(), 0);
  assert.deepEqual(await onHome(), [list], 'below 0.08 % it ends');
  await sent(account, { complaints: 20, daysAgo: 2, provider: 'aol-is-not-a-key' });
  assert.equal(await watch(), 1, 'a new crossing is a new warning');
  await other.call('listDelete', { id: list });
  await watch();
  assert.deepEqual(await onHome(), ['account']);
});

test('folding keeps every sum, of the days and of the months, however often and at the same time', async () => {
  const { account } = await t.anotherAccount();
  const sums = async () => ({
    // What is older than the rates is folded further.
    rated: await t.app.db.rows(sql`
      select day, kind, list_id, provider, sum(accepted)::int as accepted, sum(complaints)::int as complaints
      from sending_day
      where account_id = ${account.id}
        and day > (now() at time zone 'UTC')::date - 30
      group by 1, 2, 3, 4
      order by 1, 2, 3, 4`),
    months: await t.app.db.rows(sql`
      select date_trunc('month', day) as month, kind, sum(accepted)::int as accepted, sum(complaints)::int as complaints
      from sending_day
      where account_id = ${account.id}
      group by 1, 2
      order by 1, 2`),
  });
  for (const daysAgo of [0, 1, 2, 20, 39, 40, 41, 50, 80, 400])
    for (const shard of [0, 3])
      for (const [list, provider] of [
        [1, 'gmail'],
        [2, 'other'],
      ] as const)
        await sent(account.id, { daysAgo, shard, list, provider, accepted: daysAgo + shard + list, complaints: 1 });
  const before = await sums();
  for (let i = 0; i < 3; i++) {
    await Promise.all([foldDays(t.app.db), foldDays(t.app.db)]);
    assert.deepEqual(await sums(), before);
  }
  const row = await t.app.db.row<{ old: number; today: number }>(sql`
    select count(*) filter (where day < (now() at time zone 'UTC')::date - 40)::int as old,
      count(*) filter (where day = (now() at time zone 'UTC')::date)::int as today
    from sending_day
    where account_id = ${account.id}`);
  assert.equal(row!.today, 4, 'what still counts is left alone');
  assert.ok(row!.old <= 4, `one row for each month: ${row!.old}`);
});

test('the operator reads the usage of all accounts, as CSV too; others only their own', async () => {
  const base = await t.listen();
  const other = await t.anotherAccount('pro');
  await t.app.db.run(sql`update account set name = '=Evil, "Ltd"' where id = ${other.account.id}`);
  await sent(other.account.id, { accepted: 3, kind: 'message' });
  await sent(t.account.id, { accepted: 4 });
  await sent(t.account.id, { accepted: 5, daysAgo: 800 });
  const of = (rows: Usage[]) => rows.map(({ account, total }) => [account, total]);
  assert.deepEqual(of(await other.call<Usage[]>('usage')), [[formatId(other.account.id), 3]]);
  await assert.rejects(other.call('usage', { all: true }), /all: only the account of the operator/);
  const all = await t.call<Usage[]>('usage', { all: true });
  assert.deepEqual(new Set(all.map(({ total }) => total)), new Set([3, 4]));
  const early = await t.call<Usage[]>('usage', { from: '2020-01' });
  assert.deepEqual(
    of(early).map(([, total]) => total),
    [4, 5],
  );
  assert.deepEqual(await t.call('usage', { from: '2020-01', to: '2020-12' }), []);
  await assert.rejects(t.call('usage', { from: '2026-13' }), /from must be a month such as 2026-01/);
  const get = (key: string, query: string) =>
    fetch(`${base}/export/usage.csv${query}`, { headers: { authorization: `Bearer ${key}` } });
  const lines = (await (await get(t.key, '?all=1')).text()).split('\r\n');
  assert.equal(lines[0], 'month,account,name,campaigns,automations,messages,program,tests,total');
  assert.ok(lines.includes(`${month},${formatId(other.account.id)},"'=Evil, ""Ltd""",0,0,3,0,0,3`), lines.join('\n'));
  assert.equal((await get(other.key, '?all=1')).status, 403);
  assert.equal((await get(other.key, '?from=x')).status, 400);
  assert.equal((await (await get(other.key, '')).text()).split('\r\n').length, 3);
  assert.equal((await get(await t.anotherKey('read'), '')).status, 403);
});
