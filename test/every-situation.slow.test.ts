// Everything that is in progress in an account, in every situation of a whole installation: restored from a backup, three days without
// a process, workers and web processes killed. Afterwards each continues where it was, once, and the sums are those of the rows. What
// is in progress is in support/builders/in-progress.ts.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountById } from '../src/accounts/account/account.ts';
import { startAutomations } from '../src/automations/run/engine.ts';
import { backupToFile } from '../src/backup/files.ts';
import { doubtWaiting, restoredFrom } from '../src/backup/release.ts';
import { restoreBackup } from '../src/backup/restore.ts';
import { sql } from '../src/db/connect.ts';
import { startWorker } from '../src/delivery/worker.ts';
import { call } from '../src/doors/call.ts';
import { confirmSending } from '../src/jobs/sending-guard.ts';
import { type TaskDefinition, type TaskName, tasks } from '../src/jobs/tasks.ts';
import { handlers } from '../src/task-handlers.ts';
import { createServer } from '../src/web.ts';
import { type After, checkSums, kinds, type Situation, type Stand } from './support/builders/in-progress.ts';
import { type DatabaseClock, movableClock } from './support/clock/database-clock.ts';
import { testDatabase } from './support/database/database.ts';
import { placesOf } from './support/database/places.ts';
import { shownState } from './support/database/shown-state.ts';
import { appOn, testApp } from './support/installation/app.ts';
import { startProgram } from './support/installation/program.ts';
import { diceOf } from './support/judges/dice.ts';
import { until } from './support/run/until.ts';
import { startSink } from './support/smtp-sink/sink.ts';

const passphrase = 'correct horse battery';
const daySeconds = 86_400;

/** An account whose mail goes to a sink, without any worker. */
async function stand(
  t: TestContext,
  through?: (url: string) => Promise<string>,
): Promise<Stand & { settings: Settings }> {
  const folder = mkdtempSync(join(tmpdir(), 'situation-'));
  const sink = await startSink({ raw: true });
  const settings = { DATA_DIR: folder, SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` };
  const app = await testApp(settings, through);
  const base = await app.listen();
  t.after(async () => {
    await app.close();
    await sink.close();
    rmSync(folder, { recursive: true });
  });
  return { ...app, base, sink, settings };
}
type Settings = { DATA_DIR: string; SMTP_URL: string };

async function begin(on: Stand): Promise<Map<string, After>> {
  const begun = new Map<string, After>();
  for (const [name, kind] of Object.entries(kinds)) begun.set(name, await kind(on));
  return begun;
}

/** Starts a worker with everything, and looks at each kind. */
async function end(t: TestContext, on: Stand, situation: Situation, begun: Map<string, After>): Promise<void> {
  const worker = await startWorker(on.app, handlers);
  const engine = startAutomations(on.app);
  try {
    for (const [name, after] of begun) await t.test(name, () => after(on, situation));
    await t.test('the sums are those of the rows', () => checkSums(on, shownState));
  } finally {
    await engine.stop();
    await worker.stop();
  }
}

for (const how of ['send', 'unclear'] as const)
  test(`restored from a backup elsewhere, with what was queued to ${how}`, async (t) => {
    const source = await stand(t);
    const begun = await begin(source);
    const folder = mkdtempSync(join(tmpdir(), 'restored-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'one.backup');
    await backupToFile(source.app.db.url, file, { passphrase, sealKey: '', cost: 4 });
    const database = await testDatabase();
    t.after(() => database.close());
    await restoreBackup(database.url, createReadStream(file), { passphrase, sealKey: '' });
    const app = await appOn(database.url, { ...source.settings, DATA_DIR: folder });
    t.after(() => app.db.close());
    const server = await createServer(app);
    const base = await server.listen({ port: 0, host: '127.0.0.1' });
    app.baseUrl = base;
    t.after(() => server.close());
    const { id } = source.account;
    const restored: Stand = {
      app,
      account: (await accountById(app.db, id))!,
      call: async <T>(method: string, params = {}) =>
        (await call(app, method, params, { kind: 'system', accountId: id }, 'json')) as T,
      base,
      sink: source.sink,
    };
    if (how === 'unclear') await doubtWaiting(app, (await restoredFrom(app))!);
    assert.notEqual(await confirmSending(app.db, app.config.dataDir), '');
    await end(t, restored, how === 'send' ? 'restored' : 'in doubt', begun);
  });

test('three days without a process', async (t) => {
  let clock: DatabaseClock;
  const on = await stand(t, async (url) => {
    clock = await movableClock(url);
    return clock.url;
  });
  const begun = await begin(on);
  await clock!.set(3 * daySeconds);
  await end(t, on, 'three days down', begun);
});

test('every task of the timetable, one after another and all at once', async (t) => {
  const on = await stand(t);
  const begun = await begin(on);
  const context = { app: on.app, log: on.app.log, signal: new AbortController().signal };
  const timetable = (Object.entries(tasks) as [TaskName, TaskDefinition][])
    .filter(([, { cron }]) => cron !== undefined)
    .map(([name]) => name as 'requeueForgotten');
  for (const name of timetable) await handlers[name](context, {}, 1);
  await Promise.all(timetable.map((name) => handlers[name](context, {}, 1)));
  await end(t, on, 'killed', begun);
});

test('every contact erased', async (t) => {
  const on = await stand(t);
  await begin(on);
  const contacts = await on.app.db.rows<{ email: string; account: number }>(
    sql`select email, account_id as account from contact order by id`,
  );
  // Data of events is that of a person, too.
  const traces = [...contacts.map(({ email }) => email), 'shop.example/cart/7'];
  for (const [n, { email, account }] of contacts.entries()) {
    const given = { email, keep_suppressed: n % 2 === 0 };
    await call(on.app, 'contactErase', given, { kind: 'system', accountId: account }, 'json');
  }
  const sent = on.sink.log.length;
  const worker = await startWorker(on.app, handlers);
  const engine = startAutomations(on.app);
  try {
    await until('all copies are erased', async () => {
      const row = await on.app.db.row(sql`
        select from graphile_worker._private_jobs j
        join graphile_worker._private_tasks k on k.id = j.task_id
        where j.run_at <= now() and k.identifier <> 'cron'
        limit 1`);
      return row === undefined;
    });
    for (const trace of traces) await t.test(trace, async () => assert.deepEqual(await placesOf(on.app.db, trace), []));
    await t.test('nothing is sent to them', () => {
      const addressed = on.sink.log.slice(sent).map(({ to }) => to);
      assert.deepEqual(
        contacts.filter(({ email }) => addressed.includes(email)),
        [],
      );
    });
    await t.test('the sums are those of the rows', () => checkSums(on, shownState));
  } finally {
    await engine.stop();
    await worker.stop();
  }
});

test('two workers that are killed again and again', async (t) => {
  const on = await stand(t);
  const begun = await begin(on);
  const settings = { ...on.settings, DATABASE_URL: on.app.db.url, LOG_LEVEL: 'warn' };
  const dice = diceOf(11);
  const start = () => startProgram(['work'], settings);
  const running = [start(), start()];
  try {
    for (let killed = 0; killed < 8; killed += 1) {
      await sleep(300 + dice.below(1_200));
      const at = dice.below(running.length);
      running[at]!.kill('SIGKILL');
      await running[at]!.ended;
      running[at] = start();
    }
  } finally {
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map((program) => program.ended));
  }
  await end(t, on, 'killed', begun);
});
