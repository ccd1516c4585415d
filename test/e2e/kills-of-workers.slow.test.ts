// F05, F07: kill -9 of workers and SIGTERM of the program during a campaign. The other kills: kills.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kill } from '../support/installation/installation.ts';
import {
  installation,
  progress,
  reached,
  recipients,
  settled,
  started,
  untilAccepted,
} from '../support/installation/killed-campaign.ts';

test('F05 kill -9 of workers, twice: no recipient is lost, duplicates are marked', async () => {
  const cid = await started('worker');
  for (let round = 1; round <= 2; round++) {
    await untilAccepted(cid, round * 200);
    const [pid] = installation.pids('work');
    if (pid) kill(pid, 'SIGKILL');
  }
  await settled(cid, 'worker', 'kill -9 of a worker, twice');
});

test('F07 SIGTERM during a campaign leaves no recipient unclear, and the next start resumes it', async () => {
  const cid = await started('stop');
  await untilAccepted(cid, 200);
  await installation.stop();
  const acceptedAtStop = reached('stop').size;
  assert.ok(acceptedAtStop < recipients, 'the campaign was still in progress');
  await installation.start();
  await settled(cid, 'stop', 'SIGTERM and a new start');
  assert.equal((await progress(cid)).resent, 0);
});
