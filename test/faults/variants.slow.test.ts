// A/B tests under kill -9: workers are killed while the test group is sent, around the commit that decides, and while the rest is sent.
// Each recipient gets the variant that its number names, in every copy; the winner is chosen once.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { testSizeOf, variantName, variantOf } from '../../src/campaigns/model/division.ts';
import { sql } from '../../src/db/connect.ts';
import { draftWithTest, hitsOf, launched, lettersOf, testIsDue } from '../support/delivery/ab-test.ts';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import type { Program } from '../support/installation/program.ts';
import { diceOf } from '../support/judges/dice.ts';
import { until } from '../support/run/until.ts';

const kills = Number(process.env['KILLS'] ?? 3);
const recipients = 150;
const variants = 3;
const share = 40;
const testSize = testSizeOf(recipients, share, variants);

let crew: Crew;
const dice = diceOf(68);
beforeEach(async () => {
  crew = await Crew.start({ sink: { pipelining: false, raw: true } });
});
afterEach(() => crew.close());

const acceptedOf = async (id: number) =>
  (await crew.t.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from delivery where campaign_id = ${id} and state = 2`))!.count;
const testOf = (id: number) =>
  crew.t.app.db.row<{ chosen: number | null; due: boolean }>(sql`
    select chosen, due_at is not null as due from campaign_test where campaign_id = ${id}`);

/** Kills a worker when so many messages more are accepted. */
async function killAfter(id: number, count: number): Promise<void> {
  const before = await acceptedOf(id);
  const worker = crew.worker();
  await until('some more are accepted', async () => (await acceptedOf(id)) >= before + count);
  worker.kill('SIGKILL');
  await worker.ended;
}

async function started(name: string): Promise<{ id: number; audience: string[] }> {
  const audience = people(recipients, 'good.example', name);
  const id = await launched(crew.t, await draftWithTest(crew.t, audience, { variants, share }));
  return { id, audience };
}

/** The test group is sent to, and people have clicked in variant B. */
async function waiting(id: number): Promise<Program> {
  const worker = crew.worker();
  // On a busy machine some are deferred at first.
  const got = async () => (await testOf(id))!.due && (await acceptedOf(id)) === testSize;
  await until('the test group has got it', async () => {
    await crew.makeDue(id);
    return got();
  });
  const clicked = Array.from({ length: 10 }, (_, n) => testSize / variants + 1 + n);
  await hitsOf(crew.t, id, 'click', clicked);
  return worker;
}

/** Every message shows the variant of its recipient, copies too, and the accounting holds. */
async function assertEnded(id: number, audience: readonly string[]): Promise<void> {
  const hurry = setInterval(() => void crew.makeDue(id).catch(() => {}), 1_000);
  const end = await crew.ended(id, audience).finally(() => clearInterval(hurry));
  assert.deepEqual(end.others('accepted'), []);
  const chosen = (await testOf(id))!.chosen;
  assert.equal(chosen, 1, 'people decided');
  const letters = lettersOf(crew.acceptedOf(id));
  const rows = await crew.t.app.db.rows<{ seq: number; email: string }>(
    sql`select seq, email from delivery where campaign_id = ${id}`,
  );
  for (const { seq, email } of rows)
    assert.equal(letters.get(email), variantName(variantOf(seq, { variants, testSize }, chosen)!), `number ${seq}`);
}

test('F68 kill -9 of workers while the test group and the rest are sent: every copy has the variant of its recipient', async () => {
  const { id, audience } = await started('kills');
  for (let i = 0; i < kills; i++) await killAfter(id, 2 + dice.below(8));
  const worker = await waiting(id);
  worker.kill('SIGKILL');
  await worker.ended;
  assert.equal(await acceptedOf(id), testSize, 'no one else has got it');
  await testIsDue(crew.t, id);
  for (let i = 0; i < kills; i++) await killAfter(id, 2 + dice.below(8));
  const last = crew.worker();
  await assertEnded(id, audience);
  await last.stop();
});

for (const when of ['before', 'after'] as const)
  test(`F68 kill -9 ${when} the commit that decides: it is decided once, and every held recipient gets the winner`, async () => {
    const { id, audience } = await started(when);
    const first = await waiting(id);
    await first.stop();
    const hold = crew.proxy.hold('update campaign_test\n    set chosen', when);
    await testIsDue(crew.t, id);
    const worker = crew.worker();
    await hold.reached;
    if (when === 'after') await until('it is committed', async () => (await testOf(id))!.chosen !== null);
    worker.kill('SIGKILL');
    await worker.ended;
    hold.release();
    if (when === 'before') assert.equal((await testOf(id))!.chosen, null);
    else assert.equal((await testOf(id))!.chosen, 1);
    const held = await crew.t.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from chunk where campaign_id = ${id} and from_seq > ${testSize}`);
    assert.equal(held!.count > 0, when === 'after', 'chunks of the rest and the winner are one commit');
    const last = crew.worker();
    await assertEnded(id, audience);
    await last.stop();
  });
