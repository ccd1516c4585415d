// F01–F04, F10, F11: kill -9 of the web process, of PostgreSQL and of everything, during a campaign.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { kill } from '../support/installation/installation.ts';
import { installation, progress, settled, started, untilAccepted } from '../support/installation/killed-campaign.ts';

test('kill -9 of the web process during a campaign does not disturb the delivery', async () => {
  const cid = await started('web');
  await untilAccepted(cid, 200);
  for (const pid of installation.pids('web')) kill(pid, 'SIGKILL');
  await installation.until(
    'the web process is back',
    async () => (await fetch(`${installation.base}/ready`).catch(() => undefined))?.ok === true,
    90,
  );
  await settled(cid, 'web', 'kill -9 of the web process');
  assert.equal((await progress(cid)).resent, 0);
});

test('F11 kill -9 of all processes of PostgreSQL during a campaign', async () => {
  const cid = await started('database');
  await untilAccepted(cid, 200);
  const server = installation.pids('postgres');
  assert.ok(server.length > 5, `the server and its sessions: ${server}`);
  for (const pid of server) kill(pid, 'SIGKILL');
  await installation.until(
    'the database is back',
    async () => (await fetch(`${installation.base}/ready`).catch(() => undefined))?.ok === true,
    90,
  );
  await settled(cid, 'database', 'kill -9 of PostgreSQL');
});

test('after kill -9 of everything at once, a new start completes the campaign', async () => {
  const cid = await started('everything');
  await untilAccepted(cid, 200);
  const parts = ['work', 'web', 'postgres', 'inbox'] as const;
  const everything = parts.flatMap((part) => {
    const pids = installation.pids(part);
    assert.ok(pids.length > 0 || part === 'inbox', `no process of ${part} was found`);
    return pids;
  });
  await installation.killServe();
  for (const pid of everything) kill(pid, 'SIGKILL');
  await sleep(300);
  await installation.start();
  await settled(cid, 'everything', 'kill -9 of everything');
});
