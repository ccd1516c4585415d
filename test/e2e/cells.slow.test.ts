// An account moves from one installation to another, each with a PostgreSQL of its own, while it sends and while the mover is killed.
// KILLS sets how many movers are killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { raw, sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { replicatedTables } from '../../src/move/plan.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { listOf, plainHtml } from '../support/builders/campaigns.ts';
import { type Cell, type CellAccount, type Cells, ownersOf, twoCells } from '../support/cells/cells.ts';
import { missingHaproxy, startHaproxy } from '../support/cells/haproxy.ts';
import { missingForReplicas } from '../support/database/replicated.ts';
import { diceOf } from '../support/judges/dice.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';

const skip = missingForReplicas() ?? false;

const kills = Number(process.env['KILLS'] ?? 20);

let cells: Cells;
let receiver: Receiver;
before(async () => {
  if (skip) return;
  cells = await twoCells();
  receiver = await startReceiver();
  await Promise.all([cells.one.start('web', 'work'), cells.two.start('web', 'work')]);
});
after(async () => {
  await cells?.close();
  await receiver?.close();
});

/** The rows of an account in every table that goes with it. */
async function contents({ db }: Cell, id: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name } of await replicatedTables(db)) {
    const row = await db.row<{ rows: number; hash: string }>(sql`
      select count(*) as rows, coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as hash
      from ${raw(`"${name}"`)} t
      where account_id = ${id}`);
    if (row!.rows > 0) found[name] = `${row!.rows} ${row!.hash}`;
  }
  return found;
}

async function moved(account: CellAccount): Promise<void> {
  const mover = cells.mover(account);
  assert.equal(await mover.ended, 0, mover.output);
}

test('a quiet account is the same in its new installation, and gone from the old one', { skip }, async () => {
  const { one, two } = cells;
  const account = await cells.account('quiet@example.org');
  const other = await cells.account('other@example.org');
  const list = await listOf({ call: account.call1 }, ['ada@quiet.example', 'bea@quiet.example', 'cy@quiet.example']);
  await listOf({ call: other.call1 }, ['dan@other.example']);
  await account.call(one, 'listUnsubscribe', { id: list, email_address: 'cy@quiet.example', send_goodbye: false });
  await account.call(one, 'campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'quiet@example.org',
      from_name: 'Quiet',
      generate_text: true,
    },
    content: { html: plainHtml },
  });
  const before = await contents(one, account.id);
  assert.ok(Object.keys(before).length > 6, Object.keys(before).join());
  await moved(account);
  const after = await contents(two, account.id);
  // New numbers of records that no chain has yet, and the numbers of people.
  for (const table of ['consent', 'audit_entry']) {
    assert.equal(after[table]?.split(' ')[0], before[table]?.split(' ')[0], table);
    delete after[table];
    delete before[table];
  }
  assert.deepEqual(after, before);
  assert.deepEqual(await contents(one, account.id), {});
  assert.deepEqual(await ownersOf(cells, account), ['two']);
  assert.equal((await account.call<unknown[]>(two, 'listMembers', { id: list })).length, 2);
  await account.call(two, 'listSubscribe', {
    id: list,
    email_address: 'eve@quiet.example',
    merge_vars: {},
    double_optin: false,
  });
  assert.deepEqual(await ownersOf(cells, other), ['one']);
  assert.equal((await other.call<unknown[]>(one, 'lists')).length, 1);
  // Nothing is left of the replication.
  for (const { db } of [one, two]) {
    assert.deepEqual(await db.rows(sql`select slot_name from pg_replication_slots`), []);
    assert.deepEqual(await db.rows(sql`select subname from pg_subscription`), []);
    assert.deepEqual(await db.rows(sql`select pubname from pg_publication`), []);
    assert.deepEqual(await db.rows(sql`select tgname from pg_trigger where tgname like 'move_guard%'`), []);
  }
});

