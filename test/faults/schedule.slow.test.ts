// Due times: many schedulers at once, a launch that is killed, an unscheduling at the due time, and recipients at local
// times with killed workers (faults F50, F65, F66, F67, F44). FAULT_ROUNDS raises the number of races.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database, type Sql, sql, type Tx } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { launch, startDue } from '../../src/delivery/launch/launch.ts';
import { computeStarts } from '../../src/delivery/launch/local-time.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

let app: TestApp;
let sink: SinkProcess;
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 200);

before(async () => {
  app = await testApp();
  sink = await startSinkProcess();
});
after(async () => {
  await app.close();
  await sink.close();
});

async function listOf(count: number, zones: readonly string[] = []): Promise<string> {
  const list = await app.call<string>('listCreate', { title: 'List' });
  for (let from = 0; from < count; from += 2_000)
    await app.call('listBatchSubscribe', {
      id: list,
      batch: Array.from({ length: Math.min(2_000, count - from) }, (_, n) => ({
        EMAIL: `${list}.${from + n}@example.com`,
      })),
      double_optin: false,
    });
  for (const [n, zone] of zones.entries())
    await app.app.db.run(sql`update contact set time_zone = ${zone} where email = ${`${list}.${n}@example.com`}`);
  return list;
}

const draft = (list: string, options: object = {}) =>
  app.call<string>('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'S',
      from_email: 'us@example.com',
      from_name: 'Us',
      generate_text: true,
      ...options,
    },
    content: { html: '<p>News <a href="*|UNSUB|*">Leave</a></p>' },
  });

/** How often each campaign has been given to launch. */
async function launches(): Promise<Map<number, number>> {
  const rows = await app.app.db.rows<{ id: number; count: number }>(sql`
    select (payload ->> 'campaign_id')::int as id, count(*)::int as count
    from graphile_worker._private_jobs
    where payload ->> 'campaign_id' is not null
    group by 1`);
  return new Map(rows.map((row) => [row.id, row.count]));
}

test('F50 thirty-two schedulers start each of 300 due campaigns once, and two launches create its recipients once', async () => {
  const list = await listOf(40);
  const model = parseId(await draft(list));
  const ids = await app.app.db.rows<{ id: number }>(sql`
    insert into campaign (account_id, type, status, title, subject, from_name, reply_to, html, plain, schedule_at)
    select account_id, type, 'scheduled', title, subject, from_name, reply_to, html, plain, now() - make_interval(secs => n)
    from campaign, generate_series(1, 300) n
    where id = ${model}
    returning id`);
  await app.app.db.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id)
    select account_id, id, ${parseId(list)} from campaign where status = 'scheduled'`);
  const schedulers = Array.from({ length: 32 }, () => connect(app.app.db.url, { maxConnections: 1 }));
  try {
    const started = await Promise.all(
      schedulers.map(async (db) => {
        let count = 0;
        for (let some = 1; some > 0; count += some) some = await startDue(db);
        return count;
      }),
    );
    // A scheduler that found all rows locked by others is done early; the next second's look takes the rest.
    const rest = await startDue(schedulers[0]!);
    assert.equal(
      started.reduce((sum, n) => sum + n, rest),
      300,
    );
  } finally {
    await Promise.all(schedulers.map((db) => db.close()));
  }
  const given = await launches();
  assert.ok(ids.every(({ id }) => given.get(id) === 1));
  for (const { id } of ids.slice(0, 10)) {
    await Promise.allSettled([1, 2, 3].map(() => launch(app.app, { account: app.account.id, campaign: id })));
    const row = await app.app.db.row(sql`
      select (select count(*)::int from delivery where campaign_id = ${id}) as rows,
        (select sum(recipients)::int from tally where campaign_id = ${id}) as recipients,
        (select sum(to_seq - from_seq + 1)::int from chunk where campaign_id = ${id}) as cut`);
    assert.deepEqual(row, { rows: 40, recipients: 40, cut: 40 });
  }
});

/** A database whose connection is cut before the given statement of a transaction. */
function cutBefore(db: Database, statement: number): Database & { readonly cut: boolean } {
  let cut = false;
  return {
    ...db,
    get cut() {
      return cut;
    },
    transaction: (work) =>
      db.transaction(async (tx) => {
        let count = 0;
        const step = async () => {
          count += 1;
          if (count !== statement) return;
          cut = true;
          const mine = await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`);
          await db.run(sql`select pg_terminate_backend(${mine!.pid})`);
        };
        const through: Tx = {
          client: tx.client,
          rows: <T>(given: Sql) => step().then(() => tx.rows<T>(given)),
          row: <T>(given: Sql) => step().then(() => tx.row<T>(given)),
          run: (given) => step().then(() => tx.run(given)),
        };
        return work(through);
      }),
  };
}

