// Cuts the recipients of a campaign into chunks of first attempts. Of an A/B test only the test group is cut at the launch; the
// others are when its winner is known, and have no chunk until then, so that no worker can send to them.
import { type CampaignKey, monthOf } from '../../campaigns/month.ts';
import { type Division, rangeOf, rangesWithin, testRanges, testSizeOf } from '../../campaigns/variants/division.ts';
import type { CampaignTest } from '../../campaigns/variants/variant.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { chunkSize } from '../ledger/chunk.ts';

/** A small campaign is cut into this many chunks for each worker: the rate limit is divided among them, and all should use it. */
const chunksPerWorker = 4;
const minChunkSize = 20;
/** The variants of a test take turns at least so often, so that each gets its part of fast and of slow hours. */
const turnsOfVariant = 50;

/** Recipients with consecutive numbers that are due together and whose contacts are in one time zone; '' for that of the account. */
export type ZoneRange = { zone: string; first: number; last: number; due_at: string };

/** Cuts all recipients of a campaign by zone: each chunk has its own send window. */
export async function cutByZone(
  tx: Tx,
  { account, campaign }: CampaignKey,
  zones: readonly ZoneRange[],
): Promise<void> {
  const size = await sizeFor(tx, zones.at(-1)?.last ?? 0);
  await tx.run(sql`
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, due_at, zone)
    select ${account}::int, ${campaign}::int, 'first', begin, least(begin + ${size}::int - 1, z.last), z.due_at, z.zone
    from jsonb_to_recordset(${JSON.stringify(zones)}::jsonb) as z(zone text, first int, last int, due_at timestamptz),
      generate_series(z.first, z.last, ${size}::int) as begin
    order by begin`);
}

/** Cuts all recipients of a campaign. */
export async function cutChunks(tx: Tx, { account, campaign }: CampaignKey): Promise<void> {
  const month = monthOf({ account, campaign });
  await tx.run(sql`
    -- Once: where the planner expects a single recipient, it would count them again for each.
    with sized as materialized (
      select least(
          ${chunkSize}::int,
          greatest(${minChunkSize}::int, d.recipients / (${chunksPerWorker}::int * greatest(1, w.live)))
        ) as size
      from (
          select count(*)::int as recipients
          from delivery
          where account_id = ${account} and campaign_id = ${campaign} and month = ${month}
        ) as d,
        (select count(*)::int as live from worker where ended_at is null) as w
    )
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, due_at)
    select ${account}::int, ${campaign}::int, 'first', min(seq), max(seq), due_at
    from (
      select seq, due_at, (row_number() over (partition by due_at order by seq) - 1) / size as part
      from delivery, sized
      where account_id = ${account}
        and campaign_id = ${campaign}
        and month = ${month}
    ) as cut
    group by due_at, part
    order by min(seq)`);
}

/** Cuts the test group, and writes down who gets which variant. */
export async function cutTestChunks(
  tx: Tx,
  of: CampaignKey,
  { share, variants }: CampaignTest,
  recipients: number,
): Promise<void> {
  const division: Division = { variants, testSize: testSizeOf(recipients, share, variants) };
  await tx.run(sql`
    update campaign_test
    set test_size = ${division.testSize}
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const ranges = Array.from({ length: variants }, (_, variant) => rangeOf(variant, division));
  await tx.run(sql`
    update frozen_content f
    set recipients = int4multirange(int4range(r.first, r.last, '[]'))
    from unnest(${ranges.map(([from]) => from)}::int[], ${ranges.map(([, to]) => to)}::int[]) with ordinality as r (first, last, nth)
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and f.variant = r.nth - 1
      -- An audience without recipients has empty ranges.
      and r.first <= r.last`);
  const perTurn = Math.max(minChunkSize, Math.ceil(division.testSize / (variants * turnsOfVariant)));
  await insertRanges(tx, of, testRanges(division, Math.min(perTurn, await sizeFor(tx, division.testSize))));
}

/** Cuts the recipients after the test group, due now. */
export async function cutRest(tx: Tx, of: CampaignKey, testSize: number): Promise<void> {
  const row = await tx.row<{ last: number }>(sql`
    select coalesce(sum(recipients), 0)::int as last
    from tally
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  const rest = row!.last - testSize;
  if (rest > 0) await insertRanges(tx, of, rangesWithin(testSize + 1, row!.last, await sizeFor(tx, rest)));
}

async function insertRanges(
  tx: Tx,
  { account, campaign }: CampaignKey,
  ranges: readonly (readonly [from: number, to: number])[],
): Promise<void> {
  await tx.run(sql`
    insert into chunk (account_id, campaign_id, kind, from_seq, to_seq, due_at)
    select ${account}::int, ${campaign}::int, 'first', first, last, now()
    from unnest(${ranges.map(([from]) => from)}::int[], ${ranges.map(([, to]) => to)}::int[]) with ordinality as r (first, last, nth)
    order by nth`);
}

async function sizeFor(tx: Queries, recipients: number): Promise<number> {
  const row = await tx.row<{ live: number }>(sql`select count(*)::int as live from worker where ended_at is null`);
  return Math.min(
    chunkSize,
    Math.max(minChunkSize, Math.floor(recipients / (chunksPerWorker * Math.max(1, row!.live)))),
  );
}
