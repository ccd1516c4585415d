// Autoresponders with real worker processes: killed repeatedly, paused over the due time, with a wrong clock (faults
// F40, F41). What counts is what reaches the sink: one message per contact and occasion.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { planOccasions } from '../../src/delivery/launch/autoresponder-planner.ts';
import { launch, startDue } from '../../src/delivery/launch/launch.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Program, startProgram } from '../support/installation/program.ts';
import { until } from '../support/run/until.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const hourMs = 3_600_000;
let app: TestApp;
let sink: SinkProcess;
let folder: string;

before(async () => {
  app = await testApp();
  sink = await startSinkProcess();
  folder = mkdtempSync(join(tmpdir(), 'auto-'));
  await app.app.db.run(sql`update account set time_zone = 'Etc/UTC'`);
});
after(async () => {
  await app.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A list whose members joined so that a day later is so many seconds from now. */
async function joined(name: string, count: number, dueInSeconds: (n: number) => number): Promise<string> {
  const list = await app.call<string>('listCreate', { title: name });
  await app.call('listMergeVarAdd', { id: list, tag: 'BIRTH', name: 'Birth', options: { field_type: 'date' } });
  await app.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: count }, (_, n) => ({ EMAIL: `${name}${n}@example.com` })),
    double_optin: false,
  });
  for (let n = 0; n < count; n++)
    await app.app.db.run(sql`
      update subscription s
      set optin_at = now() - interval '1 day' + make_interval(secs => ${dueInSeconds(n)}), confirm_at = null
      from contact c
      where c.id = s.contact_id and c.email = ${`${name}${n}@example.com`}`);
  return list;
}

/** Makes an autoresponder, a day after the event, and starts it; it began two days ago. */
async function autoresponder(list: string, event: object = { event: 'signup' }): Promise<number> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'auto',
    options: { list_id: list, subject: 'Hello', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
    content: { html: '<p>Welcome <a href="*|UNSUB|*">Leave</a></p>' },
    type_opts: { 'offset-units': 'day', 'offset-time': 1, 'offset-dir': 'after', ...event },
  });
  const id = parseId(cid);
  await app.app.db.run(sql`update campaign set status = 'launching' where id = ${id}`);
  await launch(app.app, { account: app.account.id, campaign: id });
  await app.app.db.run(sql`update campaign set send_at = now() - interval '2 days' where id = ${id}`);
  return id;
}

const worker = (more: Record<string, string> = {}, node: string[] = []): Program =>
  startProgram(
    ['work'],
    { DATABASE_URL: app.app.db.url, DATA_DIR: folder, SMTP_URL: sink.url, LOG_LEVEL: 'warn', ...more },
    node,
  );

const got = (name: string) => [...sink.accepted()].filter(([email]) => email.startsWith(name));

async function end(programs: readonly Program[]): Promise<void> {
  for (const program of programs) program.kill('SIGKILL');
  await Promise.all(programs.map((program) => program.ended));
  await app.app.db.run(sql`update campaign set status = 'paused', paused_from = 'sending' where status = 'sending'`);
}

test('two workers that are killed repeatedly send an autoresponder to each contact once, none before its time', async () => {
  const count = 60;
  const list = await joined('kill', count, (n) => (n % 12) - 1);
  const id = await autoresponder(list);
  const programs = [worker(), worker()];
  try {
    for (let kills = 0; got('kill').length < count; kills++) {
      assert.ok(kills < 30, `${got('kill').length} of ${count}`);
      await sleep(1_500);
      if (kills >= 3) continue;
      programs[kills]!.kill('SIGKILL');
      programs.push(worker());
    }
    const rows = await app.app.db.rows<{ email: string; early: boolean; resent: number }>(sql`
      select d.email, d.first_at < s.optin_at + interval '1 day' as early, d.resent
      from delivery d
      join subscription s on s.account_id = d.account_id and s.contact_id = d.contact_id and s.list_id = d.list_id
      where d.campaign_id = ${id}`);
    assert.equal(rows.length, count);
    assert.ok(rows.every((row) => !row.early));
    // A copy is allowed where a worker died between the final dot and the answer, and is marked as one.
    for (const [email, times] of got('kill'))
      assert.ok(times <= 1 + rows.find((row) => row.email === email)!.resent, `${email}: ${times} messages`);
  } finally {
    await end(programs);
  }
});

