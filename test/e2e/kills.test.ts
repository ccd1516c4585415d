// F01–F05, F10, F11: kill -9 of the worker, the web process, PostgreSQL and of everything, during a campaign.
// The sink's log is the truth: every recipient got the message, and a second copy only where it is marked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Installation, kill } from '../support/installation/installation.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';

const recipients = 1_000;
/** A minute has 300 calls for a key, over all tests of this file. */
const lookEveryMs = 250;
let installation: Installation;
let sink: SinkProcess;
const figures: string[] = [];

before(async () => {
  sink = await startSinkProcess();
  installation = new Installation({ SMTP_URL: sink.url });
  await installation.start();
});
after(async () => {
  console.log(figures.join('\n'));
  await installation.remove();
  await sink.close();
});

type Progress = {
  recipients: number;
  queued: number;
  trying: number;
  accepted: number;
  later: number;
  failed: number;
  skipped: number;
  unclear: number;
  resent: number;
  delivery_status: string;
};
const progress = (cid: string) => installation.call<Progress>('campaignProgress', { cid });
const sum = (p: Progress) => p.queued + p.trying + p.accepted + p.later + p.failed + p.skipped + p.unclear;

/** Each test has readers of its own, so that the sink's log of one is not taken for another's. */
const reader = (kind: string, n: number) => `${kind}.${n}@example.com`;

async function started(kind: string): Promise<string> {
  const list = await installation.listOf(recipients, (n) => reader(kind, n));
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  return cid;
}

/** Who of one test's readers was given the mail, and how often. */
const reached = (kind: string) => new Map([...sink.accepted()].filter(([email]) => email.startsWith(`${kind}.`)));

/** Waits for the end and holds the database against the sink's log. */
async function settled(cid: string, kind: string, name: string): Promise<void> {
  let violations = 0;
  await installation.until(
    'the campaign is sent',
    async () => {
      const now = await progress(cid).catch(() => undefined);
      if (now && now.recipients > 0 && sum(now) !== now.recipients) violations += 1;
      return now?.delivery_status === 'sent';
    },
    240,
    lookEveryMs,
  );
  assert.equal(violations, 0, 'the accounting identity held at every look');
  const end = await progress(cid);
  const accepted = reached(kind);
  const lost = Array.from({ length: recipients }, (_, n) => reader(kind, n)).filter((email) => !accepted.has(email));
  const doubled = [...accepted].filter(([, count]) => count > 1);
  const marked = await installation.call<{ total: number; data: { email: string; resent: number }[] }>(
    'campaignRecipients',
    { cid, filter: 'resent', limit: 15_000 },
  );
  const marks = new Map(marked.data.map((row) => [row.email, row.resent]));
  figures.push(
    `${name}: ${recipients} recipients, ${accepted.size} reached, ${lost.length} lost, ${doubled.length} doubled, ${marks.size} marked as sent again`,
  );
  assert.deepEqual(lost, []);
  assert.deepEqual(
    doubled.filter(([email, count]) => count - 1 > (marks.get(email) ?? 0)),
    [],
    'every extra copy is marked',
  );
  assert.equal(end.accepted, recipients);
  assert.equal(
    end.resent,
    [...marks.values()].reduce((all, one) => all + one, 0),
  );
}

const untilAccepted = (cid: string, count: number) =>
  installation.until(`${count} are accepted`, async () => (await progress(cid)).accepted >= count, 60, lookEveryMs);

test('F05 kill -9 of workers, three times: no recipient is lost, duplicates are marked', async () => {
  const cid = await started('worker');
  for (let round = 1; round <= 3; round++) {
    await untilAccepted(cid, round * 200);
    const [pid] = installation.pids('work');
    if (pid) kill(pid, 'SIGKILL');
  }
  await settled(cid, 'worker', 'kill -9 of a worker, 3 times');
});

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
