// Plans autoresponders: adds recipients as their occasions come near, in portions of one transaction with a cursor each.
// The unique key of delivery allows a contact one row for each occasion, however often this runs and wherever it stops.
// Once an hour it looks for contacts with an occasion in the next two hours, in between for contacts that changed. An
// autoresponder whose segment refers to something deleted is paused: the segment would match no contact or all of them.
// The calendar is campaigns/release/occasions.ts; sending is left to the send loops.
import { isWorking } from '../../accounts/account/moves.ts';
import { audienceCondition, excludedConditions } from '../../audience/segments/audience.ts';
import { brokenSegments } from '../../audience/segments/references.ts';
import { type Day, formatDay } from '../../base/calendar.ts';
import { type Message, message } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { monthOfAutoresponders } from '../../campaigns/model/month.ts';
import { languagesInForce } from '../../campaigns/model/variant.ts';
import {
  anniversariesToCheck,
  daysToCheck,
  nextOccasion,
  type OccasionRule,
  occasionsBetween,
} from '../../campaigns/release/occasions.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { insertChunksOf } from '../ledger/chunk.ts';
import { pauseAutomatically } from '../outcomes/pause-automatically.ts';
import { redoLost } from '../recovery/redo.ts';
import { versionOfContact } from './language-versions.ts';

/** Contacts read in one transaction: one or two seconds of work. */
const portion = 20_000;
/** With more changed contacts than this the whole list is read instead of each contact by its index. */
const manyChanged = 10_000;
/** Due times are rounded up to this, so that contacts who joined one after the other share a chunk. */
const roundingMs = 10_000;

/**
 * Plans what falls due within the next two hours, a portion at a time.
 * @param latenessMs an occasion of a date that has been due for longer is skipped as late
 * @param forMs no further portion is started after this
 * @returns how many portions were planned; the next call continues where this one stops
 */
export async function planOccasions(
  db: Database,
  latenessMs: number,
  most = 20,
  forMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const beganAt = performance.now();
  await db.run(sql`
    insert into occasion_plan (account_id, campaign_id, planned_to, changed_from)
    select account_id, id, coalesce(send_at, now()), coalesce(send_at, now())
    from campaign
    where type = 'auto'
      and status = 'sending'
      and ${hasOccasions}
    on conflict do nothing`);
  let done = 0;
  while (done < most && performance.now() - beganAt < forMs) {
    const portion = await db.transaction((tx) => planPortion(tx, latenessMs));
    if (portion === 'none') break;
    // In a separate transaction: other transactions lock campaigns before their plans, so this would risk a deadlock.
    if (portion !== 'planned') await db.transaction((tx) => pauseAutomatically(tx, portion, portion.unfit));
    done += 1;
  }
  return done;
}

/** The emails of automations have no occasions to look for: src/automations adds their recipients. */
const hasOccasions = sql`auto ->> 'event' is distinct from 'automation'`;

/** The settings of an autoresponder, as the column campaign.auto holds them. */
export type Auto = {
  units: OccasionRule['units'];
  time: number;
  direction: OccasionRule['dir'];
  event: OccasionRule['event'];
  tag: string;
};

export const ruleOf = (auto: Auto): OccasionRule => ({
  units: auto.units,
  time: auto.time,
  dir: auto.direction,
  event: auto.event,
});

/** What the occasions of a subscriber follow from. @param member `zone` is '' where neither contact nor list has one */
export function factsOf(member: { signupAt: Date | null; day: string | null; zone: string }, accountZone: string) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(member.day ?? '') ?? [];
  const date: Day | null = year ? { year: Number(year), month: Number(month), day: Number(day) } : null;
  return { signupAt: member.signupAt, day: date, zone: isZone(member.zone) ? member.zone : accountZone };
}

type Plan = {
  account: number;
  campaign: number;
  auto: Auto;
  begunAt: Date;
  resumedAt: Date | null;
  plannedTo: Date;
  windowTo: Date | null;
  kind: 'due' | 'changed';
  after: number | null;
  changedFrom: Date;
  changedTo: Date | null;
  now: Date;
  /** Changes that are committed later carry this time or a later one. */
  oldestWriteAt: Date;
  zone: string;
  /** The zones of contacts without one of their own, now and when the whole list was last read for them. */
  zones: string;
  zonesBefore: string;
};

type Member = {
  contact: number;
  list: number;
  email: string;
  domain: string;
  zone: string;
  signupAt: Date | null;
  day: string | null;
};

type Portion =
  | 'none'
  | 'planned'
  | { account: number; campaign: number /** Why no occasion can be planned. */; unfit: Message };

