// Planning of autoresponders: gives each active one delivery rows as its occasions come near, in portions that each
// are a transaction with their cursor. The unique key of delivery keeps a contact to one row an occasion, however
// often this runs and wherever it stops. The whole list is read once in an hour; in between only contacts that
// changed, by an index. Leaves the calendar to campaigns/occasions and the sending to the lanes.

import { excludedConditions } from '../audience/exclusion.ts';
import { audienceCondition } from '../audience/segment.ts';
import type { Day } from '../calendar.ts';
import { nextOccasion, type OccasionRule, occasionsBetween } from '../campaigns/occasions.ts';
import { type Database, sql, type Tx } from '../db/connect.ts';
import { chunkChannel } from '../jobs/channels.ts';
import { isZone } from '../zones.ts';
import { states } from './states.ts';

/** Contacts read in a transaction. */
const portion = 2_000;

/**
 * Plans what falls due within the next two hours, a portion at a time.
 * @param latenessMs what is due longer ago than this gets a row that says so, and no mail
 * @returns how many portions were done; the next call goes on where this one stops
 */
export async function planOccasions(db: Database, latenessMs: number, most = 20): Promise<number> {
  await db.run(sql`
    insert into occasion_plan (account_id, campaign_id, planned_to, changed_from)
    select account_id, id, coalesce(send_at, now()), coalesce(send_at, now())
    from campaign
    where type = 'auto'
      and status = 'sending'
    on conflict do nothing`);
  for (let done = 0; done < most; done++) {
    if (!(await db.transaction((tx) => planPortion(tx, latenessMs)))) return done;
  }
  return most;
}

