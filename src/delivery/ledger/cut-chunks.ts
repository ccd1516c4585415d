// Cuts the recipients of a campaign into chunks of first attempts. Of an A/B test only the test group is cut at the launch; the
// rest is cut when the winner is known, and has no chunk until then, so that no worker can send to them.

import { type Division, rangeOf, rangesWithin, testRanges, testSizeOf } from '../../campaigns/model/division.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import type { CampaignTest } from '../../campaigns/model/variant.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { chunkSize } from './chunk.ts';
import { heldAfter } from './held.ts';

/** A small campaign is cut into this many chunks for each worker: the rate limit is divided among them, and all should use it. */
const chunksPerWorker = 4;
const minChunkSize = 20;
/** The variants of a test take turns at least so often, so that each gets its part of fast and of slow hours. */
const turnsOfVariant = 50;

/** Recipients with consecutive numbers that are due together and whose contacts are in one time zone; '' for that of the account. */
export type ZoneRange = { zone: string; first: number; last: number; due_at: string };

/** Cuts recipients of a campaign by zone: each chunk has its own send window. */
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

/** Cuts the recipients of a campaign with higher numbers than `after`. */
export async function cutChunks(tx: Tx, { account, campaign }: CampaignKey, after = 0): Promise<void> {
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
          where account_id = ${account} and campaign_id = ${campaign} and month = ${month} and seq > ${after}
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
        and seq > ${after}
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

/**
 * Cuts the recipients that are held back until the winner is known, due now: those after the test group, without any that an open
 * chunk has. To be called before the winner is written, in the same transaction.
 */
export async function cutHeld(tx: Tx, of: CampaignKey): Promise<void> {
  const isOpen = sql`
    k.account_id = ${of.account}
    and k.campaign_id = ${of.campaign}
    and k.state <> 'done'`;
  // Nothing marks them between this and the commit. There should be none: only then is it locked after the campaign.
  await tx.run(sql`
    select from chunk k
    where ${isOpen}
      and exists (select from unnest(k.seqs) as s (seq) where s.seq > ${heldAfter(of)})
    order by k.no
    for update`);
  const free = await tx.rows<{ from: number; to: number }>(sql`
    with held as (
      select int4range(${heldAfter(of)} + 1, sum(recipients)::int + 1) as seqs
      from tally
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
      having sum(recipients) > ${heldAfter(of)}
    ), taken as (
      select coalesce(range_agg(r), '{}') as seqs
      from held, chunk k,
        lateral (
          select int4range(k.from_seq, k.to_seq, '[]') as r
          where k.seqs is null
          union all
          select int4range(s.seq, s.seq + 1)
          from unnest(k.seqs) as s (seq)
        ) as c
      where ${isOpen}
        and c.r && held.seqs
    )
    select lower(r) as from, upper(r) - 1 as to
    from held, taken, unnest(int4multirange(held.seqs) - taken.seqs) as r`);
  const size = await sizeFor(
    tx,
    free.reduce((sum, { from, to }) => sum + to - from + 1, 0),
  );
  const ranges = free.flatMap(({ from, to }) => rangesWithin(from, to, size));
  if (ranges.length > 0) await insertRanges(tx, of, ranges);
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