/** The start of the oldest transaction that has written: `changed_at` is the time at which its transaction started. */
const oldestWriteAt = sql`
  least(now(), (
    select min(xact_start)
    from pg_stat_activity
    where datname = current_database()
      and backend_xid is not null
      and pid <> pg_backend_pid()
  ))`;

async function planPortion(tx: Tx, latenessMs: number): Promise<Portion> {
  const plan = await tx.row<Plan>(sql`
    select p.account_id as account, p.campaign_id as campaign, c.auto, c.send_at as "begunAt", c.resumed_at as "resumedAt", p.planned_to as "plannedTo",
      p.window_to as "windowTo", p.window_kind as kind, p.after_contact as after, p.changed_from as "changedFrom",
      p.changed_to as "changedTo", now() as now, ${oldestWriteAt} as "oldestWriteAt", a.time_zone as zone, p.zones as "zonesBefore",
      a.time_zone || coalesce((
        select string_agg(' ' || l.id || '=' || l.time_zone, '' order by l.id)
        from campaign_list cl
        join list l on l.account_id = cl.account_id and l.id = cl.list_id
        where cl.account_id = c.account_id
          and cl.campaign_id = c.id
      ), '') as zones
    from occasion_plan p
    join campaign c on c.account_id = p.account_id and c.id = p.campaign_id
    join account a on a.id = p.account_id
    where c.type = 'auto'
      and c.status = 'sending'
      and ${hasOccasions}
      and p.look_at <= now()
      and ${isWorking(sql`p.account_id`)}
    order by p.look_at
    limit 1
    for update of p skip locked`);
  if (!plan) return 'none';
  const { account, campaign } = plan;
  // Rows of a deleted campaign stay some seconds longer than it, so what is read behind this look is still whole.
  const unfit = (await brokenSegments({ tx, account: { id: account } }, campaign)).map(({ title }) =>
    message('pause.segment_gone', { title }),
  );
  if (unfit.length > 0)
    return {
      account,
      campaign,
      unfit: unfit.reduce((first, second): Message => message('delivery.both', { first, second })),
    };
  // A new pass: the whole list when less than an hour is planned ahead, else the contacts that changed.
  const fresh = plan.windowTo === null;
  const kind =
    fresh && plan.plannedTo.getTime() < plan.now.getTime() + 3_600_000 ? 'due' : fresh ? 'changed' : plan.kind;
  const windowTo = plan.windowTo ?? (kind === 'due' ? new Date(plan.now.getTime() + 7_200_000) : plan.plannedTo);
  const changedTo = plan.changedTo ?? plan.oldestWriteAt;
  // Contacts without a zone have another clock now: all are checked again.
  const zoneChanged = fresh && kind === 'changed' && plan.zonesBefore !== '' && plan.zonesBefore !== plan.zones;
  const changedFrom = zoneChanged ? new Date(0) : plan.changedFrom;
  const fromAt = kind === 'due' ? plan.plannedTo : plan.begunAt;
  const rule = ruleOf(plan.auto);
  const lateBefore = lateBeforeOf(plan, kind, latenessMs);
  const members = await readMembers(
    tx,
    plan,
    kind === 'due' ? canBeDue(rule, plan.auto.tag, fromAt, windowTo) : await hasChanged(tx, plan, changedFrom),
  );
  const found = members.flatMap((member) =>
    occasionsBetween(rule, factsOf(member, plan.zone), fromAt, windowTo).map(({ key, dueAt }) => ({
      contact: member.contact,
      list: member.list,
      email: member.email,
      domain: member.domain,
      occasion: key,
      due_at: roundedUp(dueAt),
      late: dueAt < lateBefore,
    })),
  );
  if (kind === 'changed') await withdrawMoved(tx, plan, members, rule);
  await addRows(tx, plan, found);
  const ended = members.length < portion;
  await tx.run(sql`
    update occasion_plan
    set window_to = ${ended ? null : windowTo},
      window_kind = ${kind},
      after_contact = ${ended ? null : members.at(-1)!.contact - 1},
      planned_to = ${ended && kind === 'due' ? windowTo : plan.plannedTo},
      -- One minute overlap: a transaction that has not written yet may be as old, and carries the time of its start.
      changed_from = ${ended && kind === 'changed' ? new Date(changedTo.getTime() - 60_000) : changedFrom},
      changed_to = ${ended ? null : changedTo},
      zones = ${(fresh && kind === 'changed') || plan.zonesBefore === '' ? plan.zones : plan.zonesBefore},
      look_at = case when ${ended && kind === 'changed'} then now() + interval '5 seconds' else now() end
    where account_id = ${plan.account}
      and campaign_id = ${plan.campaign}`);
  return 'planned';
}

