// SQL for conditions on what a contact did: messages it got, opened or clicked in. Refers to the alias s (subscription). A contact
// whose opens and clicks are not recorded is not known to have done nothing, so no condition that asks for that finds it.
import { empty, join, raw, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { states } from '../../db/states.ts';
import { type ConditionName, type campaignFields, latestOf } from '../model/segment.ts';
import { type Joins, latestCampaigns, type SegmentScope, type Whole } from './scope.ts';
import { blocksJoin, inBlock } from './summary-sql.ts';
import { textSql } from './text-sql.ts';

/** With more campaigns in one condition, joins are slower than a hash table. */
const maxJoined = 5;

/** Opens, clicks and deliveries of one campaign, or of any of the list's latest. */
export function campaignSql(
  field: (typeof campaignFields)[number],
  value: string,
  negated: boolean,
  scope: SegmentScope,
  must: boolean,
): Sql {
  const { accountId, listId, whole } = scope;
  const fence = perMember(scope);
  const latest = latestOf(value);
  const which =
    latest === undefined
      ? sql`= ${parseId(value.trim())}`
      : (scope.latest ?? whole?.latest)
        ? sql`= any (${(scope.latest ?? whole!.latest).slice(0, latest)}::int[])`
        : sql`= any (array(${latestCampaigns(accountId, listId, latest)}))`;
  // One look for a campaign that is named; for the latest ones, one into each month.
  const ofMonth =
    latest === undefined
      ? sql`and d.month = (select month from campaign where account_id = ${accountId} and id ${which})`
      : empty;
  const ids = latest === undefined ? [parseId(value.trim())] : (whole?.latest.slice(0, latest) ?? []);
  const counted = field === 'clicked' ? sql`e.clicks > 0` : sql`e.opens > 0 or e.clicks > 0`;
  // Summaries know nothing of failures.
  const block = field === 'failed' ? undefined : whole?.joins && summarisedBlock(whole.joins, accountId, ids);
  if (block) {
    const did = inBlock(block, field === 'clicked' ? 'clicked' : 'opened');
    return questionSql(field, negated, inBlock(block, 'accepted'), did, scope);
  }
  // One whose outcome was never known may have it.
  const inState =
    field === 'failed'
      ? sql`d.state = ${states.failed} and d.reason is distinct from 'unclear'`
      : sql`d.state = ${states.accepted}`;
  const got = whole
    ? amongSql(
        sql`d.contact_id`,
        sql`delivery d`,
        sql`d.account_id = ${accountId} and d.campaign_id ${which} and d.month ${monthsOf(whole, ids)} and ${inState}`,
        must,
      )
    : sql`exists (
        select from delivery d
        where d.account_id = s.account_id
          and d.campaign_id ${which}
          ${ofMonth}
          and d.contact_id = s.contact_id
          and ${inState}
        ${fence}
      )`;
  if (field === 'failed') return negated ? sql`not ${got}` : got;
  const joined = must || !whole?.joins ? undefined : joinedSql(whole, whole.joins, accountId, ids, field === 'clicked');
  const did =
    joined ??
    (whole
      ? amongSql(
          sql`e.contact_id`,
          sql`engagement e`,
          sql`e.account_id = ${accountId} and e.campaign_id ${which} and e.month ${monthsOf(whole, ids)} and (${counted})`,
          must,
        )
      : sql`exists (
        select from delivery d
        -- "offset 0" makes it one look into the partition of the month.
        cross join lateral (
          select from engagement e
          where e.account_id = d.account_id
            and e.campaign_id = d.campaign_id
            and e.seq = d.seq
            and e.month = d.month
            and (${counted})
          offset 0
        ) e
        where d.account_id = s.account_id
          and d.campaign_id ${which}
          ${ofMonth}
          and d.contact_id = s.contact_id
        ${fence}
      )`);
  return questionSql(field, negated, got, did, scope);
}

/** not_opened implies that the contact got the message. */
function questionSql(
  field: (typeof campaignFields)[number],
  negated: boolean,
  got: Sql,
  did: Sql,
  scope: SegmentScope,
): Sql {
  if (field === 'was_sent') return negated ? sql`not ${got}` : got;
  if (field !== 'not_opened') return knownSql(did, negated, scope);
  return negated ? knownSql(did, false, scope) : sql`${got} and ${knownSql(did, true, scope)}`;
}

/**
 * Whether a member did something that is recorded, or did not. Of one whose opens and clicks are not recorded neither is known; within
 * a group of which nothing may match, either may be so.
 */
export function knownSql(did: Sql, negated: boolean, scope: SegmentScope): Sql {
  if (scope.inNone) return negated ? sql`not ${did}` : sql`(${did} or not ${isSeen(scope)})`;
  return negated ? sql`not ${did} and ${isSeen(scope)}` : did;
}

/** True for a member whose opens and clicks are recorded. Few are not, so the set is small. */
function isSeen(scope: SegmentScope): Sql {
  const { accountId, whole, withUntracked } = scope;
  if (withUntracked === true) return sql`true`;
  return whole
    ? sql`not (s.contact_id in (select u.id from contact u where u.account_id = ${accountId} and u.untracked))`
    : sql`not exists (
        select from contact u where u.account_id = s.account_id and u.id = s.contact_id and u.untracked ${perMember(scope)}
      )`;
}

/** The alias of the block of a member, over these campaigns; undefined unless all of them are summarised. */
function summarisedBlock(joins: Joins, accountId: number, ids: readonly number[]): Sql | undefined {
  if (ids.length === 0 || ids.some((id) => !joins.summarised.includes(id))) return undefined;
  return blockOver(joins, accountId, ids);
}

/** The alias of the block of a member, over these campaigns, which are summarised. */
export function blockOver({ added }: Joins, accountId: number, ids: readonly number[]): Sql {
  const key = `block ${ids.join(' ')}`;
  const existing = added.get(key);
  if (existing) return existing.alias;
  const alias = raw(`did_${added.size}`);
  added.set(key, { alias, join: blocksJoin(alias, accountId, ids) });
  return alias;
}

/**
 * Whether the member did something in one of the campaigns, by a join with each, whose hash table workers share.
 * Undefined when a member could match twice, or when there are too many campaigns.
 */
function joinedSql(
  whole: Whole,
  { joinable, added }: Joins,
  accountId: number,
  ids: readonly number[],
  clicked: boolean,
): Sql | undefined {
  if (ids.length === 0 || ids.length > maxJoined || ids.some((id) => !joinable.includes(id))) return undefined;
  const parts = ids.map((id) => {
    const key = `${id} ${clicked}`;
    const existing = added.get(key);
    if (existing) return sql`${existing.alias}.contact_id is not null`;
    const alias = raw(`did_${added.size}`);
    added.set(key, {
      alias,
      join: sql`left join engagement ${alias} on ${alias}.account_id = ${accountId} and ${alias}.campaign_id = ${id}
        and ${alias}.month ${monthsOf(whole, [id])} and ${alias}.contact_id = s.contact_id and (${clicked ? sql`${alias}.clicks > 0` : sql`${alias}.opens > 0 or ${alias}.clicks > 0`})`,
    });
    return sql`${alias}.contact_id is not null`;
  });
  return sql`(${join(parts, ' or ')})`;
}

/** SQL: among the months of these campaigns, by constants, which name the partitions; those of unknown campaigns, which no one has opened, are left out. */
const monthsOf = ({ months }: Whole, ids: readonly number[]): Sql =>
  sql`= any (${[...new Set(ids.flatMap((id) => months.get(id) ?? []))]}::date[])`;

/** Keeps the planner from reading what all contacts did when only a few members are looked up. */
export const perMember = ({ few }: SegmentScope) => (few ? sql`offset 0` : empty);

/**
 * Whether the member is among the contacts of a selection that is read at once. When it must be (or must not be): a
 * join, which workers share; otherwise a hash table per worker, since PostgreSQL has no other plan within "or".
 */
function amongSql(contact: Sql, from: Sql, where: Sql, must: boolean): Sql {
  return must
    ? sql`exists (select from ${from} where ${where} and ${contact} = s.contact_id)`
    : sql`s.contact_id in (select ${contact} from ${from} where ${where})`;
}

/** Clicks on a link, identified by its target, in any campaign of the account. */
export function linkSql(condition: ConditionName, target: string, scope: SegmentScope, must: boolean): Sql {
  const { accountId, whole } = scope;
  const negated = condition === 'not' || condition === 'notoneof' || condition === 'notcontain';
  const positive: Partial<Record<ConditionName, ConditionName>> = {
    not: 'is',
    notoneof: 'isoneof',
    notcontain: 'contains',
  };
  const matches = textSql(sql`k.target`, positive[condition] ?? condition, target);
  const clicked = whole
    ? amongSql(
        sql`e.contact_id`,
        sql`link k
          join campaign p on p.account_id = k.account_id and p.id = k.campaign_id
          join link_engagement e
            on e.account_id = k.account_id and e.campaign_id = k.campaign_id and e.link_no = k.no and e.month = p.month`,
        sql`k.account_id = ${accountId} and e.clicks > 0 and ${matches}`,
        must,
      )
    : sql`exists (
        select from delivery d
        cross join lateral (
          select link_no
          from link_engagement
          where account_id = d.account_id and campaign_id = d.campaign_id and seq = d.seq and month = d.month and clicks > 0
          offset 0
        ) e
        join link k on k.account_id = d.account_id and k.campaign_id = d.campaign_id and k.no = e.link_no
        where d.account_id = s.account_id
          and d.contact_id = s.contact_id
          and ${matches}
        ${perMember(scope)}
      )`;
  return knownSql(clicked, negated, scope);
}
