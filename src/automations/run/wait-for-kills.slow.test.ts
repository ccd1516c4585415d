// Steps that wait for an event, with real worker processes that are killed at random while the events come: each contact takes one
// arm, once, and it is the right one. WAIT_CONTACTS and WAIT_KILLS change the size.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type Program, startProgram } from '../../../test/support/installation/program.ts';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

const contacts = Number(process.env['WAIT_CONTACTS'] ?? 2_000);
const kills = Number(process.env['WAIT_KILLS'] ?? 15);
const limitMs = 10 * 60_000;

let app: TestApp;
let folder: string;
before(async () => {
  app = await testApp();
  folder = mkdtempSync(join(tmpdir(), 'wait-for-'));
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const worker = (): Program =>
  startProgram(['work'], { DATABASE_URL: app.app.db.url, DATA_DIR: folder, LOG_LEVEL: 'warn' });

type Runs = { entered: number; completed: number; wrong: number };
const look = async (id: number) =>
  (await app.app.db.row<Runs>(sql`
    with shown as (
      select step, count(*) as waiting from automation_run where automation_id = ${id} and ended_at is null group by step
    )
    select count(*)::int as entered, count(*) filter (where outcome = 'completed')::int as completed, (
        select count(*)
        from automation_tally t
        full join shown s on s.step = t.step
        where t.step is distinct from '' and coalesce(t.waiting, 0) <> coalesce(s.waiting, 0)
      )::int as wrong
    from automation_run
    where automation_id = ${id}`))!;

test(`${contacts} contacts wait for an event while workers are killed ${kills} times`, async (t) => {
  const list = await app.call<string>('listCreate', { title: 'List' });
  await app.call('listMergeVarAdd', { id: list, tag: 'ARM', name: 'Arm' });
  const set = (value: string) => [{ key: value, type: 'set_field', field: 'ARM', value }];
  const named = await app.call<string>('automationCreate', { title: 'Waits', list });
  await app.call('automationUpdate', {
    id: named,
    trigger: { type: 'subscribed' },
    steps: [
      { key: 'wait', type: 'wait_for', name: 'invited', amount: 2, unit: 'minutes', yes: set('yes'), no: set('no') },
      { key: 'last', type: 'wait', amount: 1, unit: 'minutes' },
    ],
  });
  await app.call('automationStart', { id: named });
  const id = parseId(named)!;
  await app.app.db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain)
      select ${app.account.id}::int, address, address, 'good.example'
      from generate_series(1, ${contacts}::int) n, lateral (select 'waits.' || n || '@good.example' as address) a
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(list)}::int, id, 'subscribed', now()
    from made`);
  const dice = diceOf(3);
  const running = [worker(), worker()];
  const startedAt = performance.now();
  let killed = 0;
  let sent = 0;
  try {
    for (let state = await look(id); state.completed < contacts; state = await look(id)) {
      assert.ok(performance.now() - startedAt < limitMs, `in time: ${JSON.stringify(state)}, ${killed} kills`);
      assert.equal(state.wrong, 0, 'the figures of the steps are what the contacts show');
      // Every second contact, and each of them twice.
      if (sent < contacts) {
        const numbers = Array.from({ length: 50 }, (_, i) => sent + 2 * (i + 1)).filter((n) => n <= contacts);
        const events = numbers.map((n) => ({ name: 'invited', email_address: `waits.${n}@good.example` }));
        await app.call('eventSendBatch', { events: [...events, ...events] });
        sent += 100;
      }
      await sleep(200 + dice.below(400));
      if (killed >= kills) continue;
      const at = dice.below(running.length);
      running[at]!.kill('SIGKILL');
      await running[at]!.ended;
      running[at] = worker();
      killed += 1;
      await sleep(800);
    }
  } finally {
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map((program) => program.ended));
  }
  t.diagnostic(`${killed} kills in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const ways = await app.app.db.rows(sql`
    select (right(split_part(c.email, '@', 1), 1)::int % 2 = 0) as even, s.fields ->> 'ARM' as arm, (
        select string_agg(x ->> 'step', ' ' order by n) from jsonb_array_elements(r.trail) with ordinality as e(x, n)
      ) as way, count(*)::int as count
    from automation_run r
    join contact c on c.account_id = r.account_id and c.id = r.contact_id
    join subscription s on s.account_id = r.account_id and s.contact_id = r.contact_id
    where r.automation_id = ${id}
    group by 1, 2, 3
    order by 1`);
  assert.deepEqual(ways, [
    { even: false, arm: 'no', way: 'wait no', count: contacts / 2 },
    { even: true, arm: 'yes', way: 'wait yes', count: contacts / 2 },
  ]);
  const figures = await app.app.db.rows(sql`
    select step, entered, waiting, passed from automation_tally where automation_id = ${id} and step in ('wait', 'yes', 'no') order by step`);
  assert.deepEqual(figures, [
    { step: 'no', entered: contacts / 2, waiting: 0, passed: contacts / 2 },
    { step: 'wait', entered: contacts, waiting: 0, passed: contacts },
    { step: 'yes', entered: contacts / 2, waiting: 0, passed: contacts / 2 },
  ]);
  assert.equal((await app.app.db.rows(sql`select from automation_signal`)).length, 0);
});
