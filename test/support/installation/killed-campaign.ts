// A campaign of an installation whose processes are killed while it is sent. The sink's log is the truth: every recipient got
// the message, and a second copy only where it is marked.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { CampaignProgress } from '../../../src/delivery/progress/feed.ts';
import { type SinkProcess, startSinkProcess } from '../smtp-sink/process.ts';
import { Installation } from './installation.ts';

export const recipients = 700;
/** A minute has 300 calls for a key, over all tests of this file. */
const lookEveryMs = 250;
export let installation: Installation;
export let sink: SinkProcess;
const figures: string[] = [];

before(async () => {
  sink = await startSinkProcess();
  // The rate keeps a campaign from ending before the test has seen it in progress.
  installation = new Installation({ SMTP_URL: sink.url, ACCOUNT_RATE: '150' });
  await installation.start();
});
after(async () => {
  console.log(figures.join('\n'));
  await installation.remove();
  await sink.close();
});

export const progress = (cid: string) => installation.call<CampaignProgress>('campaignProgress', { cid });
const sum = (p: CampaignProgress) => p.queued + p.trying + p.accepted + p.later + p.failed + p.skipped + p.unclear;

/** Each test has readers of its own, so that the sink's log of one is not taken for another's. */
const reader = (kind: string, n: number) => `${kind}.${n}@example.com`;

export async function started(kind: string): Promise<string> {
  const list = await installation.listOf(recipients, (n) => reader(kind, n));
  const cid = await installation.draft(list);
  await installation.call('campaignSendNow', { cid });
  return cid;
}

/** Who of one test's readers was given the mail, and how often. */
export const reached = (kind: string) =>
  new Map([...sink.accepted()].filter(([email]) => email.startsWith(`${kind}.`)));

/** Waits for the end and holds the database against the sink's log. */
export async function settled(cid: string, kind: string, name: string): Promise<void> {
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

export const untilAccepted = (cid: string, count: number) =>
  installation.until(`${count} are accepted`, async () => (await progress(cid)).accepted >= count, 60, lookEveryMs);
