// A job has the attempts and the queue that the list of tasks declares, however it was added.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseCrontab } from 'graphile-worker';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { addJob, crontab, enqueue, enqueueSet, runJobs } from './queue.ts';
import { type TaskName, tasks } from './tasks.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

type Row = { task: string; queue: string | null; max: number; payload: unknown };
const jobs = (task: string) =>
  t.app.db.rows<Row>(sql`
    select k.identifier as task, q.queue_name as queue, j.max_attempts as max, j.payload
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    where k.identifier = ${task}
    order by j.id`);

test('a job has the attempts and the queue of its task', async () => {
  const payload = { account_id: 1, template_id: 2 };
  await enqueue(t.app.db, 'drawPreview', payload);
  await enqueue(t.app.db, 'drawPreview', payload, { queue: 'another' });
  assert.deepEqual(await jobs('drawPreview'), [
    { task: 'drawPreview', queue: 'previews', max: tasks.drawPreview.attempts, payload },
    { task: 'drawPreview', queue: 'another', max: tasks.drawPreview.attempts, payload },
  ]);
});

test('a statement adds a job for each of its rows', async () => {
  const members = { account_id: sql`1`, list_id: sql`n`, contact_id: sql`n * 10` };
  await enqueueSet(t.app.db, 'sendGoodbye', members, sql`from generate_series(1, 2) as n`);
  await t.app.db.run(sql`
    with numbers as (select 3 as n)
    select ${addJob('sendGoodbye', members)}
    from numbers`);
  assert.deepEqual(
    await jobs('sendGoodbye'),
    [1, 2, 3].map((n) => ({
      task: 'sendGoodbye',
      queue: null,
      max: tasks.sendGoodbye.attempts,
      payload: { account_id: 1, list_id: n, contact_id: n * 10 },
    })),
  );
});

test('a campaign that is sent and a link to sign in do not wait for the confirmations of an import', async () => {
  const { db } = t.app;
  const order: string[] = [];
  const contact = { account_id: sql`1`, list_id: sql`1`, contact_id: sql`n` };
  await enqueueSet(db, 'askToConfirm', contact, sql`from generate_series(1, 200) as n`);
  const confirm = { account_id: 1, list_id: 1, contact_id: 1 };
  await enqueue(db, 'sendConfirmation', confirm, { priority: 'bulk' });
  await enqueue(db, 'sendConfirmation', confirm);
  await enqueue(db, 'launchCampaign', { account_id: 2, campaign_id: 1 });
  await enqueue(db, 'sendSignInLink', { email: 'a@b.example' });
  const record = (name: string) => async () => {
    order.push(name);
  };
  const runner = await runJobs(
    t.app,
    {
      askToConfirm: record('ask'),
      sendConfirmation: record('confirmation'),
      launchCampaign: record('launch'),
      sendSignInLink: record('link'),
    },
    1,
  );
  for (const deadline = Date.now() + 20_000; order.length < 204 && Date.now() < deadline; )
    await new Promise((r) => setTimeout(r, 20));
  await runner.stop();
  assert.equal(order.length, 204);
  // Two slots take jobs at once, one of them urgent jobs alone: the other skips a job that is just being taken, so the first
  // few may change places. Behind the 200 requests they would be last.
  const latest = Math.max(...['launch', 'link', 'confirmation'].map((name) => order.indexOf(name)));
  assert.ok(latest < 6, order.slice(0, 10).join(', '));
  assert.ok(order.lastIndexOf('confirmation') > 100, 'the confirmation of the import waits');
});

test('a job that keeps failing is attempted as often as its task declares', async () => {
  let attempts = 0;
  await enqueue(t.app.db, 'sendWelcome', { account_id: 1, list_id: 1, contact_id: 1 });
  const runner = await runJobs(
    t.app,
    {
      sendWelcome: async () => {
        attempts++;
        throw new Error('no relay');
      },
    },
    1,
  );
  const job = async () =>
    (await t.app.db.row<{ attempts: number; locked: boolean }>(sql`
      select attempts, is_available = false and locked_at is not null as locked
      from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id
      where k.identifier = 'sendWelcome'`))!;
  const deadline = Date.now() + 10_000;
  while ((attempts === 0 || (await job()).locked) && Date.now() < deadline) await new Promise((r) => setTimeout(r, 20));
  await t.app.db.run(sql`
    update graphile_worker._private_jobs
    set attempts = ${tasks.sendWelcome.attempts - 1}, run_at = now()
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'sendWelcome')`);
  while ((attempts === 1 || (await job()).locked) && Date.now() < deadline) await new Promise((r) => setTimeout(r, 20));
  await runner.stop();
  const left = await t.app.db.row<{ available: boolean }>(sql`
    select is_available as available
    from graphile_worker._private_jobs
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'sendWelcome')`);
  assert.deepEqual([attempts, left!.available], [2, false]);
});

test('a task on a timetable is queued at most once, with its own attempts', () => {
  const [item] = parseCrontab(crontab(['foldMemberTally', 'sendWelcome']));
  assert.equal(item!.task, 'foldMemberTally');
  assert.deepEqual(
    [item!.options.maxAttempts, item!.options.jobKey],
    [tasks.foldMemberTally.attempts, 'foldMemberTally'],
  );
  const names = Object.keys(tasks) as TaskName[];
  assert.deepEqual(
    parseCrontab(crontab(names)).map(({ task }) => task),
    names.filter((name) => tasks[name].cron !== undefined),
  );
});

test('a campaign that is sent and a link to sign in do not wait for long jobs that fill all slots', async () => {
  const { db } = t.app;
  const urgent: string[] = [];
  let running = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (let n = 1; n <= 3; n++) await enqueue(db, 'undoImport', { account_id: n, import_id: n });
  const runner = await runJobs(
    t.app,
    {
      undoImport: async () => {
        running += 1;
        await released;
      },
      launchCampaign: async () => void urgent.push('launch'),
      sendSignInLink: async () => void urgent.push('link'),
    },
    2,
  );
  try {
    while (running < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await enqueue(db, 'launchCampaign', { account_id: 9, campaign_id: 1 });
    await enqueue(db, 'sendSignInLink', { email: 'a@b.example' });
    while (urgent.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(urgent.toSorted(), ['launch', 'link']);
    assert.equal(running, 2, 'imports use only the ordinary slots');
  } finally {
    release();
    await runner.stop();
  }
});
