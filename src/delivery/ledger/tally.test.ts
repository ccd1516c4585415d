// The sending rate of a campaign, computed from the tally alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftOf } from '../../../test/conformance/fixture.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { moveTally, sendingRate } from './tally.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app?.close());

const of = (campaign: number) => ({ account: app.account.id, campaign });
const settled = (campaign: number, accepted: number, worker = 1) =>
  app.app.db.run(sql`
    ${moveTally(
      of(campaign),
      worker,
      sql`select -${accepted}::int as queued, 0 as trying, ${accepted}::int as accepted, 0 as later, 0 as failed, 0 as skipped,
        0 as unclear, 0 as resent`,
    )}`);
/** Moves what was counted back by spans of ten seconds. */
const later = (campaign: number, spans: number) =>
  app.app.db.run(sql`update tally set span = span - ${spans} where campaign_id = ${campaign}`);

test('the rate counts the last ten seconds of all workers, in tenths', async () => {
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued) values (${app.account.id}, 1, 0, 1000, 1000)`);
  assert.equal(await sendingRate(app.app.db, of(1)), 0);
  await settled(1, 300, 1);
  await settled(1, 200, 2);
  await settled(1, 3, 2);
  const pace = await sendingRate(app.app.db, of(1));
  // A span may have ended between: then a part of it is not among the last ten seconds any more.
  assert.ok(pace > 40 && pace <= 50.3, `${pace}`);
});

test('of the previous span only its share of the last ten seconds counts, of earlier ones nothing', async () => {
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued) values (${app.account.id}, 2, 0, 9000, 9000)`);
  await settled(2, 4000);
  await later(2, 1);
  const part = async () =>
    (await app.app.db.row<{ part: number }>(sql`select (1 - (extract(epoch from now()) / 10 % 1))::float8 as part`))!
      .part;
  const [first, pace, second] = [await part(), await sendingRate(app.app.db, of(2)), await part()];
  if (second < first) assert.ok(pace <= first * 400 + 0.1 && pace >= second * 400 - 0.1, `${second} ${pace} ${first}`);
  await settled(2, 10);
  assert.ok((await sendingRate(app.app.db, of(2))) < first * 400 + 1.1, 'the span before is not counted twice');
  await later(2, 2);
  assert.equal(await sendingRate(app.app.db, of(2)), 0);
  await settled(2, 100);
  const after = await sendingRate(app.app.db, of(2));
  assert.ok(after > 0 && after <= 10, `${after}: what ended long ago has come back`);
});

test('a transaction that started in the previous span counts in the present one', async () => {
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued) values (${app.account.id}, 3, 0, 900, 900)`);
  await settled(3, 100);
  await later(3, -1);
  await settled(3, 50);
  const rows = await app.app.db.rows<{ ended: number; before: number }>(sql`
    select ended, ended_before as before from tally where campaign_id = 3 and shard = 1`);
  assert.deepEqual(rows, [{ ended: 150, before: 0 }]);
});

test('of a campaign that has just begun, or was just resumed, the rate is that of the time since', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const campaign = parseId(await app.call<string>('campaignCreate', draftOf(list)));
  // Campaigns of the tests before have numbers that are their own.
  await app.app.db.run(sql`delete from tally`);
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, queued)
    values (${app.account.id}, ${campaign}, 0, 1000, 1000)`);
  await settled(campaign, 60);
  for (const [name, rate] of [
    ['send_at', 30],
    ['resumed_at', 60],
  ] as const) {
    await app.app.db.run(sql`
      update campaign
      set send_at = now() - interval '2 seconds',
        resumed_at = case when ${name === 'resumed_at'} then now() - interval '1 second' end
      where id = ${campaign}`);
    const pace = await sendingRate(app.app.db, of(campaign));
    assert.ok(pace > rate / 2 && pace <= rate, `${name}: ${pace}`);
  }
});
