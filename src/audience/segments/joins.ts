// What is read before a statement over a whole list, so that its conditions can be joins.
import { type Queries, sql } from '../../db/connect.ts';
import { conditionsOn, type SegmentFilter } from '../model/segment.ts';
import { activitiesIn, activityKey, otherContacts, summarisedWithin } from './activity-sql.ts';
import { readWords } from './contact-words.ts';
import { eventContacts, eventKey } from './event-sql.ts';
import { type ContactWords, campaignsIn, type Joins, type SegmentScope } from './scope.ts';
import { isSummarised } from './summary-sql.ts';

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
                and ${isSummarised}
            ) as summarised
          from campaign c
          where c.account_id = ${scope.accountId}
            and c.id = any (${ids}::int[])
            and c.type <> 'auto'`);
  const within = await summariesWithin(tx, scope, filter);
  const joins: Joins = {
    joinable: rows.map((row) => row.id),
    summarised: rows.filter((row) => row.summarised).map((row) => row.id),
    within,
    words: await wordsFor(tx, scope, filter, within),
    added: new Map(),
  };
  return { ...scope, whole: { ...scope.whole, joins } };
}

/** For conditions on opens and clicks of the last days. */
async function summariesWithin(
  tx: Queries,
  { accountId }: SegmentScope,
  filter: SegmentFilter,
): Promise<Joins['within']> {
  const within = new Map<number, number[]>();
  for (const { days } of activitiesIn(filter))
    if (!within.has(days)) within.set(days, await summarisedWithin(tx, accountId, days));
  return within;
}

/** Who did what conditions ask for on events, and on opens and clicks that no summary has. */
async function wordsFor(
  tx: Queries,
  scope: SegmentScope,
  filter: SegmentFilter,
  within: Joins['within'],
): Promise<Map<string, ContactWords>> {
  const words = new Map<string, ContactWords>();
  for (const asked of conditionsOn(filter, 'event')) {
    const key = eventKey(asked);
    if (!words.has(key)) words.set(key, await readWords(tx, eventContacts(asked, scope)));
  }
  for (const activity of activitiesIn(filter)) {
    const key = activityKey(activity);
    if (words.has(key)) continue;
    const others = await otherContacts(tx, scope.accountId, activity, within.get(activity.days)!);
    if (others) words.set(key, await readWords(tx, others));
  }
  return words;
}
