// The portions in which the audience of a large campaign is frozen: contacts in the order of their ids, the first portion small, so that
// the first message leaves within a second. A small audience is one portion, and so is one whose order or numbers
// are decided over all of it. docs/flows.md (Launch in portions) has the rules.
import { empty, prepared, type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** Contacts of a portion: with an id above `after`, up to `upto`; null for all that are left. */
export type Portion = {
  after: number;
  upto: number | null;
  /** Recipients of the portions before: the numbers go on from there. */
  recipients: number;
  /** The moment of the launch, as text: a Date would lose its microseconds. */
  startedAt: string;
};

/** Members. Small until the first message is on its way, then about two seconds of work each. */
export const portionSizes = { first: 5_000, most: 200_000, whole: 20_000 };
const soon = { least: 1_000, most: 2_500 };

/** Before the smallest id. */
export const fromTheStart = -1;

export const isFirst = ({ after }: Portion): boolean => after === fromTheStart;

/** A size for the next portion, from how long the last one of this size took. */
export function nextSize(size: number, ms: number): number {
  if (ms > soon.most) return Math.max(portionSizes.first, Math.floor(size / 2));
  return ms < soon.least ? Math.min(portionSizes.most, size * 2) : size;
}

/**
 * How far the first portion goes; null when it is the whole audience. What must be decided over all recipients is not divided: the
 * test group of an A/B test is a share of them in a shuffled order, and of two campaigns that share a frequency limit the
 * later one must see all recipients of the earlier one.
 */
export async function firstBound(db: Queries, of: CampaignKey, sizes = portionSizes): Promise<number | null> {
  const row = await db.row<{ isWhole: boolean }>(
    prepared(sql`
    select exists (
        select from campaign_test where account_id = ${of.account} and campaign_id = ${of.campaign}
      ) or coalesce((
        select settings ->> 'frequency_cap' <> '' from account where id = ${of.account}
      ), false) or (
        select count(*) <= ${sizes.whole}
        from (
          select
          from subscription
          where account_id = ${of.account}
            and list_id = any (${listsOf(of)})
            and status = 'subscribed'
          limit ${sizes.whole + 1}
        ) as members
      ) as "isWhole"`),
  );
  return row!.isWhole ? null : nextBound(db, of, fromTheStart, sizes.first);
}

/** The id up to which the next portion goes; null when fewer members are left than it has. */
export async function nextBound(db: Queries, of: CampaignKey, after: number, size: number): Promise<number | null> {
  const row = await db.row<{ upto: number }>(sql`
    select contact_id as upto
    from subscription
    where account_id = ${of.account}
      and contact_id > ${after}
      and list_id = any (${listsOf(of)})
    order by contact_id
    offset ${size - 1}
    limit 1`);
  return row?.upto ?? null;
}

const listsOf = ({ account, campaign }: CampaignKey): Sql => sql`array(
  select list_id from campaign_list where account_id = ${account} and campaign_id = ${campaign}
)`;

/** SQL: a condition, with `and`, on subscription s and contact c: both are of the portion. */
export function inPortion({ after, upto }: Portion): Sql {
  return sql`${after === fromTheStart ? empty : sql`and s.contact_id > ${after} and c.id > ${after}`}
    ${upto === null ? empty : sql`and s.contact_id <= ${upto} and c.id <= ${upto}`}`;
}

/** SQL: the same where contact is not read. */
export function ofPortion({ after, upto }: Portion): Sql {
  return sql`${after === fromTheStart ? empty : sql`and s.contact_id > ${after}`}
    ${upto === null ? empty : sql`and s.contact_id <= ${upto}`}`;
}

/**
 * SQL: a condition, with `and`, on subscription s and contact c: neither joined nor was made since the launch. Times ahead of the
 * present one are no sign of that: the clock was set back.
 */
export function joinedBefore(portion: Portion): Sql {
  if (isFirst(portion)) return empty;
  return sql`and not ${isSince(sql`s.status_at`, portion)} and not ${isSince(sql`c.created_at`, portion)}`;
}

export const isSince = (at: Sql, { startedAt }: Portion): Sql =>
  sql`(${at} > ${startedAt}::timestamptz and ${at} <= now())`;
