// Recipients that are in flight by their chunk's row instead of their own: `chunk.marked` names them; they are queued in
// their rows, and the outcome is all that is written there. Only chunks that are a range have them, since no other chunk may
// take a recipient of theirs that was never attempted.
//
// Guarantees that everything that marks, settles, releases or redoes such a recipient locks its chunk's row first and reads
// the recipients in a later statement. docs/flows.md, Marking a group.

import { type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';

/** First attempts of a campaign. */
export const inRange = (chunk: { seqs: readonly number[] | null }): boolean => chunk.seqs === null;

/** The numbers in a column as ranges; null when there are none. */
export const rangesOf = (seq: Sql): Sql => sql`range_agg(int4range(${seq}, ${seq} + 1))`;

/** A condition on `seq`: the chunk's row marks it. */
export const isMarkedIn = ({ account, campaign, no }: CampaignKey & { no: number }): Sql => sql`(
  select k.marked from chunk k where k.account_id = ${account} and k.campaign_id = ${campaign} and k.no = ${no}
) @> seq`;

/** A condition on recipients of one campaign: the row says queued, and a chunk marks it. Read once for all rows. */
export const isMarked = (seq: Sql, state: Sql, { account, campaign }: CampaignKey): Sql => sql`(
  ${state} = ${states.queued}
  and coalesce((
    select range_agg(r)
    from chunk k, unnest(k.marked) as r
    where k.account_id = ${account}
      and k.campaign_id = ${campaign}
      and k.state = 'leased'
  ) @> ${seq}, false)
)`;

/** The state of a recipient of one campaign. */
export const shownState = (of: CampaignKey): Sql =>
  sql`case when ${isMarked(sql`seq`, sql`state`, of)} then ${states.trying}::smallint else state end`;
