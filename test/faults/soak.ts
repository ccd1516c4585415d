// The soak test: kill -9 of workers at random moments during a large campaign, then the sink's log is compared with the
// database. node test/faults/soak.ts [kills] [recipients] [seed]; by default 200 kills of 2 workers and 50,000
// recipients. All tasks of the timetable come up at random moments, in the workers that are killed. Exits with 1 when a recipient is lost, gets an unmarked copy, or the accounting is ever wrong.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { checkInvariants } from '../support/database/invariants.ts';
import { shownState } from '../support/database/shown-state.ts';
import { Engine } from '../support/delivery/engine.ts';
import { kill } from '../support/installation/installation.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { diceOf } from '../support/judges/dice.ts';
import { belowZero, disturb, timetable } from '../support/run/timetable.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';
import { table, within } from './table.ts';

const [kills = 200, recipients = 50_000, seed = 1] = process.argv.slice(2).map(Number);
const workers = 2;
const dice = diceOf(seed);
const sink = await startSinkProcess();
const engine = await Engine.start({ SMTP_URL: sink.url }, 0);
const { db, config } = engine.app.app;
const children = new Set<ChildProcess>();
let ending = false;

function begin(): void {
  // While there are kills to come each worker is slow enough for the campaign to outlast them, whatever a kill takes here.
  const secondsAKill = Math.max(4, (performance.now() - sendingSince) / 1_000 / Math.max(1, takeoverMs.length));
  const perSecond = Math.max(5, Math.round((recipients - reached) / ((kills - takeoverMs.length + 5) * secondsAKill)));
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'work'], {
    env: {
      ...bareEnvironment,
      DATABASE_URL: db.url,
      DATA_DIR: config.dataDir,
      SMTP_URL: ending ? sink.url : `${sink.url}&rate=${perSecond}/s`,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  children.add(child);
  child.on('exit', () => {
    children.delete(child);
    if (!ending || child.signalCode === 'SIGKILL') begin();
  });
}

const takeoverMs: number[] = [];
let reached = 0;
let sendingSince = performance.now();
const startedAt = performance.now();
const list = await engine.app.call<string>('listCreate', { title: 'List' });
await db.run(sql`
  with made as (
    insert into contact (account_id, email, email_key, domain)
    select l.account_id, address, address, 'good.example'
    from list l, generate_series(1, ${recipients}::int) n, lateral (select format('ok.%s@good.example', n) as address) a
    where l.id = ${parseId(list)}
    returning account_id, id
  )
  insert into subscription (account_id, list_id, contact_id, status, optin_at)
  select account_id, ${parseId(list)}::int, id, 'subscribed', now()
  from made`);
const id = await engine.sendTo(list);
console.log(`${recipients} recipients are launched after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
sendingSince = performance.now();
for (let i = 0; i < workers; i++) begin();

const disturbance = disturb(engine.app.app, 'as a job', seed, 1_000);
let looks = 0;
let violations = 0;
let watching = true;
const watch = (async () => {
  while (watching) {
    const row = await db.row<{ holds: boolean }>(sql`
      select (
          select array[count(*), count(*) filter (where state = 0), count(*) filter (where state = 1),
            count(*) filter (where state = 2), count(*) filter (where state = 3), count(*) filter (where state = 4),
            count(*) filter (where state = 5), count(*) filter (where state = 6)]
          from (select ${shownState} as state from delivery where campaign_id = ${id}) as recipients
        ) = (
          select array[sum(recipients), sum(queued), sum(trying), sum(accepted), sum(later), sum(failed), sum(skipped), sum(unclear)]
          from tally
          where campaign_id = ${id}
        ) as holds`);
    looks += 1;
    if (row?.holds !== true || (await belowZero(db)).length > 0) violations += 1;
    await sleep(250);
  }
})();

const holding = async (pid: number): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    select count(*) as count
    from chunk k
    join worker w on w.id = k.worker_id
    where k.state = 'leased'
      and w.pid = ${pid}`))!.count;

