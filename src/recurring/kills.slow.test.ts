// A process that is killed while it makes an issue: while it reads the feed, and within the transaction, after the campaign was copied
// and filled and before it is sent. One issue is the result, and no trace of the attempts.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { item, rss } from '../../test/support/samples/feeds/sample.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';

const runner = join(import.meta.dirname, '../../test/support/installation/issue-runner.ts');
let app: TestApp;
let server: Server;
/** Requests that get no answer. */
let silent = true;
let requests = 0;

before(async () => {
  app = await testApp();
  server = createServer((_, response) => {
    requests++;
    if (!silent) response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await app.close();
});

const feed = rss(item('<title>One</title><link>https://site.example/one</link>'));

test('a process that is killed at any point leaves one issue', { timeout: 120_000 }, async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const id = await app.call<string>('recurringCreate', {
    title: 'Killed',
    list,
    schedule: { type: 'daily', time: '09:00' },
    time_zone: 'UTC',
    source_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`,
  });
  await app.call('recurringResume', { id });
  await app.app.db.run(sql`
    update recurring set next_at = '2027-03-01T09:00:00Z', try_at = '2027-03-01T09:00:00Z' where id = ${parseId(id)}`);
  const start = () =>
    spawn(
      process.execPath,
      [runner, app.app.db.url, String(app.account.id), String(parseId(id)), '2027-03-01T09:00:30Z'],
      { stdio: 'ignore' },
    );
  const traces = async () =>
    (await app.app.db.row<{ all: string }>(sql`
        select concat_ws(' ',
          (select count(*) from recurring_issue where recurring_id = ${parseId(id)}),
          (select count(*) from recurring_item where recurring_id = ${parseId(id)}),
          (select count(*) from campaign where title like 'Killed 2027%')) as all`))!.all;

  // While the feed is read.
  const reading = start();
  await until(() => requests > 0);
  await kill(reading);
  assert.equal(await traces(), '0 0 0');

  // Within the transaction: it waits for the list, which the check before sending locks.
  silent = false;
  await app.app.db.transaction(async (tx) => {
    await tx.run(sql`select from list where account_id = ${app.account.id} for update`);
    const writing = start();
    await until(async () => (await waiting()) > 0);
    await kill(writing);
  });
  await until(async () => (await waiting()) === 0);
  assert.equal(await traces(), '0 0 0');

  // To its end, and again.
  for (let times = 0; times < 2; times++) {
    const [code] = await once(start(), 'exit');
    assert.equal(code, 0);
    assert.equal(await traces(), '1 1 1');
  }
  const { data } = await app.call<{ data: { state: string; items: number }[] }>('recurringIssues', { id });
  assert.deepEqual(
    data.map(({ state, items }) => [state, items]),
    [['sent', 1]],
  );
  const jobs = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'launchCampaign'`);
  assert.equal(jobs!.count, 1);
});

/** Sessions of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const row = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count
    from pg_stat_activity
    where datname = current_database()
      and wait_event_type = 'Lock'`);
  return row!.count;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(10);
}
