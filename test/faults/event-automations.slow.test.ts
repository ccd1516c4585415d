// An automation that events start, while the web process that takes the events and the workers are killed at random: each event counts
// once, each contact enters once and gets its email once (a marked copy where a worker died between the final dot and the reply).
// The program that reports the events repeats each batch that got no answer, as the documentation asks it to.
// EVENT_CONTACTS and EVENT_KILLS make it smaller.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const contacts = Number(process.env['EVENT_CONTACTS'] ?? 100_000);
const kills = Number(process.env['EVENT_KILLS'] ?? 50);
const batchSize = 200;
const limitMs = 40 * 60_000;

let app: TestApp;
let sink: SinkProcess;
let folder: string;
let port: number;

before(async () => {
  app = await testApp();
  sink = await startSinkProcess();
  folder = mkdtempSync(join(tmpdir(), 'event-automations-'));
  port = await freePort();
});
after(async () => {
  await app.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({
  DATABASE_URL: app.app.db.url,
  DATA_DIR: folder,
  SMTP_URL: sink.url,
  LOG_LEVEL: 'warn',
  PORT: String(port),
  API_RATE: '100000',
});
const start = (command: 'web' | 'work'): Program => startProgram([command], settings());
const addressOf = (n: number) => `reader${n}@good.example`;

const subscribeAll = (list: string) =>
  app.app.db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain)
      select ${app.account.id}::int, address, address, 'good.example'
      from generate_series(0, ${contacts - 1}::int) n, lateral (select format('reader%s@good.example', n) as address) a
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(list)}::int, id, 'subscribed', now()
    from made`);

type Answer = { success_count: number; duplicate_count: number; error_count: number };

/** Reports a batch until there is an answer. */
async function report(from: number, signal: AbortSignal): Promise<Answer> {
  const events = Array.from({ length: Math.min(batchSize, contacts - from) }, (_, i) => ({
    name: 'cart.abandoned',
    email_address: addressOf(from + i),
    data: { cart_url: `https://shop.example/cart/${from + i}`, items: [{ name: 'Teapot', price: '59.90' }] },
    value: 59.9,
    id: `cart-${from + i}`,
  }));
  for (;;) {
    signal.throwIfAborted();
    const answer = await fetch(`http://127.0.0.1:${port}/api/eventSendBatch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    }).catch(() => undefined);
    const body = await answer?.text().catch(() => undefined);
    if (answer?.ok && body !== undefined) return JSON.parse(body) as Answer;
    await sleep(200);
  }
}

/** Reports an event about each contact; what each batch came to in all its answers. */
async function reportAll(signal: AbortSignal): Promise<number> {
  let repeated = 0;
  for (let from = 0; from < contacts; from += batchSize) {
    // A program that is not sure sends the batch again, also after its answer.
    for (let time = 0; time < (from % (batchSize * 10) === 0 ? 2 : 1); time++) {
      const { success_count, duplicate_count, error_count } = await report(from, signal);
      assert.equal(error_count, 0);
      assert.equal(success_count + duplicate_count, Math.min(batchSize, contacts - from));
      repeated += duplicate_count;
    }
  }
  return repeated;
}

async function startAutomation(list: string): Promise<{ id: number; email: number }> {
  const email = await app.call<string>('automationEmailCreate', { list, subject: 'Your cart', text: 'It waits' });
  const id = await app.call<string>('automationCreate', { title: 'Cart', list });
  await app.call('automationUpdate', {
    id,
    trigger: { type: 'event', name: 'cart.abandoned' },
    steps: [
      { key: 'cart', type: 'send', campaign: email },
      { key: 'pause', type: 'wait', amount: 1, unit: 'minutes' },
    ],
  });
  await app.call('automationStart', { id });
  return { id: parseId(id), email: parseId(email) };
}

async function look(id: number): Promise<{ entered: number; completed: number }> {
  const row = await app.app.db.row<{ entered: number; completed: number }>(sql`
    select count(*)::int as entered, count(*) filter (where outcome = 'completed')::int as completed
    from automation_run
    where automation_id = ${id}`);
  return row!;
}

test(`F05 events about ${contacts} contacts count once each while web and workers are killed ${kills} times`, async (t) => {
  const list = await app.call<string>('listCreate', { title: 'List' });
  const { id, email } = await startAutomation(list);
  await subscribeAll(list);
  const dice = diceOf(7);
  const commands = ['web', 'work', 'work'] as const;
  const running = commands.map(start);
  const reporting = new AbortController();
  let isReported = false;
  const reported = reportAll(reporting.signal).finally(() => {
    isReported = true;
  });
  reported.catch(() => {});
  let killed = 0;
  const startedAt = performance.now();
  try {
    for (;;) {
      const state = await look(id);
      assert.ok(performance.now() - startedAt < limitMs, `in time: ${JSON.stringify(state)}, ${killed} kills`);
      await sleep(500 + dice.below(1_500));
      if (killed < kills) {
        // The web process while there is something to report, the workers at any time.
        const at = isReported ? 1 + dice.below(2) : dice.below(running.length);
        running[at]!.kill('SIGKILL');
        await running[at]!.ended;
        running[at] = start(commands[at]!);
        killed += 1;
      } else if (isReported && state.completed === contacts && (await isSent(email))) break;
    }
  } finally {
    reporting.abort();
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map((program) => program.ended));
  }
  t.diagnostic(
    `${killed} kills in ${Math.round((performance.now() - startedAt) / 1_000)} s, ${await reported} repeated events`,
  );
  await checkOutcome(id, email);
});

/** All recipients have an outcome. */
async function isSent(email: number): Promise<boolean> {
  const row = await app.app.db.row<{ open: number }>(sql`
    select sum(queued + trying + later + unclear)::int as open from tally where campaign_id = ${email}`);
  return row!.open === 0;
}

async function checkOutcome(id: number, email: number): Promise<void> {
  const { db } = app.app;
  assert.deepEqual(await look(id), { entered: contacts, completed: contacts });
  const events = await db.row<{ rows: number; contacts: number; value: string }>(sql`
    select count(*)::int as rows, count(distinct contact_id)::int as contacts, sum(value)::text as value from contact_event`);
  assert.deepEqual([events!.rows, events!.contacts], [contacts, contacts]);
  assert.equal(Number(events!.value), Math.round(contacts * 599) / 10);
  const runs = await db.row<{ contacts: number; own: number }>(sql`
    select count(distinct r.contact_id)::int as contacts,
      count(*) filter (where r.event -> 'data' ->> 'cart_url' =
        'https://shop.example/cart/' || substring(c.email from 'reader([0-9]+)@'))::int as own
    from automation_run r
    join contact c on c.account_id = r.account_id and c.id = r.contact_id
    where r.automation_id = ${id}`);
  assert.deepEqual(runs, { contacts, own: contacts }, 'each contact is inside once, with the data of its own event');
  const rows = await db.rows<{ email: string; rows: number; resent: number; accepted: number }>(sql`
    select email, count(*)::int as rows, sum(resent)::int as resent, count(*) filter (where state = 2)::int as accepted
    from delivery
    where campaign_id = ${email}
    group by email`);
  assert.equal(rows.length, contacts);
  const accepted = sink.accepted();
  for (const { email, rows: due, resent, accepted: known } of rows) {
    assert.deepEqual([due, known], [1, 1], email);
    const times = accepted.get(email) ?? 0;
    assert.ok(times >= 1 && times <= 1 + resent, `${email}: ${times} messages, ${resent} marked copies`);
  }
}
