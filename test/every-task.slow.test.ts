// Every task of the timetable, in the middle of every kind of sending: after it each recipient has got what it should, once,
// what is held is still held, and the sums are those of the rows. The tasks are those of src/jobs/tasks.ts: a new one is run
// here without being named. A kind of sending that is added to the program belongs in `kinds`.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AutomationEngine, startAutomations } from '../src/automations/run/engine.ts';
import { sql } from '../src/db/connect.ts';
import { formatId, parseId } from '../src/db/ids.ts';
import { requeueForgotten } from '../src/delivery/recovery/forgotten.ts';
import { startWorker, type Worker } from '../src/delivery/worker.ts';
import type { Handlers, TaskDefinition, TaskName } from '../src/jobs/tasks.ts';
import { tasks } from '../src/jobs/tasks.ts';
import { formatDate } from '../src/method/date.ts';
import { handlers } from '../src/task-handlers.ts';
import { aCampaign, listOf } from './support/builders/campaigns.ts';
import { checkInvariants } from './support/database/invariants.ts';
import { shownState } from './support/database/shown-state.ts';
import { draftWithTest, launched, testIsDue } from './support/delivery/ab-test.ts';
import { Stage } from './support/delivery/stage.ts';
import type { TestApp } from './support/installation/app.ts';
import { until } from './support/run/until.ts';
import { item, rss } from './support/samples/feeds/sample.ts';

type Account = Pick<TestApp, 'app' | 'account' | 'call'>;
/** A sending that was begun. */
type Begun = {
  /** How many messages each address gets before it is released. */
  before: Record<string, number>;
  /** What a person does, or the time. */
  release(): Promise<void>;
  /** How many messages each address has got in the end. */
  end: Record<string, number>;
};

let stage: Stage;
let worker: Worker;
let engine: AutomationEngine;
let server: Server;
let feed: string;
const running = new AbortController();

