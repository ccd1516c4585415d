// Erasing a contact while something else is about to write of it: a launch, a step of an automation, an autoresponder, a single
// message, a reply in flight, a suppression. Locks force each order. Afterwards every column of every table is searched for the address.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { placesOf } from '../../../test/support/database/places.ts';
import { people } from '../../../test/support/delivery/engine.ts';
import { inFlightElsewhere } from '../../../test/support/delivery/in-flight.ts';
import { Stage } from '../../../test/support/delivery/stage.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { until } from '../../../test/support/run/until.ts';
import { runAutomations } from '../../automations/run/engine.ts';
import { message, packMessage } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { planOccasions } from '../../delivery/launch/autoresponder-planner.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { endChunk } from '../../delivery/sending/lease.ts';
import { erasureParts } from '../../erasure.ts';
import { eraseCopies } from './copies.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.start({ workers: 0 });
});
after(() => stage.stop());

const app = () => stage.engine.app;
const call = <T = unknown>(method: string, params: Record<string, unknown>) => app().call<T>(method, params);
const jobs = () => runWaitingJobs(app().app, 'eraseCopies');

/** Runs `work`, which waits for the table; erases meanwhile, and lets the work end. */
async function erasedDuring(email: string, table: string, work: () => Promise<unknown>): Promise<void> {
  const client = await stage.db.pool.connect();
  const waiting = async () => {
    const row = await stage.db.row<{ waiting: number }>(sql`
      select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
    return row!.waiting;
  };
  try {
    await client.query(`begin; lock table ${table} in share row exclusive mode`);
    const working = work();
    await until('it waits for the lock', async () => (await waiting()) > 0);
    // The erasure may have to wait for the work; what it leaves to do later begins at once.
    const erasing = call('contactErase', { email });
    await until('it is erased, or waits', async () => (await waiting()) > 1 || (await isErased(email)));
    const cleaning = erasing.then(jobs);
    await client.query('commit');
    await Promise.all([working, cleaning]);
  } finally {
    client.release(true);
  }
  assert.deepEqual(await placesOf(stage.db, email), []);
}
const isErased = async (email: string) =>
  (await stage.db.row(sql`select from contact where email = ${email}`)) === undefined;

test('the search finds an address in text, JSON and bytes', async () => {
  await listOf(app(), ['found@race.example']);
  assert.ok((await placesOf(stage.db, 'found@race.example')).length > 0);
});

test('during the launch of a campaign', async () => {
  const email = 'launch@race.example';
  const cid = await aCampaign(app(), { to: [email, 'other@race.example'] });
  await call('campaignSendNow', { cid });
  await erasedDuring(email, 'exclusion', () =>
    launch(app().app, { account: app().account.id, campaign: parseId(cid) }),
  );
  const rows = await stage.db.rows(sql`select from delivery where campaign_id = ${parseId(cid)}`);
  assert.equal(rows.length, 2);
});

for (const table of ['tally', 'automation_tally'])
  test(`during a step of an automation that waits for ${table}`, async () => {
    const email = `${table}.step@race.example`;
    const list = await call<string>('listCreate', { title: table });
    const campaign = await call<string>('automationEmailCreate', { list, subject: 'A', text: 'Hello' });
    const id = await call<string>('automationCreate', { title: 'Test', list });
    const steps = [
      { key: 'pause', type: 'wait', amount: 1, unit: 'hours' },
      { type: 'send', campaign },
    ];
    await call('automationUpdate', { id, trigger: { type: 'subscribed' }, steps });
    await call('automationStart', { id });
    await launch(app().app, { account: app().account.id, campaign: parseId(campaign) });
    await call('listSubscribe', { id: list, email_address: email, double_optin: false });
    await runAutomations(app().app);
    const later = new Date(Date.now() + 2 * 3_600_000);
    await erasedDuring(email, table, async () => {
      while ((await runAutomations(app().app, later)) > 0);
    });
  });

test('while an event with its data lets it into an automation', async () => {
  const email = 'enters@race.example';
  const list = await listOf(app(), [email]);
  const id = await call<string>('automationCreate', { title: 'Test', list });
  const steps = [{ key: 'pause', type: 'wait', amount: 30, unit: 'days' }];
  await call('automationUpdate', { id, trigger: { type: 'event', name: 'cart' }, steps });
  await call('automationStart', { id });
  await call('eventSend', { name: 'cart', email_address: email, data: { for: email } });
  await erasedDuring(email, 'automation_tally', async () => {
    while ((await runAutomations(app().app)) > 0);
  });
  while ((await runAutomations(app().app)) > 0);
  const inside = await stage.db.rows(sql`
    select from automation_run where automation_id = ${parseId(id)} and ended_at is null`);
  assert.deepEqual(inside, [], 'it has left');
});

test('while an autoresponder is planned', async () => {
  const email = 'plan@race.example';
  const to = await call<string>('listCreate', { title: 'Plan' });
  const type_opts = { 'offset-units': 'day', 'offset-time': 1, 'offset-dir': 'after', event: 'signup' };
  const id = parseId(await aCampaign(app(), { to, type: 'auto', type_opts }));
  await stage.db.run(sql`update campaign set status = 'launching', send_at = now() where id = ${id}`);
  await launch(app().app, { account: app().account.id, campaign: id });
  await stage.db.run(sql`update campaign set send_at = now() - interval '2 days' where id = ${id}`);
  await call('listSubscribe', { id: to, email_address: email, double_optin: false });
  await stage.db.run(sql`
    update subscription
    set signup_at = now() - interval '1 day', optin_at = now() - interval '1 day', confirm_at = now() - interval '1 day', changed_at = now()
    where list_id = ${parseId(to)}`);
  await erasedDuring(email, 'tally', () => planOccasions(stage.db, 4 * 3_600_000));
});

test('while a single message to it is queued; one that is sent afterwards stays', async () => {
  const email = 'message@race.example';
  await listOf(app(), [email]);
  const message = { subject: 'Your order', plain: 'Text', to: [email] };
  await erasedDuring(email, 'tally', () => call('messageSend', message));
  const now = await stage.db.row<{ at: string }>(sql`select clock_timestamp()::text as at`);
  await call('messageSend', message);
  const placeholder = 'someone@erased.invalid';
  const erased = { account_id: app().account.id, contact_id: 1, addresses: [email], placeholder, erased_at: now!.at };
  await eraseCopies({ app: app().app, log: app().app.log, signal: new AbortController().signal }, erased, erasureParts);
  const row = await stage.db.row(sql`select from message_recipient where email_key = ${email}`);
  assert.ok(row, 'a message after the erasure is sent');
});

test('while a message to it is in flight, whose outcome is an event that names it', async () => {
  await stage.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${app().account.id}, 'All', 'http://127.0.0.1:9/', '{email.accepted}')`);
  const held = await inFlightElsewhere(stage, 1);
  const [{ email } = { email: '' }] = held.marked;
  assert.deepEqual(people(1), [email]);
  await call('contactErase', { email });
  await held.report([{ kind: 'accepted', code: 250, text: `OK for ${email}` }]);
  assert.ok(await stage.db.transaction((tx) => endChunk(tx, held.chunk, held.worker)));
  await jobs();
  assert.deepEqual(await placesOf(stage.db, email), []);
});

