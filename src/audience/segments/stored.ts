// Stored segments: finding one by its public id.
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { Match, SegmentFilter } from '../model/segment.ts';

export type Segment = { id: number; listId: number; title: string; match: Match; filter: SegmentFilter };

/** What a look-up needs of the context. */
type AccountQueries = { tx: Queries; account: { id: number } };

/** @throws Fault SEGMENT_INVALID, also for a segment of another account */
export async function needSegment(context: AccountQueries, named: string): Promise<Segment> {
  const segment = await findSegment(context, named);
  if (!segment) throw fault('SEGMENT_INVALID', 'segment.unknown', { member: 'id', id: named.slice(0, 40) });
  return segment;
}

/** @throws Fault SEGMENT_INVALID, also for a segment of another list */
export async function needSegmentOf(context: AccountQueries, listId: number, named: string): Promise<Segment> {
  const segment = await findSegment(context, named);
  if (segment?.listId !== listId)
    throw fault('SEGMENT_INVALID', 'segment.not_of_list', { member: 'segment', id: named.slice(0, 40) });
  return segment;
}

async function findSegment({ tx, account }: AccountQueries, named: string): Promise<Segment | undefined> {
  return tx.row<Segment>(sql`
    select id, list_id as "listId", title, match, filter
    from segment
    where account_id = ${account.id}
      and id = ${parseId(named)}`);
}
