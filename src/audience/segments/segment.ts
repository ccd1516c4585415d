// Segments: conditions on the members of a list, kept as data and compiled to parameterised SQL. No text from outside
// ever becomes part of a statement. The SQL speaks of the aliases s (subscription) and c (contact).
import { empty, join, type Queries, raw, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

export const conditions = [
  'is',
  'not',
  'isany',
  'isoneof',
  'notoneof',
  'contains',
  'notcontain',
  'starts',
  'ends',
  'greater',
  'less',
] as const;
export type ConditionName = (typeof conditions)[number];

/** Facts beside the merge tags that a condition can be about. */
export const textFacts = ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE', 'EMAIL_TYPE', 'signup_source'] as const;
export const timeFacts = ['confirm_time', 'signup_time', 'changed_time'] as const;
export const campaignFacts = ['opened', 'clicked', 'not_opened', 'was_sent'] as const;
export const builtInFields = [...textFacts, ...timeFacts, ...campaignFacts, 'clicked_link', 'list'] as const;
export type BuiltInField = (typeof builtInFields)[number];

export type Condition = { field: string; condition: ConditionName; value: string };
export type Group = { match: 'all' | 'any'; filter: SegmentFilter };
export type SegmentFilter = (Condition | Group)[];

export const isGroup = (one: Condition | Group): one is Group => 'filter' in one;

/** Where a segment is asked: conditions on the latest campaigns speak of those of the list. */
export type SegmentPlace = {
  accountId: number;
  listId: number;
  /**
   * Set by `wholeList` for a statement that goes through all members: what contacts did is then read in one go and not
   * looked up for each of them (1,000,000 members, 300,000 openings: 0.7 s of CPU instead of 3.4). Holds the list's
   * latest campaigns, the newest first, as far as the filter speaks of them.
   */
  whole?: { latest: number[]; joins?: Joins };
  /** Set for a statement that ends after a few members: what they did is looked up for each, however many there are. */
  few?: boolean;
};

/** Joins that a statement through a whole list adds to its `from`, after its conditions are compiled. */
export type Joins = {
  /** Campaigns that nobody got twice, so that a join with their openings meets a member once. */
  once: number[];
  /** By what they are about. */
  made: Map<string, { alias: Sql; join: Sql }>;
};

/** The most campaigns of one condition that are joined one by one. */
const maxJoined = 5;

/** Lets the conditions of a statement be joins where that is sooner: `joinsOf` says which. */
export async function withJoins(tx: Queries, place: SegmentPlace, filter: SegmentFilter): Promise<SegmentPlace> {
  if (!place.whole) return place;
  const ids = [...new Set([...place.whole.latest, ...campaignsIn(filter)])];
  const rows =
    ids.length === 0
      ? []
      : await tx.rows<{ id: number }>(sql`
          select id
          from campaign
          where account_id = ${place.accountId}
            and id = any (${ids}::int[])
            and type <> 'auto'`);
  return { ...place, whole: { ...place.whole, joins: { once: rows.map((row) => row.id), made: new Map() } } };
}

export const joinsOf = ({ whole }: SegmentPlace): Sql => {
  const made = [...(whole?.joins?.made.values() ?? [])];
  return made.length === 0
    ? empty
    : join(
        made.map((one) => one.join),
        ' ',
      );
};

/** The campaigns that a filter names for what was done in them. */
function campaignsIn(filter: SegmentFilter): number[] {
  return filter.flatMap((one) => {
    if (isGroup(one)) return campaignsIn(one.filter);
    const fact = builtInField(one.field);
    const named = campaignFacts.some((campaign) => campaign === fact) && latestOf(one.value) === undefined;
    return named ? [parseId(one.value.trim())] : [];
  });
}

/** Lets the statements of a transaction go through a whole list with memory and all workers. */
export async function askWhole(tx: Queries): Promise<void> {
  // Everybody who opened a campaign sent to millions is to fit into one hash table; taken only as far as needed. And
  // what a condition holds is known too badly to fear that workers would hand over everybody.
  await tx.run(sql`
    select set_config('work_mem', '128MB', true), set_config('parallel_tuple_cost', '0.01', true)`);
}

/** Prepares a transaction to ask a segment of every member of a list. */
export async function wholeList(
  tx: Queries,
  { accountId, listId }: SegmentPlace,
  filter: SegmentFilter,
): Promise<SegmentPlace> {
  await askWhole(tx);
  const most = maxLatest(filter);
  const latest =
    most === 0
      ? []
      : await tx.rows<{ id: number }>(sql`select id from (${latestSql(accountId, listId, most)}) as c (id)`);
  return { accountId, listId, whole: { latest: latest.map((row) => row.id) } };
}

/** The largest N of a filter's "last N". */
function maxLatest(filter: SegmentFilter): number {
  return Math.max(
    0,
    ...filter.map((one) => {
      if (isGroup(one)) return maxLatest(one.filter);
      return campaignFacts.some((fact) => fact === builtInField(one.field)) ? (latestOf(one.value) ?? 0) : 0;
    }),
  );
}

const latestSql = (accountId: number, listId: number, most: number) => sql`
  select c2.id
  from campaign c2
  join campaign_list l2 on l2.account_id = c2.account_id and l2.campaign_id = c2.id
  where c2.account_id = ${accountId}
    and l2.list_id = ${listId}
    and c2.status in ('sending', 'sent')
    and c2.type <> 'auto'
  order by c2.send_at desc nulls last, c2.id
  limit ${most}`;

/** The built-in fact of a name in any case; undefined for a merge tag. */
export function builtInField(name: string): BuiltInField | undefined {
  const lower = name.trim().toLowerCase();
  return builtInFields.find((one) => one.toLowerCase() === lower);
}

/**
 * The SQL of a segment: true for the members it holds. An empty filter holds everybody with `all`, nobody with `any`.
 * @param must whether the statement wants only members for whom it is true
 */
export function segmentCondition(match: 'all' | 'any', filter: SegmentFilter, place: SegmentPlace, must = true): Sql {
  return groupSql({ match, filter }, place, must);
}

/** @param must whether nobody is held for whom this is not true, as opposed to one of several that suffice */
function groupSql({ match, filter }: Group, place: SegmentPlace, must: boolean): Sql {
  if (filter.length === 0) return match === 'all' ? sql`true` : sql`false`;
  const each = must && (match === 'all' || filter.length === 1);
  const parts = filter.map((one) =>
    isGroup(one) ? groupSql(one, place, each) : sql`(${conditionSql(one, place, each)})`,
  );
  return sql`(${join(parts, match === 'all' ? ' and ' : ' or ')})`;
}

/** Whether a filter asks for something of the contact (alias c); a list of a million is counted faster without it. */
export const asksContact = (filter: SegmentFilter) => asks(filter, ['EMAIL', 'DOMAIN', 'LANGUAGE', 'TIMEZONE']);

/** Whether a filter asks when a member came or changed, which goes with the order members are shown in. */
export const asksTime = (filter: SegmentFilter) => asks(filter, timeFacts);

/** Whether a filter asks for the values of a field of the list. */
export function asksField(filter: SegmentFilter, tag: string): boolean {
  return filter.some((one) =>
    isGroup(one) ? asksField(one.filter, tag) : builtInField(one.field) === undefined && one.field === tag,
  );
}

/** The same conditions with another tag for a field of the list. */
export function renameField(filter: SegmentFilter, before: string, after: string): SegmentFilter {
  return filter.map((one) =>
    isGroup(one)
      ? { ...one, filter: renameField(one.filter, before, after) }
      : asksField([one], before)
        ? { ...one, field: after }
        : one,
  );
}

function asks(filter: SegmentFilter, facts: readonly BuiltInField[]): boolean {
  return filter.some((one) => {
    if (isGroup(one)) return asks(one.filter, facts);
    const fact = builtInField(one.field);
    return fact !== undefined && facts.includes(fact);
  });
}

/**
 * Who of a campaign's lists is meant: with segments, of each list that has one the members of any of its segments;
 * of a list without, everybody. Speaks of l (campaign_list) besides.
 */
export async function audienceCondition(db: Queries, accountId: number, campaignId: number): Promise<Sql> {
  const segments = await db.rows<{ list_id: number; match: 'all' | 'any'; filter: SegmentFilter }>(sql`
    select g.list_id, g.match, g.filter
    from campaign_segment cs
    join segment g on g.account_id = cs.account_id and g.id = cs.segment_id
    where cs.account_id = ${accountId}
      and cs.campaign_id = ${campaignId}`);
  if (segments.length === 0) return sql`true`;
  const byList = Map.groupBy(segments, (one) => one.list_id);
  const parts = [...byList].map(
    ([list, own]) =>
      sql`(l.list_id = ${list} and (${join(
        own.map((one) => segmentCondition(one.match, one.filter, { accountId, listId: list })),
        ' or ',
      )}))`,
  );
  return sql`(${join(parts, ' or ')} or l.list_id <> all (${[...byList.keys()]}::int[]))`;
}

function conditionSql({ field, condition, value }: Condition, place: SegmentPlace, must: boolean): Sql {
  const negated = condition === 'not' || condition === 'notoneof';
  const fact = builtInField(field);
  switch (fact) {
    case 'opened':
    case 'clicked':
    case 'not_opened':
    case 'was_sent':
      return campaignSql(fact, value, negated, place, must);
    case 'clicked_link':
      return linkSql(condition, value, place, must);
    case 'list':
      return membershipSql(value, negated);
    case 'confirm_time':
      return timeSql(sql`s.confirm_at`, condition, value);
    case 'signup_time':
      return timeSql(sql`s.signup_at`, condition, value);
    case 'changed_time':
      return timeSql(sql`s.changed_at`, condition, value);
    case 'EMAIL':
      return textSql(sql`c.email_key`, condition, value);
    case 'DOMAIN':
      return textSql(sql`c.domain`, condition, value);
    case 'LANGUAGE':
      return textSql(sql`c.language`, condition, value);
    case 'TIMEZONE':
      return textSql(sql`c.time_zone`, condition, value);
    case 'EMAIL_TYPE':
      return textSql(sql`s.email_type`, condition, value);
    case 'signup_source':
      return textSql(sql`s.source`, condition, value);
    case undefined:
      return textSql(sql`coalesce(s.fields ->> ${field.trim().toUpperCase()}, '')`, condition, value);
  }
}

/**
 * A text in lower case, for a comparison with `wanted`, which is. Only letters without accents can equal letters without
 * accents: those are turned byte by byte, in a third of the time that the rules of a language take.
 */
export function loweredFor(wanted: string, subject: Sql): Sql {
  return /^[\x00-\x7f]*$/.test(wanted) ? sql`lower(${subject} collate "C")` : sql`lower(${subject})`;
}

/** Compares without regard to case; greater and less as numbers when both sides are, otherwise as text (dates are ISO). */
function textSql(subject: Sql, condition: ConditionName, value: string): Sql {
  const wanted = value.toLowerCase();
  const lowered = loweredFor(wanted, subject);
  const several = () => wanted.split(';').map((one) => one.trim());
  const pattern = wanted.replace(/[\\%_]/g, '\\$&');
  switch (condition) {
    case 'is':
      return sql`${lowered} = ${wanted}`;
    case 'not':
      return sql`${lowered} <> ${wanted}`;
    case 'isany':
      return sql`${subject} <> ''`;
    case 'isoneof':
      return sql`${lowered} = any (${several()}::text[])`;
    case 'notoneof':
      return sql`${lowered} <> all (${several()}::text[])`;
    case 'contains':
      return sql`${lowered} like ${`%${pattern}%`}`;
    case 'notcontain':
      return sql`${lowered} not like ${`%${pattern}%`}`;
    case 'starts':
      return sql`${lowered} like ${`${pattern}%`}`;
    case 'ends':
      return sql`${lowered} like ${`%${pattern}`}`;
    case 'greater':
      return ordered(subject, value, sql`>`);
    case 'less':
      return ordered(subject, value, sql`<`);
  }
}

/**
 * Numbers among numbers, days among days, anything else as text. What is stored and is of another kind is in no order:
 * it fits neither greater nor less, and never ends the statement.
 */
function ordered(subject: Sql, value: string, sign: Sql): Sql {
  const wanted = value.trim();
  // Digits alone, which most numbers are, are told by a tenth of the time of the pattern.
  if (isNumber(wanted))
    return sql`case
      when translate(${subject}, '0123456789', '') = '' then nullif(${subject}, '')::numeric ${sign} ${wanted}::numeric
      when ${subject} ~ '^[+-]?[0-9]{1,15}([.][0-9]{1,10})?$' then (${subject})::numeric ${sign} ${wanted}::numeric
      else false
    end`;
  const isDay = sql`${subject} ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'`;
  // Days as text are in order; "C" keeps the comparison off the database's language.
  const days = daysOf(wanted);
  if (days !== undefined) {
    const border = sql`to_char((now() at time zone 'UTC') - make_interval(days => ${days}), 'YYYY-MM-DD')`;
    // The last N days end today: what is to come does not lie within them.
    const past = sql`${subject} collate "C" <= to_char(now() at time zone 'UTC', 'YYYY-MM-DD')`;
    return sql`(${subject} collate "C" ${sign} ${border} and ${past} and ${isDay})`;
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(wanted)) return sql`(${subject} collate "C" ${sign} ${wanted} and ${isDay})`;
  return sql`(${subject} <> '' and lower(${subject}) collate "C" ${sign} ${wanted.toLowerCase()})`;
}

export const isNumber = (value: string) => /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(value.trim());

/** N of "N days"; undefined for anything else. */
export function daysOf(value: string): number | undefined {
  const days = /^(\d{1,5}) days?$/i.exec(value.trim())?.[1];
  return days === undefined ? undefined : Number(days);
}

/** N of "last N", the latest campaigns of the list; undefined for anything else. */
export function latestOf(value: string): number | undefined {
  const count = /^last (\d{1,3})$/i.exec(value.trim())?.[1];
  return count === undefined ? undefined : Number(count);
}

/** Times: an instant, a day (greater begins when it has ended), or `N days` for "within the last N days" (greater) and "longer ago" (less). */
function timeSql(subject: Sql, condition: ConditionName, value: string): Sql {
  if (condition === 'isany') return sql`${subject} is not null`;
  const days = daysOf(value);
  const border =
    days === undefined ? sql`${`${value.trim()} UTC`}::timestamptz` : sql`now() - make_interval(days => ${days})`;
  if (condition === 'greater' && /^\d{4}-\d{2}-\d{2}$/.test(value.trim()))
    return sql`${subject} >= ${border} + interval '1 day'`;
  if (condition === 'greater') return sql`${subject} > ${border}`;
  if (condition === 'less') return sql`${subject} < ${border}`;
  const sameDay = sql`date_trunc('day', ${subject}, 'UTC') = date_trunc('day', ${border}, 'UTC')`;
  return condition === 'not' || condition === 'notoneof' ? sql`${subject} is null or not (${sameDay})` : sameDay;
}

/** Openings, clicks and mails sent, of one campaign or of any of the list's latest. */
function campaignSql(
  what: (typeof campaignFacts)[number],
  value: string,
  negated: boolean,
  place: SegmentPlace,
  must: boolean,
): Sql {
  const { accountId, listId, whole } = place;
  const each = eachTime(place);
  const latest = latestOf(value);
  const meant =
    latest === undefined
      ? sql`= ${parseId(value.trim())}`
      : whole
        ? sql`= any (${whole.latest.slice(0, latest)}::int[])`
        : sql`= any (array(${latestSql(accountId, listId, latest)}))`;
  const counted = what === 'clicked' ? sql`e.clicks > 0` : sql`e.opens > 0 or e.clicks > 0`;
  // Not opened speaks of those who got it.
  const got = whole
    ? amongSql(
        sql`d.contact_id`,
        sql`delivery d`,
        sql`d.account_id = ${accountId} and d.campaign_id ${meant} and d.state = 2`,
        must,
      )
    : sql`exists (
        select from delivery d
        where d.account_id = s.account_id
          and d.campaign_id ${meant}
          and d.contact_id = s.contact_id
          and d.state = 2
        ${each}
      )`;
  const ids = latest === undefined ? [parseId(value.trim())] : (whole?.latest.slice(0, latest) ?? []);
  const joined = must || !whole?.joins ? undefined : joinedSql(whole.joins, accountId, ids, what === 'clicked');
  const did =
    joined ??
    (whole
      ? amongSql(
          sql`e.contact_id`,
          sql`engagement e`,
          sql`e.account_id = ${accountId} and e.campaign_id ${meant} and (${counted})`,
          must,
        )
      : sql`exists (
        select from delivery d
        join engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq
        where d.account_id = s.account_id
          and d.campaign_id ${meant}
          and d.contact_id = s.contact_id
          and (${counted})
        ${each}
      )`);
  if (what === 'was_sent') return negated ? sql`not ${got}` : got;
  if (what !== 'not_opened') return negated ? sql`not ${did}` : did;
  return negated ? did : sql`${got} and not ${did}`;
}

/**
 * Whether the member did something in one of the campaigns, by a join with each: workers share its hash table. Undefined
 * where members could be met twice, or campaigns are too many.
 */
function joinedSql(
  { once, made }: Joins,
  accountId: number,
  ids: readonly number[],
  clicked: boolean,
): Sql | undefined {
  if (ids.length === 0 || ids.length > maxJoined || ids.some((id) => !once.includes(id))) return undefined;
  const parts = ids.map((id) => {
    const key = `${id} ${clicked}`;
    const found = made.get(key);
    if (found) return sql`${found.alias}.contact_id is not null`;
    const alias = raw(`did_${made.size}`);
    made.set(key, {
      alias,
      join: sql`left join engagement ${alias} on ${alias}.account_id = ${accountId} and ${alias}.campaign_id = ${id}
        and ${alias}.contact_id = s.contact_id and (${clicked ? sql`${alias}.clicks > 0` : sql`${alias}.opens > 0 or ${alias}.clicks > 0`})`,
    });
    return sql`${alias}.contact_id is not null`;
  });
  return sql`(${join(parts, ' or ')})`;
}

/** Keeps the planner from reading what all did at once where that is asked for a few members only. */
const eachTime = ({ few }: SegmentPlace) => (few ? sql`offset 0` : empty);

/**
 * Whether the member is one of the contacts of a selection that is read as a whole: a join where it must be so (or not
 * so), which workers share; otherwise a hash table of each worker's own, since PostgreSQL has no other way within "or".
 */
function amongSql(contact: Sql, from: Sql, where: Sql, must: boolean): Sql {
  return must
    ? sql`exists (select from ${from} where ${where} and ${contact} = s.contact_id)`
    : sql`s.contact_id in (select ${contact} from ${from} where ${where})`;
}

/** Clicks on a link, told by its target, in any campaign of the account. */
function linkSql(condition: ConditionName, target: string, place: SegmentPlace, must: boolean): Sql {
  const { accountId, whole } = place;
  const negated = condition === 'not' || condition === 'notoneof' || condition === 'notcontain';
  const same: Partial<Record<ConditionName, ConditionName>> = {
    not: 'is',
    notoneof: 'isoneof',
    notcontain: 'contains',
  };
  const fits = textSql(sql`k.target`, same[condition] ?? condition, target);
  const clicked = whole
    ? amongSql(
        sql`e.contact_id`,
        sql`link k join link_engagement e on e.account_id = k.account_id and e.campaign_id = k.campaign_id and e.link_no = k.no`,
        sql`k.account_id = ${accountId} and e.clicks > 0 and ${fits}`,
        must,
      )
    : sql`exists (
        select from delivery d
        join link_engagement e on e.account_id = d.account_id and e.campaign_id = d.campaign_id and e.seq = d.seq and e.clicks > 0
        join link k on k.account_id = e.account_id and k.campaign_id = e.campaign_id and k.no = e.link_no
        where d.account_id = s.account_id
          and d.contact_id = s.contact_id
          and ${fits}
        ${eachTime(place)}
      )`;
  return negated ? sql`not ${clicked}` : clicked;
}

function membershipSql(list: string, negated: boolean): Sql {
  const member = sql`exists (
    select from subscription other
    where other.account_id = s.account_id
      and other.contact_id = s.contact_id
      and other.list_id = ${parseId(list.trim())}
      and other.status = 'subscribed'
  )`;
  return negated ? sql`not ${member}` : member;
}