before(async () => {
  stage = await Stage.start({ workers: 0, settings: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  server = createServer((_, response) => {
    const body = rss(item('<title>One</title><link>https://site.example/One</link><description>One!</description>'));
    response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
});
after(async () => {
  running.abort();
  await engine?.stop();
  await worker?.stop();
  server.closeAllConnections();
  server.close();
  await stage.stop();
});

const db = () => stage.db;
const each = (addresses: readonly string[], count: number) =>
  Object.fromEntries(addresses.map((address) => [address, count]));
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
/** Accepted at once, and deferred at the first attempt, each in a domain of its own: one that defers is paused. */
const mixed = (name: string, count = 4) =>
  Array.from({ length: count }, (_, n) => `${n % 2 ? 'ok' : '451x1'}.${n}@d${n}.${name}.example`);
const plain = (name: string, count = 8) => Array.from({ length: count }, (_, n) => `ok.${n}@${name}.example`);
const hurry = (id: number) => stage.passTime(id);
const firstOnly = (of: readonly string[]) =>
  Object.fromEntries(of.map((email) => [email, email.startsWith('451') ? 0 : 1]));

/** The numbers of a test group are known after the launch only. */
async function grouped(id: number, held: (seq: number) => boolean): Promise<Record<string, number>> {
  const rows = await db().rows<{ email: string; seq: number }>(
    sql`select email, seq from delivery where campaign_id = ${id}`,
  );
  return Object.fromEntries(rows.map(({ email, seq }) => [email, held(seq) ? 0 : 1]));
}

async function abTest(account: Account, name: string, winner: string, release: (id: number) => Promise<unknown>) {
  const of = plain(name, 20);
  const id = await launched(account, await draftWithTest(account, of, { share: 50, winner }));
  return {
    before: await grouped(id, (seq) => seq > 10),
    release: async () => void (await release(id)),
    end: each(of, 1),
  };
}

/** The later half of the recipients is due in ten hours, as by the clock of their contacts. */
async function byTheClock(account: Account, name: string, column: 'time_match' | 'best_hour'): Promise<Begun> {
  const of = plain(name);
  const id = await launched(account, await aCampaign(account, { to: await listOf(account, of) }));
  await db().run(sql`
    update campaign
    set time_match = ${column === 'time_match'}, best_hour = ${column === 'best_hour'}, due_until = now()
    where id = ${id}`);
  await db().run(sql`delete from chunk where campaign_id = ${id}`);
  await db().run(sql`
    update delivery set due_at = now() + interval '10 hours' where campaign_id = ${id} and seq > 4`);
  await db().run(sql`
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, due_at)
    values (${account.account.id}, ${id}, 'first', 1, 4, now())`);
  // The others are in no chunk: they are found, and keep their time.
  const { app } = account;
  await requeueForgotten({ app, log: app.log, signal: running.signal });
  return { before: await grouped(id, (seq) => seq > 4), release: () => hurry(id), end: each(of, 1) };
}

const kinds: Record<string, (account: Account, name: string) => Promise<Begun>> = {
  async 'in progress, with a retry and one in flight'(account, name) {
    const slow = `delay4000-dot.4@slow.${name}.example`;
    const of = [...mixed(name), slow];
    const id = await launched(account, await aCampaign(account, { to: await listOf(account, of) }));
    return { before: firstOnly(mixed(name)), release: () => hurry(id), end: each(of, 1) };
  },
  async paused(account, name) {
    const of = plain(name);
    const cid = await aCampaign(account, { to: await listOf(account, of) });
    await launched(account, cid);
    await account.call('campaignPause', { cid });
    return {
      before: each(of, 0),
      release: async () => void (await account.call('campaignResume', { cid })),
      end: each(of, 1),
    };
  },
  async scheduled(account, name) {
    const of = plain(name);
    const cid = await aCampaign(account, { to: await listOf(account, of) });
    await account.call('campaignSchedule', { cid, schedule_time: formatDate(inDays(1)) });
    return {
      before: each(of, 0),
      release: async () => void (await account.call('campaignSendNow', { cid })),
      end: each(of, 1),
    };
  },
  async 'sent, but to be undone'(account, name) {
    const of = plain(name);
    const cid = await aCampaign(account, { to: await listOf(account, of) });
    await account.call('campaignSendNow', { cid, undo_seconds: 60 });
    // For as long as the tasks take here; the launch has lost its job.
    await db().run(sql`
      update campaign set undo_until = now() + interval '1 hour', changed_at = now() - interval '6 minutes'
      where id = ${parseId(cid)}`);
    return {
      before: each(of, 0),
      release: async () => {
        await db().run(sql`update campaign set undo_until = now() where id = ${parseId(cid)}`);
        await handlers.launchCampaign(context(), { account_id: account.account.id, campaign_id: parseId(cid) }, 1);
      },
      end: each(of, 1),
    };
  },
  'A/B test that waits for its time': (account, name) =>
    abTest(account, name, 'clicks', (id) => testIsDue(account, id)),
  'A/B test that waits for a person': (account, name) =>
    abTest(account, name, 'manual', (id) => account.call('campaignTestChoose', { cid: formatId(id), variant: 1 })),
  async 'A/B test that is paused'(account, name) {
    const of = plain(name, 20);
    const cid = await draftWithTest(account, of, { share: 50 });
    await launched(account, cid);
    await account.call('campaignPause', { cid });
    return {
      before: each(of, 0),
      release: async () => {
        await account.call('campaignResume', { cid });
        await account.call('campaignTestChoose', { cid, variant: 0 });
      },
      end: each(of, 1),
    };
  },
  async 'A/B test whose winner is being sent'(account, name) {
    const of = mixed(name, 10);
    const cid = await draftWithTest(account, of, { share: 20, winner: 'manual' });
    const id = await launched(account, cid);
    await account.call('campaignTestChoose', { cid, variant: 1 });
    return { before: firstOnly(of), release: () => hurry(id), end: each(of, 1) };
  },
  async 'send window closed'(account, name) {
    const of = plain(name);
    // The day after tomorrow, in any zone.
    const day = ((inDays(3).getUTCDay() + 6) % 7) + 1;
    await account.call('accountUpdate', { name: 'send_window', value: `${day} 10:00-11:00` });
    const id = await launched(account, await aCampaign(account, { to: await listOf(account, of) }));
    return {
      before: each(of, 0),
      release: async () => {
        await account.call('accountUpdate', { name: 'send_window', value: '' });
        await hurry(id);
      },
      end: each(of, 1),
    };
  },
  'by the clocks of the contacts': (account, name) => byTheClock(account, name, 'time_match'),
  'in the best hour': (account, name) => byTheClock(account, name, 'best_hour'),
  async 'daily quota used up'(account, name) {
    const of = plain(name, 1);
    const today = new Date().toISOString().slice(0, 10);
    await account.call('accountUpdate', { name: 'warm_up', value: `1:2:100:${today}` });
    await db().run(sql`
      insert into day_quota (account_id, relay, day, used) select ${account.account.id}, '', d, 1000 from generate_series(0, 2) d`);
    const id = await launched(account, await aCampaign(account, { to: await listOf(account, of) }));
    return {
      before: each(of, 0),
      release: async () => {
        await account.call('accountUpdate', { name: 'warm_up', value: '' });
        await until('the quota has ended', async () => {
          await hurry(id);
          return (await stage.engine.status(id)).status === 'sent';
        });
      },
      end: each(of, 1),
    };
  },
  async 'a follow-up that is a draft'(account, name) {
    const of = plain(name, 3);
    const cid = await aCampaign(account, { to: await listOf(account, of) });
    const id = await launched(account, cid);
    let copy = '';
    return {
      before: each(of, 1),
      release: async () => {
        await stage.engine.untilStatus(id, 'sent');
        copy = await account.call('campaignFollowUp', { cid, to: 'not_opened' });
        await everyTask();
        assertCounts(each(of, 1), 'a follow-up that is a draft');
        await account.call('campaignSendNow', { cid: copy });
      },
      end: each(of, 2),
    };
  },
  async 'autoresponder whose occasion is tomorrow'(account, name) {
    const of = plain(name, 3);
    const to = await listOf(account, []);
    const type_opts = { 'offset-units': 'day', 'offset-time': 1, 'offset-dir': 'after', event: 'signup' };
    const id = await launched(account, await aCampaign(account, { to, type: 'auto', type_opts }));
    const batch = of.map((EMAIL) => ({ EMAIL }));
    await account.call('listBatchSubscribe', { id: to, batch, double_optin: false });
    return {
      before: each(of, 0),
      release: async () => {
        // As if all of it had been a day earlier.
        await db().run(sql`
          update subscription
          set signup_at = signup_at - interval '1 day', optin_at = optin_at - interval '1 day',
            confirm_at = confirm_at - interval '1 day', changed_at = now()
          where list_id = ${parseId(to)}`);
        await db().run(sql`update campaign set send_at = send_at - interval '2 days' where id = ${id}`);
      },
      end: each(of, 1),
    };
  },
  async 'automation that waits on a step'(account, name) {
    const of = plain(name, 3);
    const list = await account.call<string>('listCreate', { title: 'List' });
    const id = await account.call<string>('automationCreate', { title: 'Test', list });
    const email = (subject: string) => account.call<string>('automationEmailCreate', { list, subject, text: 'Hello' });
    await account.call('automationUpdate', {
      id,
      trigger: { type: 'subscribed' },
      steps: [
        { key: 'mail', type: 'send', campaign: await email('First') },
        { key: 'pause', type: 'wait', amount: 2, unit: 'days' },
        { key: 'more', type: 'send', campaign: await email('Second') },
      ],
    });
    await account.call('automationStart', { id });
    for (const email_address of of)
      await account.call('listSubscribe', { id: list, email_address, double_optin: false });
    return {
      before: each(of, 1),
      release: async () =>
        void (await db().run(sql`update automation_run set due_at = now() where account_id = ${account.account.id}`)),
      end: each(of, 2),
    };
  },
  async 'recurring issue that waits for approval'(account, name) {
    const of = plain(name, 3);
    const list = await listOf(account, of);
    const schedule = { type: 'weekly', time: '09:00', weekdays: [((inDays(3).getUTCDay() + 6) % 7) + 1] };
    const id = await account.call<string>('recurringCreate', {
      ...{ title: 'Series', list, schedule, time_zone: 'UTC', source_url: feed, approve: true },
    });
    await account.call('recurringResume', { id });
    await db().run(sql`update recurring set next_at = now(), try_at = now() where id = ${parseId(id)}`);
    const issue = async () =>
      (await account.call<{ data: { state: string; campaign: string }[] }>('recurringIssues', { id })).data[0];
    return {
      before: each(of, 0),
      release: async () => {
        await until('the issue is made', async () => (await issue())?.state === 'waiting');
        await account.call('recurringApprove', { campaign: (await issue())!.campaign });
      },
      end: each(of, 1),
    };
  },
  async 'single message that is tried again'(account, name) {
    const to = `451x1.m@${name}.example`;
    await account.call('messageSend', { subject: 'Hi', plain: 'Text', to: [to] });
    const owner = await db().row<{ id: number }>(
      sql`select id from campaign where account_id = ${account.account.id} and type = 'message'`,
    );
    return { before: { [to]: 0 }, release: () => hurry(owner!.id), end: { [to]: 1 } };
  },
  async 'unclear recipients that are held'(account, name) {
    await account.call('accountUpdate', { name: 'unclear', value: 'hold' });
    // Each in a domain of its own: one that loses a connection is paused.
    const of = [`ok.1@d1.${name}.example`, `keep-dot.2@d2.${name}.example`];
    const cid = await aCampaign(account, { to: await listOf(account, of) });
    const id = await launched(account, cid);
    return {
      before: each(of, 1),
      release: async () => {
        const isUnclear = async () => (await stage.engine.recipients(id)).some(({ state }) => state === 'unclear');
        await until('one is unclear', isUnclear);
        await account.call('campaignResolve', { cid, action: 'drop' });
      },
      end: each(of, 1),
    };
  },
};

const timetable = (Object.entries(tasks) as [TaskName, TaskDefinition][])
  .filter(([, { cron }]) => cron !== undefined)
  .map(([name]) => name as 'requeueForgotten');

const context = () => ({ app: stage.engine.app.app, log: stage.engine.app.app.log, signal: running.signal });
const runTask = (name: (typeof timetable)[number]) => handlers[name](context(), {}, 1);
const everyTask = async () => void (await Promise.all(timetable.map(runTask)));

const taken = () => {
  const counts: Record<string, number> = {};
  for (const { to } of stage.sink.accepted()) counts[to!] = (counts[to!] ?? 0) + 1;
  return counts;
};

/** No one has got more than this. */
function assertCounts(expected: Record<string, number>, what: string): void {
  const counts = taken();
  for (const [email, count] of Object.entries(expected))
    assert.ok((counts[email] ?? 0) <= count, `${what}: ${email} has got ${counts[email]} of ${count}`);
}

/** In one moment, of every campaign: no sum is below zero, each is what the rows are, and none has ended too early. */
async function assertSums(what: string): Promise<void> {
  const wrong = await db().rows(sql`
    select c.id, c.status, s.*, r.*
    from campaign c
    cross join lateral (
      select array[coalesce(sum(recipients), 0), coalesce(sum(queued), 0), coalesce(sum(trying), 0), coalesce(sum(accepted), 0), coalesce(sum(later), 0),
        coalesce(sum(failed), 0), coalesce(sum(skipped), 0), coalesce(sum(unclear), 0)]::int[] as sums
      from tally t where t.account_id = c.account_id and t.campaign_id = c.id
    ) s
    cross join lateral (
      select array[count(*), count(*) filter (where state = 0), count(*) filter (where state = 1),
        count(*) filter (where state = 2), count(*) filter (where state = 3), count(*) filter (where state = 4),
        count(*) filter (where state = 5), count(*) filter (where state = 6)]::int[] as rows
      from (
        select ${shownState} as state from delivery where account_id = c.account_id and campaign_id = c.id
      ) as d
    ) r
    where s.sums <> r.rows or 0 > any (s.sums) or (c.status = 'sent' and s.sums[2] + s.sums[3] + s.sums[5] + s.sums[8] > 0)`);
  assert.deepEqual(wrong, [], what);
}

test('every task, alone and together, in the middle of every kind of sending', async (t) => {
  const begun = new Map<string, Begun>();
  for (const [n, [name, begin]] of Object.entries(kinds).entries()) {
    const account = { app: stage.engine.app.app, ...(await stage.engine.app.anotherAccount('pro')) };
    begun.set(name, await begin(account, `kind${n}`));
  }
  // The jobs of sign-ups and launches; the tasks of the timetable are run one by one.
  worker = await startWorker(stage.engine.app.app, onlyJobs());
  engine = startAutomations(stage.engine.app.app);
  const reached = (which: 'before' | 'end') => {
    const counts = taken();
    return [...begun].flatMap(([name, kind]) =>
      Object.entries(kind[which])
        .filter(([email, count]) => (counts[email] ?? 0) < count)
        .map(([email, count]) => `${name}: ${email} has got ${counts[email] ?? 0} of ${count}`),
    );
  };
  const all = async (which: 'before' | 'end') => {
    for (const deadline = performance.now() + 60_000; reached(which).length > 0; await sleep(50))
      if (performance.now() > deadline) assert.fail(reached(which).join('\n'));
  };
  const held = async (what: string) => {
    for (const [name, kind] of begun) assertCounts(kind.before, `${name}, after ${what}`);
    await assertSums(what);
  };
  // One in flight has not been counted yet.
  begun.get('in progress, with a retry and one in flight')!.before['delay4000-dot.4@slow.kind0.example'] = 1;
  await Promise.all(timetable.map(runTask));
  await all('before');
  for (const name of timetable)
    await t.test(name, async () => {
      await runTask(name);
      await held(name);
    });
  for (const time of ['once', 'twice']) {
    await everyTask();
    await held(`all together, ${time}`);
  }
  // What a task has made due was taken before this one.
  const probe = { app: stage.engine.app.app, ...(await stage.engine.app.anotherAccount()) };
  const id = await launched(probe, await aCampaign(probe, { to: await listOf(probe, ['ok.0@probe.example']) }));
  await stage.engine.untilStatus(id, 'sent');
  await held('all tasks');
  await t.test('released, each goes on and ends, with the tasks', async () => {
    for (const [, kind] of begun) {
      await kind.release();
      await everyTask();
    }
    await all('end');
    await everyTask();
    for (const [name, kind] of begun) assertCounts(kind.end, `${name}, at the end`);
    const open = () =>
      db().row(
        sql`select from chunk k join campaign c on c.id = k.campaign_id and c.type <> 'auto' where k.state <> 'done' limit 1`,
      );
    await until('no chunk is open', async () => (await open()) === undefined);
    await assertSums('at the end');
    const campaigns = await db().rows<{ id: number }>(
      sql`select id from campaign where status in ('sending', 'sent') and type <> 'message'`,
    );
    for (const { id } of campaigns) await checkInvariants(db(), stage.sink.log, { campaign: id, settled: false });
  });
});

/** The handlers without those of the timetable. */
const onlyJobs = (): Partial<Handlers> =>
  Object.fromEntries(Object.entries(handlers).filter(([name]) => !(timetable as string[]).includes(name)));