test('F66 a launch whose connection is cut at any statement leaves nothing, and is complete the next time', async () => {
  const count = 600;
  const cid = await draft(await listOf(count));
  const id = parseId(cid);
  await app.app.db.run(sql`update campaign set status = 'launching' where id = ${id}`);
  const state = () =>
    app.app.db.row(sql`
      select status, (select count(*)::int from delivery where campaign_id = ${id}) as rows,
        (select count(*)::int from chunk where campaign_id = ${id}) as chunks,
        (select count(*)::int from tally where campaign_id = ${id}) as tallies,
        (select count(*)::int from frozen_content where campaign_id = ${id}) as contents
      from campaign
      where id = ${id}`);
  let cuts = 0;
  for (let statement = 1; statement < 100; statement++) {
    const db = cutBefore(app.app.db, statement);
    const failed = await launch({ ...app.app, db }, { account: app.account.id, campaign: id }).then(
      () => false,
      () => true,
    );
    assert.equal(failed, db.cut);
    if (!db.cut) break;
    cuts += 1;
    assert.deepEqual(
      await state(),
      { status: 'launching', rows: 0, chunks: 0, tallies: 0, contents: 0 },
      `${statement}`,
    );
  }
  assert.ok(cuts >= 10, `${cuts} statements`);
  assert.deepEqual(await state(), { status: 'sending', rows: count, chunks: 4, tallies: 1, contents: 1 });
});

test(`F67 ${rounds} unschedulings at the due time end as a draft that is not launched, or as a launch`, async () => {
  const list = await listOf(1);
  const dice = diceOf(67);
  const schedulers = [1, 2].map(() => connect(app.app.db.url, { maxConnections: 1 }));
  let drafts = 0;
  try {
    for (let round = 0; round < rounds; round += 10) {
      const cids = await Promise.all(Array.from({ length: 10 }, () => draft(list)));
      const ids = cids.map(parseId);
      await app.app.db.run(sql`
        update campaign
        set status = 'scheduled', schedule_at = now() + interval '10 milliseconds'
        where id = any (${ids}::int[])`);
      await sleep(5);
      const [outcomes] = await Promise.all([
        Promise.all(
          cids.map(async (cid) => {
            await sleep(dice.below(11));
            return app.call('campaignUnschedule', { cid }).then(
              () => 'draft',
              (error: { code?: number }) => (error.code === 313 ? 'launching' : `fault ${error.code}`),
            );
          }),
        ),
        ...schedulers.map(async (db) => {
          for (let tries = 0; tries < 6; tries++) {
            await startDue(db);
            await sleep(2);
          }
        }),
      ]);
      await startDue(app.app.db);
      const given = await launches();
      const rows = await app.app.db.rows<{ id: number; status: string }>(
        sql`select id, status from campaign where id = any (${ids}::int[])`,
      );
      for (const [n, outcome] of outcomes.entries()) {
        const row = rows.find((row) => row.id === ids[n])!;
        assert.equal(row.status, outcome);
        assert.equal(given.get(row.id) ?? 0, outcome === 'draft' ? 0 : 1);
        if (outcome === 'draft') drafts += 1;
      }
    }
  } finally {
    await Promise.all(schedulers.map((db) => db.close()));
  }
  assert.ok(drafts > 0 && drafts < rounds, `${drafts} of ${rounds} became drafts: both ends were reached`);
});

test('F44 a campaign started ten minutes late shows it in campaignProgress, one in time does not', async () => {
  const list = await listOf(1);
  const [late, prompt] = [await draft(list), await draft(list)];
  await app.app.db.run(sql`
    update campaign
    set status = 'scheduled', schedule_at = now() - case when id = ${parseId(late)} then interval '10 minutes' else interval '2 seconds' end
    where id in (${parseId(late)}, ${parseId(prompt)})`);
  await startDue(app.app.db);
  const lateBy = async (cid: string) => (await app.call<{ late_by: number }>('campaignProgress', { cid })).late_by;
  assert.ok((await lateBy(late)) >= 600 && (await lateBy(late)) < 630);
  assert.equal(await lateBy(prompt), 0);
});