/**
 * Occasions due before this are skipped as late. One of a sign-up that fell due while nothing ran is not, unless the autoresponder was
 * paused meanwhile; but a contact that is added or changed today does not get what was due long ago.
 */
function lateBeforeOf({ auto, now, begunAt, resumedAt }: Plan, kind: Plan['kind'], latenessMs: number): Date {
  const from = auto.event === 'signup' && kind === 'due' ? (resumedAt?.getTime() ?? 0) : now.getTime();
  return new Date(Math.max(begunAt.getTime(), from - latenessMs));
}

/** The next portion, ordered by contact. A contact's lists may be split between two portions, so the last one is re-read. */
async function readMembers(tx: Tx, plan: Plan, condition: Sql): Promise<Member[]> {
  const chosen = await audienceCondition(tx, plan);
  const { byList, bySegment } = await excludedConditions(tx, plan, sql`p.contact`);
  return tx.rows<Member>(sql`
    select contact, list, email, domain, zone, "signupAt", day
    from (
      select s.contact_id as contact, s.list_id as list, l.position, c.email, c.domain,
        coalesce(nullif(c.time_zone, ''), nullif(li.time_zone, ''), '') as zone,
        coalesce(s.confirm_at, s.optin_at, s.signup_at) as "signupAt", s.fields ->> ${plan.auto.tag}::text as day
      from campaign_list l
      join list li on li.account_id = l.account_id and li.id = l.list_id
      join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where l.account_id = ${plan.account}
        and l.campaign_id = ${plan.campaign}
        and s.contact_id > ${plan.after ?? -2_147_483_648}
        and ${condition}
        and ${chosen}
    ) as p
    where not ${byList}
      and not ${bySegment}
    order by contact, position, list
    limit ${portion}`);
}

export const roundedUp = (at: Date) => new Date(Math.ceil(at.getTime() / roundingMs) * roundingMs);

/** A condition for the contacts that can be due in that time, and a few others: of a million subscribers some thousands. */
export function canBeDue(rule: OccasionRule, tag: string, fromAt: Date, toAt: Date): Sql {
  if (rule.event === 'annual')
    return sql`substr(s.fields ->> ${tag}::text, 6, 5) = any (${anniversariesToCheck(rule, fromAt, toAt)}::text[])`;
  const { first, last } = daysToCheck(rule, fromAt, toAt);
  if (rule.event === 'date')
    return sql`(s.fields ->> ${tag}::text) collate "C" between ${formatDay(first)} and ${formatDay(last)}`;
  return sql`
    coalesce(s.confirm_at, s.optin_at, s.signup_at) >= ${`${formatDay(first)} 00:00:00+00`}::timestamptz
    and coalesce(s.confirm_at, s.optin_at, s.signup_at) <= ${`${formatDay(last)} 23:59:59+00`}::timestamptz`;
}