test('while a reply names it that pauses its campaign', async () => {
  const email = "o'reason+1@race.example";
  await listOf(app(), [email]);
  const cid = await aCampaign(app(), { to: ['another@race.example'] });
  const reason = packMessage(message('pause.not_sendable', { reason: `550 <O'Reason+1@race.example>: relay denied` }));
  await stage.db.run(sql`
    update campaign set status = 'paused', paused_from = 'sending', status_reason = ${reason} where id = ${parseId(cid)}`);
  await stage.db.run(sql`
    insert into refused_reply (account_id, campaign_id, signature, reply)
    values (${app().account.id}, ${parseId(cid)}, '550 relay denied', '550 <o''reason+1@race.example>: relay denied')`);
  await call('contactErase', { email });
  await jobs();
  assert.deepEqual(await placesOf(stage.db, email), []);
  const kept = await stage.db.row<{ reply: string; reason: string }>(sql`
    select r.reply, c.status_reason as reason
    from refused_reply r
    join campaign c on c.id = r.campaign_id
    where c.id = ${parseId(cid)}`);
  assert.match(kept!.reply, /^550 <[0-9a-f]{32}@erased\.invalid>: relay denied$/);
  assert.match(kept!.reason, /550 <[0-9a-f]{32}@erased\.invalid>: relay denied/);
});

test('while it is suppressed by another transaction', async () => {
  const email = 'complains@race.example';
  await listOf(app(), [email]);
  const client = await stage.db.pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `insert into suppression (account_id, kind, value, reason) values (${app().account.id}, 'address', '${email}', 'complaint')`,
    );
    await call('contactErase', { email });
    const cleaning = jobs();
    await client.query('commit');
    await cleaning;
  } finally {
    client.release(true);
  }
  assert.deepEqual(await placesOf(stage.db, email), []);
  await assert.rejects(
    call('messageSend', { subject: 'A', plain: 'Text', to: [email] }).then(async (answer) => {
      throw new Error(JSON.stringify(answer));
    }),
  );
});

test('encoded for a URL in what a receiver answered', async () => {
  const email = 'encoded+tag@race.example';
  await listOf(app(), [email]);
  const [hook] = await stage.db.rows<{ id: number }>(sql`select id from webhook limit 1`);
  await stage.db.run(sql`
    insert into webhook_attempt (account_id, webhook_id, kind, try, event_ids, url, headers, body, answer, outcome)
    values (${app().account.id}, ${hook!.id}, 'delivery', 1, '{}', 'http://127.0.0.1:9/', '{}', '{}',
      'see /people?email=encoded%2Btag%40race.example', 'failed')`);
  await call('contactErase', { email });
  await jobs();
  assert.deepEqual(await placesOf(stage.db, email), []);
});
