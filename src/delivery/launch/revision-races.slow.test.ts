// A campaign whose text is corrected again and again while two workers send it: pauses, changes and resumptions at any moment, with
// messages in flight. Each recipient gets one message, with the text of its revision, and the report agrees.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { checkInvariants } from '../../../test/support/database/invariants.ts';
import { type SendingApp, sendingApp } from '../../../test/support/installation/sending-app.ts';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { until } from '../../../test/support/run/until.ts';
import { frozenOfRecipient } from '../../campaigns/model/variant.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { startWorker, type Worker } from '../worker.ts';
import { launchCampaign } from './launch.ts';

let t: SendingApp;
let second: Worker;
before(async () => {
  t = await sendingApp({ handlers: { launchCampaign }, relay: '&connections=3' });
  second = await startWorker(t.app, { launchCampaign });
});
after(async () => {
  await second.stop();
  await t.close();
});

test('every recipient gets the text of its revision, once, whenever the campaign is paused and corrected', async (c) => {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  const dice = diceOf(seed);
  c.diagnostic(`seed ${seed}`);
  // Some are slow at the dot, some are refused once and are sent to later.
  const people = Array.from({ length: 240 }, (_, n) => {
    const word = n % 3 === 0 ? 'delay300-dot' : n % 7 === 0 ? '451x1' : 'ok';
    return `${word}.${n}@d${n % 20}.races.example`;
  });
  const id = await launchedTo(t, await listOf(t, people));
  const cid = formatId(id);
  const status = async () =>
    (await t.app.db.row<{ status: string }>(sql`select status from campaign where id = ${id}`))!.status;
  let revision = 1;
  for (let round = 1; (await status()) !== 'sent' && round <= 25; round++) {
    await sleep(dice.below(400));
    const isPaused = await t.call('campaignPause', { cid }).then(
      () => true,
      () => false,
    );
    if (!isPaused) continue;
    // At once, while messages are in flight, or when they have ended.
    if (dice.below(2) === 0) await sleep(dice.below(400));
    const isChanged = await t.call('campaignUpdate', { cid, name: 'subject', value: `Revision ${round}` }).then(
      () => true,
      () => false,
    );
    await t.call('campaignResume', { cid });
    await until('it is sent on', async () => ['sending', 'sent', 'paused'].includes(await status()));
    if (isChanged) revision += 1;
    // What was deferred is due.
    await t.app.db.run(sql`update delivery set next_at = now() where campaign_id = ${id} and next_at > now()`);
    await t.app.db.run(sql`update chunk set due_at = now() where campaign_id = ${id} and state = 'waiting'`);
  }
  await until('it is sent', async () => {
    await t.app.db.run(sql`update delivery set next_at = now() where campaign_id = ${id} and next_at > now()`);
    await t.app.db.run(sql`update chunk set due_at = now() where campaign_id = ${id} and state = 'waiting'`);
    return (await status()) === 'sent';
  });
  const rows = await t.app.db.rows<{ email: string; subject: string[] }>(sql`
    select d.email, f.compiled -> 'subject' as subject
    from delivery d
    join frozen_content f on f.account_id = d.account_id and f.campaign_id = d.campaign_id and f.variant = ${frozenOfRecipient(sql`d`)}
    where d.campaign_id = ${id}`);
  const due = Object.fromEntries(rows.map(({ email, subject }) => [email, [subject.join('')]]));
  const got: Record<string, string[]> = {};
  for (const { event, to, raw } of t.sink.log)
    if (event === 'accepted') got[to!] = [...(got[to!] ?? []), /^Subject: (.*)\r$/m.exec(raw!)![1]!];
  assert.deepEqual(got, due, `seed ${seed}`);
  const report = await t.call<{ revision: number; recipients: number; sent: number }[]>('campaignRevisions', { cid });
  // A change before the first message is none.
  assert.ok([revision, revision - 1].includes(report.at(-1)!.revision), `seed ${seed}`);
  assert.equal(
    report.reduce((sum, one) => sum + one.sent, 0),
    people.length,
  );
  const counts: Record<string, number> = {};
  for (const [subject] of Object.values(due)) counts[subject!] = (counts[subject!] ?? 0) + 1;
  c.diagnostic(JSON.stringify(counts));
  assert.ok(Object.keys(counts).length > 2, 'several revisions were sent');
  await checkInvariants(t.app.db, t.sink.log, { campaign: id, audience: people });
});