/** A campaign to a new list whose messages each take the relay a moment. */
async function sending(
  account: CellAccount,
  name: string,
  people: number,
): Promise<{ list: string; cid: string; emails: string[] }> {
  const emails = Array.from({ length: people }, (_, n) => `delay30-dot.${n}@d${n % 20}.${name}.example`);
  const list = await account.call<string>(cells.one, 'listCreate', { title: name });
  const batch = emails.map((EMAIL) => ({ EMAIL }));
  await account.call(cells.one, 'listBatchSubscribe', { id: list, batch, double_optin: false });
  const cid = await account.call<string>(cells.one, 'campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: name, from_email: `${name}@example.org`, from_name: name, generate_text: true },
    content: { html: `${plainHtml}<a href="https://example.com/offer">Offer</a>` },
  });
  await account.call(cells.one, 'campaignSendNow', { cid });
  return { list, cid, emails };
}

const takenOf = (name: string) => cells.sink.accepted().filter(({ to }) => to?.endsWith(`.${name}.example`));

async function sentOnce(
  at: Cell,
  account: CellAccount,
  { cid, emails }: { cid: string; emails: string[] },
  name: string,
) {
  await until(
    `${name} is sent`,
    async () =>
      (await account.call<{ delivery_status: string }>(at, 'campaignProgress', { cid })).delivery_status === 'sent',
    180_000,
  );
  const taken = takenOf(name).map(({ to }) => to!);
  assert.deepEqual(taken.toSorted(), emails.toSorted(), 'each recipient got one message');
}

