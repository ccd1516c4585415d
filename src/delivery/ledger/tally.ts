// The number of recipients in each state, and how fast they reach a final one. Changed in the same statement as the rows,
// so that the sums hold at every moment and progress is shown without counting the rows of a campaign.

import { type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** Several rows for a campaign keep workers from waiting for each other. */
const shardOf = (workerId: number) => workerId % 16;

/** Adds a row of differences (one column for each state, and resent) to the tally of a campaign, and to its rate. */
export function moveTally(of: CampaignKey, workerId: number, differences: Sql): Sql {
  return sql`
    insert into tally as t (account_id, campaign_id, shard, queued, trying, accepted, later, failed, skipped, unclear, resent,
      span, ended)
    select ${of.account}::int, ${of.campaign}::int, ${shardOf(workerId)}::smallint, m.queued, m.trying, m.accepted, m.later, m.failed, m.skipped,
      m.unclear, m.resent, ${thisSpan}, m.accepted + m.failed + m.skipped
    from (${differences}) as m
    on conflict (account_id, campaign_id, shard) do update
    set queued = t.queued + excluded.queued, trying = t.trying + excluded.trying, accepted = t.accepted + excluded.accepted,
      later = t.later + excluded.later, failed = t.failed + excluded.failed, skipped = t.skipped + excluded.skipped,
      unclear = t.unclear + excluded.unclear, resent = t.resent + excluded.resent,
      -- A transaction that started in an earlier span counts in the present one.
      span = greatest(t.span, excluded.span),
      ended = excluded.ended + case when excluded.span <= t.span then t.ended else 0 end,
      ended_before = case when excluded.span <= t.span then t.ended_before when excluded.span = t.span + 1 then t.ended else 0 end`;
}

/** The present span: ten seconds of the database's clock, numbered since 1970. */
const thisSpan = sql`floor(extract(epoch from now()) / 10)::int`;

/** The share of the previous span that is among the last ten seconds. */
const shareBefore = sql`(1 - (extract(epoch from now()) / 10 - ${thisSpan}))`;

/**
 * The sending rate of tallies `t`, summed, over the last ten seconds: the present span, and the share of the previous one that still
 * counts. Of a campaign that began or was resumed since, over that time: its first messages would count for too little.
 * @param since when it began or was resumed
 */
export const rateOf = (since: Sql): Sql => sql`(coalesce(sum(
    case
      when t.span = ${thisSpan} then t.ended + t.ended_before * ${shareBefore}
      when t.span = ${thisSpan} - 1 then t.ended * ${shareBefore}
      else 0
    end), 0) / greatest(1, least(10, extract(epoch from now() - ${since}))))::float8`;

/** @returns recipients per second that reached a final state, in tenths */
export async function sendingRate(tx: Queries, of: CampaignKey): Promise<number> {
  const row = await tx.row<{ rate: number }>(sql`
    select ${rateOf(sql`max(greatest(c.send_at, c.resumed_at))`)} as rate
    from tally t
    left join campaign c on c.account_id = t.account_id and c.id = t.campaign_id
    where t.account_id = ${of.account}
      and t.campaign_id = ${of.campaign}`);
  return Math.round(row!.rate * 10) / 10;
}
