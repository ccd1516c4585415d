// Launches in portions under kill -9: workers are killed before and after the commit of each portion, and in the middle of
// portions, while others send. Every contact is a recipient once, with a number of its own, and gets one message, or a marked copy.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { portionSizes } from '../../src/delivery/launch/portion.ts';
import { aCampaign, listOf } from '../support/builders/campaigns.ts';
import { Crew } from '../support/delivery/crew.ts';
import { people } from '../support/delivery/engine.ts';
import { diceOf } from '../support/judges/dice.ts';
import { until } from '../support/run/until.ts';

const kills = Number(process.env['KILLS'] ?? 4);
/** The launch has 5,000 of them, the portions after it 5,000, 10,000 or less, and the rest. */
const recipients = portionSizes.whole + 1_000;

let crew: Crew;
const dice = diceOf(66);
beforeEach(async () => {
  crew = await Crew.start({ sink: { pipelining: true }, connections: 4 });
});
afterEach(() => crew.close());

async function sendNow(name: string): Promise<{ id: number; audience: string[] }> {
  const audience = people(recipients, 'good.example', name);
  const cid = await aCampaign(crew.t, { to: await listOf(crew.t, audience) });
  await crew.t.call('campaignSendNow', { cid });
  return { id: parseId(cid), audience };
}

const frozen = async (id: number) =>
  (await crew.t.app.db.row<{ count: number; last: number }>(sql`
    select count(*)::int as count, coalesce(max(seq), 0)::int as last from delivery where campaign_id = ${id}`))!;
const isFreezing = async (id: number) =>
  (await crew.t.app.db.row(sql`select from freezing where campaign_id = ${id}`)) !== undefined;

/** All got it, once or with marked copies; numbers and contacts are complete and unique. */
async function assertEnded(id: number, audience: readonly string[]): Promise<void> {
  const hurry = setInterval(() => void crew.makeDue(id).catch(() => {}), 1_000);
  await until(
    'the audience is complete',
    async () => (await frozen(id)).count === recipients && !(await isFreezing(id)),
    120_000,
  );
  const end = await crew.ended(id, audience, { seconds: 240 }).finally(() => clearInterval(hurry));
  assert.deepEqual(end.others('accepted'), []);
  assert.equal(end.people.length, recipients);
  assert.deepEqual(await frozen(id), { count: recipients, last: recipients });
  assert.equal(end.copies, end.resent, 'every copy is marked');
  const contacts = await crew.t.app.db.row<{ count: number }>(sql`
    select count(distinct contact_id)::int as count from delivery where campaign_id = ${id}`);
  assert.equal(contacts!.count, recipients);
}

test('F66 kill -9 before and after the commit of the launch and of every portion: the next run continues there', async () => {
  const { id, audience } = await sendNow('boundary');
  const before = async () => (await frozen(id)).count;
  for (const [statement, when] of [
    ['insert into freezing', 'before'],
    ['insert into freezing', 'after'],
    ['update freezing', 'before'],
    ['update freezing', 'after'],
    ['delete from freezing', 'before'],
    ['delete from freezing', 'after'],
  ] as const) {
    const count = await before();
    const hold = crew.proxy.hold(statement, when);
    const worker = crew.worker();
    await hold.reached;
    if (when === 'after') await until('it is committed', async () => (await before()) > count);
    worker.kill('SIGKILL');
    await worker.ended;
    hold.release();
    if (statement === 'insert into freezing') assert.equal(await before(), when === 'before' ? 0 : portionSizes.first);
    if (when === 'after') assert.ok((await before()) > count);
  }
  const last = crew.worker();
  await assertEnded(id, audience);
  await last.stop();
});

test('F66 kill -9 at random while portions are frozen and sent: no recipient is lost, doubled or without a chunk', async () => {
  const { id, audience } = await sendNow('middle');
  for (let i = 0; i < kills; i++) {
    const worker = crew.worker();
    const goal = (await frozen(id)).count + 1;
    // In the middle of the statement that freezes a portion.
    await until('a portion is being frozen', async () => {
      const busy = await crew.t.app.db.row(sql`
        select from pg_stat_activity
        where state = 'active' and pid <> pg_backend_pid() and query like '%insert into delivery%'`);
      return busy !== undefined || (await frozen(id)).count >= goal;
    });
    if (dice.below(2) === 0)
      await until('some are frozen', async () => (await frozen(id)).count >= goal || !(await isFreezing(id)));
    worker.kill('SIGKILL');
    await worker.ended;
    const now = await frozen(id);
    assert.equal(now.count, now.last, 'numbers without a gap');
  }
  const last = crew.worker();
  await assertEnded(id, audience);
  await last.stop();
});

test('F61 F66 a campaign that is deleted while it is frozen reaches no one afterwards', async () => {
  const { id } = await sendNow('deleted');
  const hold = crew.proxy.hold('update freezing', 'before');
  const worker = crew.worker();
  await hold.reached;
  const deletion = crew.t.call('campaignDelete', { cid: formatId(id) });
  hold.release();
  await deletion;
  const messages = crew.acceptedOf(id).length;
  await until('its recipients are gone', async () => (await frozen(id)).count === 0);
  // What was on the wire at the deletion may still have ended.
  assert.ok(
    crew.acceptedOf(id).length <= messages + 4 * 100,
    `${crew.acceptedOf(id).length - messages} after the deletion`,
  );
  assert.equal(await isFreezing(id), false);
  await worker.stop();
});