test('an autoresponder that was paused sends messages less than MAX_LATENESS late, and skips the rest as late', async () => {
  const list = await joined('pause', 4, (n) => 60 + n);
  const id = await autoresponder(list);
  await planOccasions(app.app.db, 4 * hourMs);
  await app.call('campaignPause', { cid: formatId(id) });
  // The time passes: by five hours for two of them, by one for the others.
  await app.app.db.run(sql`
    update delivery
    set due_at = now() - case when seq <= 2 then interval '5 hours' else interval '1 hour' end
    where campaign_id = ${id}`);
  await app.app.db.run(sql`update chunk set due_at = now() - interval '5 hours' where campaign_id = ${id}`);
  const program = worker();
  try {
    await program.ready;
    await sleep(1_500);
    assert.equal(got('pause').length, 0);
    await app.call('campaignResume', { cid: formatId(id) });
    let rows: { state: number; reason: string | null }[] = [];
    await until('every recipient has an outcome', async () => {
      rows = await app.app.db.rows(sql`select state, reason from delivery where campaign_id = ${id} order by seq`);
      return rows.every(({ state }) => state === 2 || state === 5);
    });
    assert.equal(got('pause').length, 2);
    assert.deepEqual(
      rows.map((row) => [row.state, row.reason]),
      [
        [5, 'late'],
        [5, 'late'],
        [2, null],
        [2, null],
      ],
    );
  } finally {
    await end([program]);
  }
});

test("an anniversary and a date bring one message per occasion, at nine in the contact's time zone", async () => {
  const list = await joined('date', 2, () => 40_000);
  const { now } = (await app.app.db.row<{ now: Date }>(sql`select now() as now`))!;
  // A zone by whose clocks nine o'clock was within the last hour, and the dates counted from are the day before there.
  const offset = now.getUTCHours() <= 21 && now.getUTCHours() >= 0 ? 9 - now.getUTCHours() : 33 - now.getUTCHours();
  const zone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  const there = new Date(now.getTime() + offset * hourMs - 24 * hourMs).toISOString().slice(0, 10);
  for (const [n, day] of [`1960-${there.slice(5)}`, there].entries())
    await app.call('listUpdateMember', { id: list, email_address: `date${n}@example.com`, merge_vars: { BIRTH: day } });
  await app.app.db.run(sql`update contact set time_zone = ${zone} where email like 'date%'`);
  const annual = await autoresponder(list, { event: 'annual', 'event-datemerge': 'BIRTH' });
  const once = await autoresponder(list, { event: 'date', 'event-datemerge': 'BIRTH' });
  const program = worker();
  try {
    await until('three messages have arrived', () => got('date').reduce((sum, [, times]) => sum + times, 0) === 3);
    await sleep(1_200);
    assert.deepEqual(Object.fromEntries(got('date')), { 'date0@example.com': 1, 'date1@example.com': 2 });
    const occasions = await app.app.db.rows<{ id: number; occasion: string }>(
      sql`select campaign_id as id, occasion from delivery where campaign_id in (${annual}, ${once}) order by 1, 2`,
    );
    assert.deepEqual(
      new Set(occasions.map((row) => `${row.id} ${row.occasion}`)),
      new Set([`${annual} ${there}`, `${once} ${there}`]),
    );
  } finally {
    await end([program]);
  }
});

test('F40 F41 a worker whose clock is wrong, or jumps while it runs, sends by the clock of the database', async () => {
  const clock = join(folder, 'clock');
  writeFileSync(clock, '0');
  const list = await app.call<string>('listCreate', { title: 'Clock' });
  await app.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: 30 }, (_, n) => ({ EMAIL: `clock${n}@example.com` })),
    double_optin: false,
  });
  const scheduled = async (inSeconds: number) => {
    const cid = await app.call<string>('campaignCreate', {
      type: 'HTML',
      options: { list_id: list, subject: 'C', from_email: 'us@example.com', from_name: 'Us', generate_text: true },
      content: { html: '<p>News <a href="*|UNSUB|*">Leave</a></p>' },
    });
    await app.app.db.run(sql`
      update campaign set status = 'scheduled', schedule_at = now() + make_interval(secs => ${inSeconds})
      where id = ${parseId(cid)}`);
    return parseId(cid);
  };
  const program = worker({ CLOCK_FILE: clock }, [
    '--import',
    join(import.meta.dirname, '../support/clock/process-clock.ts'),
  ]);
  try {
    await program.ready;
    let messages = 0;
    for (const jump of [2 * 3_600, -2 * 3_600, 86_400, -365 * 86_400, -600]) {
      writeFileSync(clock, String(jump));
      await sleep(200);
      const far = await scheduled(3_000);
      const soon = await scheduled(1);
      messages += 30;
      await until(`all messages after a jump of ${jump} s: ${program.output.slice(-1_000)}`, async () => {
        const row = await app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${soon}`);
        return row!.status === 'sent';
      });
      const sent = got('clock').reduce((sum, [, times]) => sum + times, 0);
      assert.equal(sent, messages, `after a jump of ${jump} s`);
      const rows = await app.app.db.rows<{ early: boolean }>(sql`
        select d.first_at < p.schedule_at as early
        from delivery d join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
        where d.campaign_id = ${soon}`);
      assert.ok(rows.length === 30 && rows.every((row) => !row.early));
      const other = await app.app.db.row<{ status: string }>(sql`select status from campaign where id = ${far}`);
      assert.equal(other!.status, 'scheduled');
    }
    assert.equal(await startDue(app.app.db), 0);
    assert.match(program.output, /the clock of this machine is \d+ s (?:ahead of|behind) that of the database/);
  } finally {
    await end([program]);
  }
});