type Plan = {
  account: number;
  campaign: number;
  auto: {
    units: OccasionRule['units'];
    time: number;
    direction: OccasionRule['dir'];
    event: OccasionRule['event'];
    tag: string;
  };
  begunAt: Date;
  plannedTo: Date;
  windowTo: Date | null;
  kind: 'due' | 'changed';
  after: number | null;
  changedFrom: Date;
  changedTo: Date | null;
  now: Date;
  zone: string;
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

async function planPortion(tx: Tx, latenessMs: number): Promise<boolean> {
  const plan = await tx.row<Plan>(sql`
    select p.account_id as account, p.campaign_id as campaign, c.auto, c.send_at as "begunAt", p.planned_to as "plannedTo",
      p.window_to as "windowTo", p.window_kind as kind, p.after_contact as after, p.changed_from as "changedFrom",
      p.changed_to as "changedTo", now() as now, a.time_zone as zone
    from occasion_plan p
    join campaign c on c.account_id = p.account_id and c.id = p.campaign_id
    join account a on a.id = p.account_id
    where c.type = 'auto'
      and c.status = 'sending'
      and p.look_at <= now()
    order by p.look_at
    limit 1
    for update of p skip locked`);
  if (!plan) return false;
  // A new look: the whole list when less than an hour is planned ahead, else those who changed.
  const fresh = plan.windowTo === null;
  const kind =
    fresh && plan.plannedTo.getTime() < plan.now.getTime() + 3_600_000 ? 'due' : fresh ? 'changed' : plan.kind;
  const windowTo = plan.windowTo ?? (kind === 'due' ? new Date(plan.now.getTime() + 7_200_000) : plan.plannedTo);
  const changedTo = plan.changedTo ?? plan.now;
  const members = await readMembers(tx, plan, kind === 'changed');
  const oldestAt = new Date(Math.max(plan.begunAt.getTime(), plan.now.getTime() - latenessMs));
  const fromAt = kind === 'due' ? plan.plannedTo : plan.begunAt;
  const rule: OccasionRule = {
    units: plan.auto.units,
    time: plan.auto.time,
    dir: plan.auto.direction,
    event: plan.auto.event,
  };
  const found = members.flatMap((member) =>
    occasionsBetween(rule, factsOf(member, plan.zone), fromAt, windowTo).map(({ key, dueAt }) => ({
      contact: member.contact,
      list: member.list,
      email: member.email,
      domain: member.domain,
      occasion: key,
      due_at: dueAt,
      late: dueAt < oldestAt,
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
      -- A minute again: a transaction may commit later than the time it wrote.
      changed_from = ${ended && kind === 'changed' ? new Date(changedTo.getTime() - 60_000) : plan.changedFrom},
      changed_to = ${ended ? null : changedTo},
      look_at = case when ${ended && kind === 'changed'} then now() + interval '5 seconds' else now() end
    where account_id = ${plan.account}
      and campaign_id = ${plan.campaign}`);
  return true;
}

/** The next portion, in the order of contacts; one contact's lists may be cut apart, so its last is read again. */
async function readMembers(tx: Tx, plan: Plan, changed: boolean): Promise<Member[]> {
  const chosen = await audienceCondition(tx, plan.account, plan.campaign);
  const { byList, bySegment } = await excludedConditions(tx, plan.account, plan.campaign, sql`p.contact`);
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
        and (not ${changed} or s.changed_at >= ${plan.changedFrom}::timestamptz)
        and ${chosen}
    ) as p
    where not ${byList}
      and not ${bySegment}
    order by contact, position, list
    limit ${portion}`);
}

function factsOf(member: Member, accountZone: string) {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(member.day ?? '') ?? [];
  const date: Day | null = year ? { year: Number(year), month: Number(month), day: Number(day) } : null;
  const zone = isZone(member.zone) ? member.zone : accountZone;
  return { signupAt: member.signupAt, day: date, zone };
}

/** Takes away rows not sent yet whose date is no longer the contact's. */
async function withdrawMoved(tx: Tx, plan: Plan, members: readonly Member[], rule: OccasionRule): Promise<void> {
  if (rule.event === 'signup' || members.length === 0) return;
  const waiting = await tx.rows<{ seq: number; contact: number; list: number; occasion: string; dueAt: Date }>(sql`
    select seq, contact_id as contact, list_id as list, occasion, due_at as "dueAt"
    from delivery
    where account_id = ${plan.account}
      and campaign_id = ${plan.campaign}
      and contact_id = any (${members.map((one) => one.contact)}::int[])
      and state = ${states.queued}
    for update`);
  const moved = waiting.filter((row) => {
    const member = members.find((one) => one.contact === row.contact && one.list === row.list);
    if (!member) return false;
    const next = nextOccasion(rule, factsOf(member, plan.zone), row.dueAt);
    return next?.key !== row.occasion || next.dueAt.getTime() !== row.dueAt.getTime();
  });
  if (moved.length === 0) return;
  await tx.run(sql`
    with gone as (
      delete from delivery
      where account_id = ${plan.account}
        and campaign_id = ${plan.campaign}
        and seq = any (${moved.map((one) => one.seq)}::int[])
      returning seq
    )
    insert into tally as t (account_id, campaign_id, shard, recipients, queued)
    select ${plan.account}::int, ${plan.campaign}::int, 0, -count(*), -count(*)
    from gone
    on conflict (account_id, campaign_id, shard) do update
    set recipients = t.recipients + excluded.recipients, queued = t.queued + excluded.queued`);
}

async function addRows(tx: Tx, plan: Plan, found: readonly Record<string, unknown>[]): Promise<void> {
  if (found.length === 0) return;
  const added = await tx.run(sql`
    with given as (
      select *
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
        as g(contact int, list int, email text, domain text, occasion text, due_at timestamptz, late boolean)
    ), fresh as (
      -- Of several lists the first one that is due.
      select distinct on (contact, occasion) *
      from given g
      where not exists (
        select from delivery d
        where d.account_id = ${plan.account}
          and d.campaign_id = ${plan.campaign}
          and d.contact_id = g.contact
          and d.occasion = g.occasion
      )
      order by contact, occasion, due_at
    ), last as (
      select coalesce(max(seq), 0) as seq
      from delivery
      where account_id = ${plan.account}
        and campaign_id = ${plan.campaign}
    ), added as (
      insert into delivery (account_id, campaign_id, seq, contact_id, list_id, occasion, email, domain, due_at, state, reason, done_at)
      select ${plan.account}::int, ${plan.campaign}::int, last.seq + row_number() over (order by due_at, contact),
        contact, list, occasion, email, domain, due_at,
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
    )
    insert into chunk (account_id, campaign_id, kind, seqs, due_at)
    select ${plan.account}::int, ${plan.campaign}::int, 'first', array_agg(seq order by seq), due_at
    from added
    where state = ${states.queued}
    group by due_at`);
  if (added > 0) await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}