const othersLive = async (pid: number): Promise<boolean> => {
  const rest = [...children].map((child) => child.pid!).filter((item) => item !== pid);
  const row = await db.row<{ count: number }>(sql`
    select count(*) as count
    from worker
    where ended_at is null
      and pid = any (${rest}::int[])`);
  return row!.count > 0;
};

for (let done = 0; done < kills; ) {
  await sleep(dice.below(2_000));
  const [child] = [...children].slice(dice.below(children.size));
  // A worker that has not begun yet has nothing to lose, and another worker must be there to take over.
  if (!child?.pid || (await holding(child.pid)) === 0 || !(await othersLive(child.pid))) continue;
  kill(child.pid, 'SIGKILL');
  const killedAt = performance.now();
  while ((await holding(child.pid)) > 0) {
    if (performance.now() - killedAt > 60_000) throw new Error('no other worker has taken over within a minute');
    await sleep(20);
  }
  takeoverMs.push(performance.now() - killedAt);
  done += 1;
  if (done % 5 === 0) {
    const { accepted, status } = (await db.row<{ accepted: number; status: string }>(sql`
      select (select sum(accepted) from tally where campaign_id = ${id}) as accepted, status
      from campaign
      where id = ${id}`))!;
    reached = accepted;
    if (done % 20 === 0)
      console.log(`${done} kills, ${accepted} accepted, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    if (status === 'sent' && done < kills) throw new Error('the campaign was over before the kills were');
  }
}
ending = true;
await disturbance.stop();
for (const child of children) kill(child.pid!, 'SIGKILL');
await engine.untilStatus(id, 'sent', 600);
watching = false;
await watch;

const rows = await db.rows<{ email: string; state: number; resent: number }>(
  sql`select email, state, resent from delivery where campaign_id = ${id}`,
);
const accepted = sink.accepted();
const lost = rows.filter((row) => !accepted.has(row.email));
const phantom = rows.filter((row) => row.state === 2 && !accepted.has(row.email));
const unmarked = rows.filter((row) => (accepted.get(row.email) ?? 0) - 1 > row.resent);
const doubled = rows.filter((row) => (accepted.get(row.email) ?? 0) > 1);
const marked = rows.filter((row) => row.resent > 0);
const notAccepted = rows.filter((row) => row.state !== 2);
takeoverMs.sort((a, b) => a - b);
const at = (share: number) =>
  Math.round(takeoverMs[Math.min(takeoverMs.length - 1, Math.floor(takeoverMs.length * share))]!);
const result = {
  kills: takeoverMs.length,
  recipients: rows.length,
  seconds: Math.round((performance.now() - startedAt) / 1_000),
  reached: accepted.size,
  lost: lost.length,
  phantom: phantom.length,
  'state other than accepted': notAccepted.length,
  doubled: doubled.length,
  'doubled unmarked': unmarked.length,
  'marked as sent again': marked.length,
  'tasks of the timetable': [...disturbance.counts.values()].reduce((sum, count) => sum + count, 0),
  'looks at the accounting': looks,
  'looks that found it broken': violations,
  'takeover median ms': at(0.5),
  'takeover p95 ms': at(0.95),
  'takeover most ms': at(1),
};
console.table(result);
let broken = '';
await checkInvariants(db, sink.entries(), { campaign: id }).catch((error: Error) => {
  broken = error.message;
});
if (broken) console.log(broken);
for (const child of children) kill(child.pid!, 'SIGTERM');
while (children.size > 0) await sleep(50);
await engine.stop();
await sink.close();
const good =
  broken === '' &&
  disturbance.counts.size === timetable.length &&
  lost.length + phantom.length + unmarked.length + violations === 0 &&
  rows.length === recipients &&
  at(0.95) <= 5_000;
if (process.argv.length === 2) {
  const document = join(import.meta.dirname, '../../docs/reliability.md');
  const figures = Object.entries({ ...result, 'cores of the machine': availableParallelism() });
  const text = table(
    ['figure', 'value'],
    figures.map(([name, value]) => [name, String(value)]),
    1,
  );
  writeFileSync(document, within(readFileSync(document, 'utf8'), 'soak', text));
}
console.log(good ? 'The soak is passed.' : 'The soak has FAILED.');
process.exit(good ? 0 : 1);
