// A worker's row and the jobs that it has locked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { enqueue } from './queue.ts';
import { freeOrphanedJobs, markDeadWorkers, registerWorker } from './worker-presence.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const locked = async () => {
  const row = await t.app.db.row<{ jobs: number; queues: number }>(sql`
    select (select count(*)::int from graphile_worker._private_jobs where locked_by = 'worker-a') as jobs,
      (select count(*)::int from graphile_worker._private_job_queues where locked_by = 'worker-a') as queues`);
  return [row!.jobs, row!.queues];
};

/** A worker with a job that it never gave back, because the database refused while it stopped. */
async function workerWithJob() {
  const presence = await registerWorker(t.app.db, t.app.log, () => '');
  await presence.recordJobNames(['worker-a']);
  await enqueue(t.app.db, 'drawPreview', { account_id: 1, template_id: 1 });
  await t.app.db.run(
    sql`update graphile_worker._private_jobs set locked_by = 'worker-a', locked_at = now() where job_queue_id is not null`,
  );
  await t.app.db.run(
    sql`update graphile_worker._private_job_queues set locked_by = 'worker-a', locked_at = now() where queue_name = 'previews'`,
  );
  return presence;
}

test('a worker that ends in order leaves no job locked, even one that it could not give back', async () => {
  const presence = await workerWithJob();
  const before = await locked();
  await presence.end();
  assert.deepEqual(before, [1, 1]);
  assert.deepEqual(await locked(), [0, 0]);
  assert.deepEqual(await markDeadWorkers(t.app.db, t.app.log), []);
});

test('a worker that a fail-over forgot is registered again with the names of its jobs', async () => {
  const { db } = t.app;
  const presence = await workerWithJob();
  await db.run(sql`delete from worker where id = ${presence.workerId}`);
  await presence.registerAgain();
  await presence.registerAgain();
  const row = await db.row(sql`select job_names, timeline from worker where id = ${presence.workerId}`);
  assert.deepEqual(row, { job_names: ['worker-a'], timeline: 0 });
  await presence.end();
  assert.deepEqual(await locked(), [0, 0]);
  await db.run(sql`delete from worker where id = ${presence.workerId}`);
});

test('a worker that was taken for dead gets its journal back with its lock', async () => {
  const { db, log } = t.app;
  const presence = await registerWorker(db, log, (id) => `/journal/${id}`);
  const row = () =>
    db.row<{ ended: boolean; journal: string }>(sql`
      select ended_at is not null as ended, journal from worker where id = ${presence.workerId}`);
  await db.run(
    sql`update worker set ended_at = now() - interval '1 hour', journal = '' where id = ${presence.workerId}`,
  );
  await db.run(sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where application_name = ${`postrider worker ${presence.workerId}`}`);
  for (const deadline = Date.now() + 10_000; (await row())!.ended && Date.now() < deadline; ) await sleep(20);
  assert.deepEqual(await row(), { ended: false, journal: `/journal/${presence.workerId}` });
  await presence.end();
});

test('jobs of a worker that died before it recorded its names are free after a minute, those of one alive are not', async () => {
  const { db, log } = t.app;
  const alive = await registerWorker(db, log, () => '');
  await alive.recordJobNames(['alive']);
  await enqueue(db, 'sendWelcome', { account_id: 1, list_id: 1, contact_id: 1 });
  await enqueue(db, 'sendGoodbye', { account_id: 1, list_id: 1, contact_id: 1 });
  const lock = (task: string, name: string, ago: string) =>
    db.run(sql`
      update graphile_worker._private_jobs
      set locked_by = ${name}, locked_at = now() - ${ago}::interval
      where task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`);
  await lock('sendWelcome', 'alive', '1 hour');
  await lock('sendGoodbye', 'gone', '30 seconds');
  assert.equal(await freeOrphanedJobs(db, log), 0, 'a worker that has just started has a minute');
  await lock('sendGoodbye', 'gone', '2 minutes');
  assert.equal(await freeOrphanedJobs(db, log), 1);
  const rows = await db.rows<{ name: string | null }>(sql`
    select locked_by as name from graphile_worker.jobs where task_identifier in ('sendWelcome', 'sendGoodbye') order by 1`);
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['alive', null],
  );
  await alive.end();
});