test('an account moves in the middle of a campaign, with contacts in an automation and events waiting, while another account sends', {
  skip,
}, async () => {
  const { one, two } = cells;
  const account = await cells.account('busy@example.org');
  const other = await cells.account('neighbour@example.org');
  await receiver.down();
  const wid = await account.call<string>(one, 'webhookCreate', {
    title: 'Hook',
    options: {
      url: `${receiver.url}/hook`,
      events: ['contact.subscribe', 'automation.step'],
      sources: ['subscriber', 'admin', 'api'],
    },
  });
  const welcome = await account.call<string>(one, 'listCreate', { title: 'Welcome' });
  const id = await account.call<string>(one, 'automationCreate', { title: 'Welcome', list: welcome });
  await account.call(one, 'automationUpdate', {
    id,
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'wait', type: 'wait', amount: 1, unit: 'days' },
      { key: 'report', type: 'webhook', name: 'welcomed' },
    ],
  });
  await account.call(one, 'automationStart', { id });
  const joined = Array.from({ length: 200 }, (_, n) => ({ EMAIL: `w${n}@welcome.example` }));
  await account.call(one, 'listBatchSubscribe', { id: welcome, batch: joined, double_optin: false });
  await until('the contacts wait in the automation', async () => {
    const row = await one.db.row<{ waiting: number }>(
      sql`select count(*) as waiting from automation_run where account_id = ${account.id} and ended_at is null`,
    );
    return row!.waiting === joined.length;
  });
  const mine = await sending(account, 'busy', 900);
  const theirs = await sending(other, 'neighbour', 900);
  await until('a part is sent', () => takenOf('busy').length > 150 && takenOf('neighbour').length > 50);
  await moved(account);
  assert.ok(takenOf('busy').length > 150);
  await sentOnce(two, account, mine, 'busy');
  await sentOnce(one, other, theirs, 'neighbour');

  await receiver.up();
  // The next attempt would be minutes later.
  await two.db.run(sql`update webhook_delivery set next_at = now() where account_id = ${account.id}`);
  await two.db.run(
    sql`update automation_run set due_at = now(), step_at = now() - interval '1 day' where account_id = ${account.id}`,
  );
  const expected = 2 * joined.length + mine.emails.length;
  await until('all events have arrived', () => new Set(receiver.eventIds()).size >= expected, 120_000);
  assert.equal(receiver.eventIds().length, expected, `webhook ${wid}: each event once`);

  // What leads to the old installation still works.
  const contact = (await two.db.row<{ id: number }>(
    sql`select id from contact where account_id = ${account.id} and email_key = ${mine.emails[0]!}`,
  ))!;
  const tokens = tokensOf(one.app).tokens({
    account: account.id,
    campaign: parseId(mine.cid),
    seq: 1,
    contact: contact.id,
    lists: [parseId(mine.list)],
  });
  const click = await fetch(`${one.url}/c/${tokens.click}0`, { redirect: 'manual' });
  assert.equal(click.status, 307);
  assert.ok(click.headers.get('location')?.startsWith(`${two.url}/c/`));
  const left = await fetch(`${one.url}/u/${tokens.unsubscribe}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  assert.equal(left.status, 200);
  const { status } = await account.call<{ status: string }>(two, 'listMemberInfo', {
    id: mine.list,
    email_address: mine.emails[0],
  });
  assert.equal(status, 'unsubscribed');
  assert.equal(
    (await account.call<unknown[]>(one, 'listMembers', { id: mine.list, limit: 1_000 })).length,
    mine.emails.length - 1,
  );
  const xml = await fetch(`${one.url}/`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: `<?xml version="1.0"?><methodCall><methodName>ping</methodName><params><param><value><struct><member><name>apikey</name><value>${account.key}</value></member></struct></value></param></params></methodCall>`,
  });
  assert.match(await xml.text(), /Everything's Ok!/);
});

/** Finds a statement of the mover that waits for a lock of a table. */
const isWaiting = sql`
  select
  from pg_stat_activity
  where wait_event_type = 'Lock'
    and application_name = 'postrider cli'`;

/** Looks without a pause: a step may take milliseconds. One that was missed is over. */
async function untilAt({ id }: CellAccount, step: string, also: () => Promise<boolean>): Promise<void> {
  const order = ['copying', 'draining', 'fenced', 'moved', 'done'];
  for (const until = Date.now() + 120_000; ; ) {
    const row = await cells.one.db.row<{ step: string }>(sql`select step from account_move where account = ${id}`);
    if (order.indexOf(row?.step ?? '') >= order.indexOf(step) && (await also())) return;
    if (Date.now() > until) throw new Error(`not within two minutes: ${step}`);
  }
}

test(`a mover that is killed at each step and at random times leaves one owner, and the next one ends the move (${kills} kills)`, {
  skip,
}, async (t) => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);
  t.diagnostic(`SEED=${seed}`);
  const random = diceOf(seed);
  // Where the mover is held until it is killed: by a lock of what it writes next, or not at all.
  const places = [
    { at: 'copying' },
    { at: 'draining' },
    { at: 'fenced', held: { cell: cells.two, table: 'account' } },
    { at: 'fenced', held: { cell: cells.one, table: 'moved_address' } },
    { at: 'moved' },
  ] as const;
  for (let round = 0; round < kills; round++) {
    const name = `kill${round}`;
    const account = await cells.account(`${name}@example.org`);
    const campaign = await sending(account, name, 120);
    await until('a part is sent', () => takenOf(name).length > 10);
    let running = true;
    const owners = (async () => {
      for (; running; await sleep(20)) assert.ok((await ownersOf(cells, account)).length <= 1, 'two owners');
    })();
    // The first rounds kill at a step, the others at any time.
    const place = places[round];
    const held = place && 'held' in place ? place.held : undefined;
    const mover = cells.mover(account);
    if (!place) await Promise.race([sleep(500 + random.below(12_000)), mover.ended]);
    else if (!held) await untilAt(account, place.at, async () => true);
    else {
      // It has begun to copy: what it writes before is not held.
      await until(
        'the subscription',
        async () => (await cells.two.db.row(sql`select from pg_subscription`)) !== undefined,
      );
      await held.cell.db.transaction(async (tx) => {
        await tx.run(sql`lock table ${raw(held.table)} in share mode`);
        await untilAt(account, place.at, async () => (await tx.row(isWaiting)) !== undefined);
        mover.kill('SIGKILL');
      });
    }
    mover.kill('SIGKILL');
    await mover.ended;
    await moved(account);
    running = false;
    await owners;
    assert.deepEqual(await ownersOf(cells, account), ['two'], name);
    await sentOnce(cells.two, account, campaign, name);
    t.diagnostic(
      `killed at ${place ? `${place.at}${held ? `, before ${held.table}` : ''}` : 'a random time'}: moved, ${campaign.emails.length} messages, each once`,
    );
  }
});

test('a move that is cancelled leaves the account where it was, with all it had and all it was about to do', {
  skip,
}, async () => {
  const { one, two } = cells;
  const account = await cells.account('staying@example.org');
  const campaign = await sending(account, 'staying', 120);
  await until('a part is sent', () => takenOf('staying').length > 10);
  const mover = cells.mover(account);
  await until('the copy has begun', async () => (await contents(two, account.id))['contact'] !== undefined);
  mover.kill('SIGKILL');
  await mover.ended;
  for (let times = 0; times < 2; times++) {
    const cancel = cells.mover(account, '--cancel');
    assert.equal(await cancel.ended, 0, cancel.output);
  }
  assert.deepEqual(await contents(two, account.id), {});
  assert.deepEqual(await ownersOf(cells, account), ['one']);
  await sentOnce(one, account, campaign, 'staying');
  assert.deepEqual(await one.db.rows(sql`select slot_name from pg_replication_slots`), []);
  // It can be moved all the same.
  await moved(account);
  assert.deepEqual(await ownersOf(cells, account), ['two']);
  const late = cells.mover(account, '--cancel');
  assert.equal(await late.ended, 1);
  assert.match(late.output, /has moved already/);
});

test('programs behind the proxy of examples/cells reach their account in either cell', {
  skip: skip || missingHaproxy(),
}, async () => {
  const { one, two } = cells;
  const account = await cells.account('proxied@example.org');
  assert.match(account.key, /^[0-9a-f]{32}-c1$/);
  const proxy = await startHaproxy([one.url, two.url]);
  try {
    const lists = async (key: string) => {
      const form = await fetch(`${proxy.url}/1.3/?output=json&method=lists`, {
        method: 'POST',
        body: new URLSearchParams({ apikey: key }),
      });
      return (await form.json()) as { total?: number } | unknown[] | { code: number };
    };
    const before = await lists(account.key);
    await moved(account);
    assert.deepEqual(await lists(account.key), before, 'the first cell forwards the call');
    const key = await account.call<string>(two, 'apikeyAdd', { label: 'new', scope: 'full' });
    assert.equal((await account.call<unknown[]>(two, 'apikeys')).length, 2);
    assert.match(key, /^[0-9a-f]{32}-c2$/);
    assert.deepEqual(await lists(key), before, 'by the ending of its key');
    const json = await fetch(`${proxy.url}/api/ping`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{}',
    });
    assert.equal(json.status, 200);
  } finally {
    await proxy.close();
  }
});

test('an account that has moved can move back, and its keys and links lead to where it is', { skip }, async () => {
  const { one, two } = cells;
  const account = await cells.account('returning@example.org');
  const list = await listOf({ call: account.call1 }, ['ada@returning.example']);
  await moved(account);
  await account.call(two, 'listSubscribe', {
    id: list,
    email_address: 'bea@returning.example',
    merge_vars: {},
    double_optin: false,
  });
  const back = cells.moverBack(account);
  assert.equal(await back.ended, 0, back.output);
  assert.deepEqual(await ownersOf(cells, account), ['one']);
  for (const cell of [one, two])
    assert.equal((await account.call<unknown[]>(cell, 'listMembers', { id: list })).length, 2, cell.url);
  await moved(account);
  assert.deepEqual(await ownersOf(cells, account), ['two']);
  assert.equal((await account.call<unknown[]>(one, 'listMembers', { id: list })).length, 2);
});
