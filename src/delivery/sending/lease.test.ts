import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { releasedUntil } from '../recovery/lease-watch.ts';
import { leaseSeconds, releaseUnknown, takeChunk } from './lease.ts';

let t: TestApp;
let campaign: number;
let worker: number;
before(async () => {
  t = await testApp();
  campaign = await launchedTo(t, await listOf(t, ['ada@example.com']));
  const row = await t.app.db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid, journal) values ('here', 'b', 1, '') returning id`);
  worker = row!.id;
});
after(() => t.close());

test('a lease whose answer was lost ends when the database is back; those in use and those just taken do not', async () => {
  const { db } = t.app;
  const until = async () =>
    (await db.row<{ until: string }>(sql`
      select leased_until::text as until from chunk where campaign_id = ${campaign}`))!.until;
  const { chunk } = (await takeChunk(db, worker, { account: t.account.id, campaign }))!;
  assert.equal(await releaseUnknown(db, worker, []), 0, 'its answer may be on its way');
  await db.run(sql`
    update chunk set leased_until = now() + make_interval(secs => ${leaseSeconds - 3}) where campaign_id = ${campaign}`);
  assert.equal(await releaseUnknown(db, worker, [chunk]), 0);
  assert.equal(await releaseUnknown(db, worker + 1, []), 0);
  assert.equal(await releaseUnknown(db, worker, [{ ...chunk, lease: chunk.lease - 1 }]), 1);
  assert.equal(await until(), releasedUntil.toLowerCase());
  assert.equal(await releaseUnknown(db, worker, []), 0);
});
