// What is read before a statement over a whole list, so that its conditions can be joins.
import { type Queries, sql } from '../../db/connect.ts';
import type { SegmentFilter } from '../model/segment.ts';
import { eventWords } from './event-sql.ts';
import { campaignsIn, type Joins, type SegmentScope } from './scope.ts';

/** Lets conditions compile to joins where that is faster; `joinsOf` returns them. */
export async function withJoins(tx: Queries, scope: SegmentScope, filter: SegmentFilter): Promise<SegmentScope> {
  if (!scope.whole) return scope;
  const ids = [...new Set([...scope.whole.latest, ...campaignsIn(filter)])];
  const rows =
    ids.length === 0
      ? []
      : await tx.rows<{ id: number; summarised: boolean }>(sql`
          select c.id, exists (
              select from recipient_summary r
              where r.account_id = c.account_id
                and r.campaign_id = c.id
                and r.accepted = (
                  select sum(accepted) from tally t where t.account_id = c.account_id and t.campaign_id = c.id
                )
            ) as summarised
          from campaign c
          where c.account_id = ${scope.accountId}
            and c.id = any (${ids}::int[])
            and c.type <> 'auto'`);
  const joins: Joins = {
    joinable: rows.map((row) => row.id),
    summarised: rows.filter((row) => row.summarised).map((row) => row.id),
    events: await eventWords(tx, scope, filter),
    added: new Map(),
  };
  return { ...scope, whole: { ...scope.whole, joins } };
}