async function hasChanged(tx: Tx, plan: Plan, since: Date): Promise<Sql> {
  if (since.getTime() === 0) return sql`true`;
  const changed = sql`
    select x.contact_id
    from campaign_list xl
    join subscription x on x.account_id = xl.account_id and x.list_id = xl.list_id
    where xl.account_id = ${plan.account}
      and xl.campaign_id = ${plan.campaign}
      and x.changed_at >= ${since}::timestamptz
    union all
    select id
    from contact
    where account_id = ${plan.account}
      and changed_at >= ${since}::timestamptz`;
  const some = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from (select from (${changed}) as x limit ${manyChanged}) as y`);
  // Each half by its index; as a condition on the join it reads the whole list, which is right after an import only.
  return some!.count < manyChanged
    ? sql`s.contact_id in (${changed})`
    : sql`(s.changed_at >= ${since}::timestamptz or c.changed_at >= ${since}::timestamptz)`;
}

/** Deletes rows not sent yet whose occasion has moved or is gone: another date, zone or signup. */
async function withdrawMoved(tx: Tx, plan: Plan, members: readonly Member[], rule: OccasionRule): Promise<void> {
  if (members.length === 0) return;
  const waiting = await tx.rows<{ seq: number; contact: number; list: number; occasion: string; dueAt: Date }>(sql`
    select seq, contact_id as contact, list_id as list, occasion, due_at as "dueAt"
    from delivery
    where account_id = ${plan.account}
      and campaign_id = ${plan.campaign}
      and month = ${monthOfAutoresponders}
      and contact_id = any (${members.map((member) => member.contact)}::int[])
      and state = ${states.queued}
    for update`);
  const memberOf = new Map(members.map((member) => [`${member.contact} ${member.list}`, member]));
  const moved = waiting.filter((row) => {
    const member = memberOf.get(`${row.contact} ${row.list}`);
    if (!member) return false;
    const next = nextOccasion(rule, factsOf(member, plan.zone), new Date(row.dueAt.getTime() - roundingMs + 1));
    return next?.key !== row.occasion || roundedUp(next.dueAt).getTime() !== row.dueAt.getTime();
  });
  if (moved.length === 0) return;
  await tx.run(sql`
    with gone as (
      delete from delivery
      where account_id = ${plan.account}
        and campaign_id = ${plan.campaign}
        and month = ${monthOfAutoresponders}
        and seq = any (${moved.map((row) => row.seq)}::int[])
      returning seq
    )
    insert into tally as t (account_id, campaign_id, shard, recipients, queued)
    select ${plan.account}::int, ${plan.campaign}::int, 0, -count(*), -count(*)
    from gone
    on conflict (account_id, campaign_id, shard) do update
    set recipients = t.recipients + excluded.recipients, queued = t.queued + excluded.queued`);
}

/** A contact that gets the message of an autoresponder for an occasion. */
export type Occasional = {
  contact: number;
  list: number;
  email: string;
  domain: string;
  occasion: string;
  due_at: Date;
  /** Skipped as late. */
  late: boolean;
};

/**
 * Adds recipients for occasions that have none yet, with their chunks, and counts them. The caller holds the row of
 * occasion_plan, which numbers them.
 */
export async function addRows(tx: Tx, plan: CampaignKey, found: readonly Occasional[]): Promise<void> {
  if (found.length === 0) return;
  const language = versionOfContact(plan.account, await languagesInForce(tx, plan), sql`contact`);
  const added = await tx.run(sql`
    with given as (
      select *
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
        as g(contact int, list int, email text, domain text, occasion text, due_at timestamptz, late boolean)
    ), fresh as (
      -- Of several lists the one that is due first.
      select distinct on (contact, occasion) *
      from given g
      where not exists (
        select from delivery d
        where d.account_id = ${plan.account}
          and d.campaign_id = ${plan.campaign}
          and d.month = ${monthOfAutoresponders}
          and d.contact_id = g.contact
          and d.occasion = g.occasion
      )
        -- Sent so long ago that the recipient is deleted.
        and not exists (
          select from past_occasion o
          where o.account_id = ${plan.account}
            and o.campaign_id = ${plan.campaign}
            and o.contact_id = g.contact
            and o.occasion = g.occasion
        )
      order by contact, occasion, due_at
    ), last as (
      -- A seq is never reused: a chunk may still refer to a row that was deleted.
      select greatest(last_seq, (
        select max(seq) from delivery where account_id = ${plan.account} and campaign_id = ${plan.campaign} and month = ${monthOfAutoresponders}
      )) as seq
      from occasion_plan
      where account_id = ${plan.account}
        and campaign_id = ${plan.campaign}
    ), added as (
      insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, occasion, email, domain, due_at, language, state, reason, done_at)
      select ${plan.account}::int, ${plan.campaign}::int, last.seq + row_number() over (order by due_at, contact),
        ${monthOfAutoresponders}, contact, list, occasion, email, domain, due_at, ${language},
        case when late then ${states.skipped}::smallint else ${states.queued}::smallint end,
        case when late then 'late' end, case when late then now() end
      from fresh, last
      returning seq, due_at, state
    ), counted as (
      insert into tally as t (account_id, campaign_id, shard, recipients, queued, skipped)
      select ${plan.account}::int, ${plan.campaign}::int, 0, count(*), count(*) filter (where state = ${states.queued}),
        count(*) filter (where state = ${states.skipped})
      from added
      on conflict (account_id, campaign_id, shard) do update
      set recipients = t.recipients + excluded.recipients, queued = t.queued + excluded.queued,
        skipped = t.skipped + excluded.skipped
    ), numbered as (
      update occasion_plan
      set last_seq = greatest(last_seq, (select max(seq) from added))
      where account_id = ${plan.account}
        and campaign_id = ${plan.campaign}
    )
    ${insertChunksOf(plan, 'first', sql`(select seq, due_at from added where state = ${states.queued}) as queued`)}`);
  if (added === 0) return;
  await redoLost(tx, plan);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}