/** From twelve hours behind GMT to fourteen ahead of it, without GMT itself. */
const zones = Array.from({ length: 27 }, (_, n) => n - 12)
  .filter((hours) => hours !== 0)
  .map((hours) => ({ hours, name: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}` }));

/** Launches a campaign by recipients' clocks. @returns each recipient's due time as hours from the schedule */
async function matched(list: string, inHours: number): Promise<{ id: number; hours: number[] }> {
  const cid = await draft(list, { time_match: true });
  const id = parseId(cid);
  await app.app.db.run(sql`
    update campaign set status = 'scheduled', schedule_at = date_trunc('second', now()) + make_interval(mins => ${inHours * 60})
    where id = ${id}`);
  // Not waited for: the time at which the first are due is what counts at the launch, be it over or ahead.
  await computeStarts(app.app.db);
  await app.app.db.run(sql`update campaign set status = 'launching' where id = ${id}`);
  await launch(app.app, { account: app.account.id, campaign: id });
  const rows = await app.app.db.rows<{ hours: number }>(sql`
    select extract(epoch from d.due_at - p.schedule_at)::float8 / 3600 as hours
    from delivery d
    join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
    join contact c on c.account_id = d.account_id and c.id = d.contact_id
    where d.campaign_id = ${id}
    order by substring(c.email from '[.](\\d+)@')::int`);
  return { id, hours: rows.map((row) => row.hours) };
}

test('recipients whose time has passed get the message at once or, by the setting when_past, at that time of the next day', async () => {
  await app.app.db.run(sql`update account set time_zone = 'Etc/UTC'`);
  const list = await listOf(
    zones.length,
    zones.map((zone) => zone.name),
  );
  for (const whenPast of ['at-once', 'next-day']) {
    await app.call('accountUpdate', { name: 'when_past', value: whenPast });
    const { hours } = await matched(list, 2.5);
    for (const [n, zone] of zones.entries()) {
      const over = zone.hours > 2.5;
      const wanted = !over ? -zone.hours : whenPast === 'next-day' ? 24 - zone.hours : -2.5;
      assert.ok(Math.abs(hours[n]! - wanted) < 0.01, `${whenPast} ${zone.name}: ${hours[n]}, not ${wanted}`);
    }
  }
});

test('F65 in 26 zones each recipient gets the message once, at its local time, while workers are killed repeatedly', async () => {
  await app.app.db.run(sql`update account set time_zone = 'Etc/UTC'`);
  const list = await listOf(
    zones.length,
    zones.map((zone) => zone.name),
  );
  const { id, hours } = await matched(list, 15);
  assert.deepEqual(
    hours.map((hour) => Math.round(hour)),
    zones.map((zone) => -zone.hours),
  );
  const folder = mkdtempSync(join(tmpdir(), 'zones-'));
  const programs: Program[] = [];
  const start = () => {
    const program = startProgram(['work'], { DATABASE_URL: app.app.db.url, DATA_DIR: folder, SMTP_URL: sink.url });
    programs.push(program);
    return program;
  };
  try {
    await Promise.all([start().ready, start().ready]);
    // An hour becomes a quarter of a second; what distinguishes them is kept: one due time a zone.
    await app.app.db.transaction(async (tx) => {
      const hurried = sql`now() + interval '1 second' + (due_at - (select min(due_at) from delivery where campaign_id = ${id})) / 14400`;
      await tx.run(sql`update chunk set due_at = ${hurried} where campaign_id = ${id}`);
      await tx.run(sql`update delivery set due_at = ${hurried} where campaign_id = ${id}`);
    });
    const dueTimes = async () =>
      new Map(
        (
          await app.app.db.rows<{ email: string; dueAt: Date; doneAt: Date | null }>(
            sql`select email, due_at as "dueAt", done_at as "doneAt" from delivery where campaign_id = ${id}`,
          )
        ).map((row) => [row.email, row]),
      );
    const before = await dueTimes();
    // A busy machine makes a domain look slow, and its recipients are deferred by 20 seconds: once for each worker.
    const deadline = performance.now() + 150_000;
    let kills = 0;
    for (;;) {
      const all = [...(await dueTimes()).values()];
      if (all.every((row) => row.doneAt)) break;
      assert.ok(performance.now() < deadline, `${all.filter((row) => !row.doneAt).length} are left`);
      await sleep(1_000);
      if (kills < 5) {
        programs[kills]!.kill('SIGKILL');
        kills += 1;
        start();
      }
    }
    assert.ok(kills >= 2, `${kills} kills`);
    const after = await dueTimes();
    const accepted = sink.accepted();
    for (const [email, { dueAt }] of before) {
      assert.equal(after.get(email)!.dueAt.getTime(), dueAt.getTime(), 'the due time is not moved');
      const lateMs = after.get(email)!.doneAt!.getTime() - dueAt.getTime();
      assert.ok(lateMs >= 0, `${email}: ${lateMs} ms`);
      assert.equal(accepted.get(email), 1);
    }
    const times = new Set([...before.values()].map((row) => row.dueAt.getTime()));
    assert.equal(times.size, 26);
  } finally {
    for (const program of programs) program.kill('SIGKILL');
    await Promise.all(programs.map((program) => program.ended));
    rmSync(folder, { recursive: true, force: true });
    await app.app.db.run(sql`update campaign set status = 'paused', paused_from = 'sending' where status = 'sending'`);
  }
});
