// Carries out steps: takes contacts that are due on the same step, and moves them on together with the effect of the step, in one
// transaction. The locks of their rows are the lease: a worker that dies leaves them as they were, and another takes them.

import { accountById } from '../../accounts/account/account.ts';
import { isWorking } from '../../accounts/account/moves.ts';
import { systemContext } from '../../accounts/account/system-context.ts';
import type { App, Context } from '../../base/context.ts';
import type { Message } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import { isRedone } from '../../delivery/ledger/timeline.ts';
import { stepAfter } from '../model/flow.ts';
import { matchingOf } from '../steps/condition.ts';
import { type Due, done, type StepOf } from '../steps/kind.ts';
import { carryOut, dueOf, hasArms, isContactwise, type Step } from '../steps/steps.ts';
import { endOf, lookAgainMs } from '../steps/wait-for.ts';
import { eachAutomation } from './each.ts';
import { pauseUnfit } from './pause-unfit.ts';
import {
  type AutomationKey,
  keepRuns,
  type Move,
  moveRuns,
  type Stay,
  type Version,
  versionOf,
  zoneOfMember,
} from './runs.ts';

/** Contacts moved in one transaction: some 50 ms of work; fewer where each costs several statements. */
const portion = 1_000;
const contactwisePortion = 100;
/** Automations of one round. */
const atOnce = 100;

/** Due contacts that one look reads to find their automations; tests lower it. */
export const lookAhead = { contacts: 5_000 };

/** Moves contacts that are due, a portion of each automation. @returns how many were moved */
export async function advance(app: App, clock?: Date): Promise<number> {
  await endImpossibleWaits(app.db, clock);
  return eachAutomation(app.log, await automationsDue(app.db, clock), async (of) => {
    const outcome = await app.db.transaction((tx) => advancePortion(app, tx, of, clock));
    if (typeof outcome === 'number') return outcome;
    await app.db.transaction((tx) => pauseUnfit(tx, of, outcome));
    return 0;
  });
}

/** Active automations with contacts that are due, those that have waited longest first, at most 100. */
async function automationsDue(db: Database, clock: Date | undefined): Promise<AutomationKey[]> {
  const now = sql`coalesce(${clock ?? null}::timestamptz, now())`;
  const due = await db.rows<AutomationKey & { contacts: number; isActive: boolean }>(sql`
    select r.account_id as account, r.automation_id as automation, count(*) as contacts,
      exists (select from automation a where a.account_id = r.account_id and a.id = r.automation_id and a.status = 'active') as "isActive"
    from (
      select account_id, automation_id, due_at
      from automation_run
      where ended_at is null
        and due_at <= ${now}
        and ${isWorking(sql`account_id`)}
      order by due_at
      limit ${lookAhead.contacts}
    ) r
    group by r.account_id, r.automation_id
    order by min(r.due_at)`);
  const seen = due.reduce((sum, { contacts }) => sum + contacts, 0);
  // More are due than one look reads, and those that it read may all wait in one automation, or in paused ones.
  if (seen === lookAhead.contacts) return automationsDueEach(db, now);
  return due.filter(({ isActive }) => isActive).slice(0, atOnce);
}

/** The same by a look at each active automation: takes longer the more there are, but misses none in a backlog. */
function automationsDueEach(db: Database, now: Sql): Promise<AutomationKey[]> {
  return db.rows<AutomationKey>(sql`
    select a.account_id as account, a.id as automation
    from automation a
    cross join lateral (
      select r.due_at
      from automation_run r
      where r.account_id = a.account_id
        and r.automation_id = a.id
        and r.ended_at is null
        and r.due_at <= ${now}
      order by r.due_at
      limit 1
    ) first
    where a.status = 'active'
      and ${isWorking(sql`a.account_id`)}
    order by first.due_at
    limit ${atOnce}`);
}

/** A step that is no wait is due when a contact arrives on it: one that is due later was reached before the clock was set back. */
async function endImpossibleWaits(db: Database, clock: Date | undefined): Promise<void> {
  // To the millisecond, as advancePortion reads the clock: with microseconds the contact would be due only in the next round.
  const now = sql`coalesce(${clock ?? null}::timestamptz, date_trunc('milliseconds', now()))`;
  await db.run(sql`
    update automation_run
    set step_at = ${now}, due_at = ${now}
    where ended_at is null
      and due_at = step_at
      and due_at > ${now}`);
}

/** @returns how many contacts were moved; or why the step cannot be carried out, with nothing changed */
async function advancePortion(app: App, tx: Tx, of: AutomationKey, clock: Date | undefined): Promise<number | Message> {
  const automation = await tx.row<{ title: string; list: number; now: Date }>(sql`
    select title, list_id as list, now() as now
    from automation
    where account_id = ${of.account}
      and id = ${of.automation}
      and status = 'active'
      and ${isRedone}
    for key share skip locked`);
  if (!automation) return 0;
  const now = clock ?? automation.now;
  const first = await tx.row<{ version: number; step: string }>(sql`
    select version, step
    from automation_run
    where account_id = ${of.account}
      and automation_id = ${of.automation}
      and ended_at is null
      and due_at <= ${now}
    order by due_at
    limit 1
    for no key update skip locked`);
  if (!first) return 0;
  const version = await versionOf(tx, of, first.version);
  const { step } = version.flow.steps.get(first.step)!;
  const found = await takeDue(tx, of, { ...first, list: automation.list, now }, isContactwise(step));
  // What the use cases of the audience need: the program acts for the account.
  const account = (await accountById(tx, of.account))!;
  const context = systemContext(app, tx, { account, now, ip: '' });
  const stepOf: StepOf = { automation: of.automation, title: automation.title, list: automation.list };
  const outcome = await movesOf(context, stepOf, version, first.step, found);
  if ('key' in outcome) return outcome;
  const { moves, stays } = outcome;
  await moveRuns(tx, of, moves, now);
  await keepRuns(tx, of, stays);
  return moves.length;
}

type Found = Due & {
  isKnown: boolean;
  zone: string;
  status: string | null;
  stepAt: Date;
  /** The event that it waits for has come. */
  reached: boolean;
  /** An event that it may wait for is about to be looked at. */
  signalled: boolean;
};

/**
 * Locks contacts that are due on a step, without waiting for those that another worker has, or that are being erased: an erasure waits
 * for runs after it has the contact.
 */
async function takeDue(
  tx: Tx,
  of: AutomationKey,
  { version, step, list, now }: { version: number; step: string; list: number; now: Date },
  contactwise: boolean,
): Promise<Found[]> {
  const found = await tx.rows<Found>(sql`
    with taken as (
      select account_id, automation_id, no, contact_id, step_at, reached
      from automation_run
      where account_id = ${of.account}
        and automation_id = ${of.automation}
        and step = ${step}
        and version = ${version}
        and ended_at is null
        and due_at <= ${now}
      order by due_at
      limit ${contactwise ? contactwisePortion : portion}
      for no key update skip locked
    )
    select t.no, t.contact_id as contact, c.id is not null as "isKnown", coalesce(c.email, '') as email, coalesce(c.domain, '') as domain, ${zoneOfMember} as zone, s.status,
      t.step_at as "stepAt", t.reached, exists (
        select from automation_signal g
        where g.account_id = t.account_id and g.automation_id = t.automation_id and g.contact_id = t.contact_id and g.kind = 'reach'
      ) as signalled
    from taken t
    left join contact c on c.account_id = t.account_id and c.id = t.contact_id
    left join list li on li.account_id = t.account_id and li.id = ${list}
    left join subscription s on s.account_id = t.account_id and s.contact_id = t.contact_id and s.list_id = ${list}
    -- Their subscriptions are changed in this order, so that two workers never deadlock.
    order by t.contact_id`);
  const held = await tx.rows<{ id: number }>(sql`
    select id
    from contact
    where account_id = ${of.account}
      and id = any (${found.map(({ contact }) => contact)}::int[])
    order by id
    for key share skip locked`);
  const isHeld = new Set(held.map(({ id }) => id));
  return found.filter(({ contact, isKnown }) => !isKnown || isHeld.has(contact));
}

/** Who leaves, who has reached the goal, and where the others go, after the effect of the step on them. */
async function movesOf(
  context: Context,
  of: StepOf,
  { definition, flow }: Version,
  from: string,
  found: readonly Found[],
): Promise<{ moves: Move[]; stays: Stay[] } | Message> {
  const { step } = flow.steps.get(from)!;
  const members = found.filter(({ status }) => status === 'subscribed');
  const gone = found
    .filter(({ status }) => status !== 'subscribed')
    .map(({ no, status }): Move => ({ no, from, outcome: status === null ? 'deleted' : 'unsubscribed' }));
  const { goal } = definition;
  const reached = goal && goal.filter.length > 0 ? await matchingOf(context, of, goal, members) : undefined;
  if (reached && 'unfit' in reached) return reached.unfit;
  const isThere = ({ contact }: Due) => reached?.matching.has(contact) === true;
  const arrived = members.filter(isThere).map(({ no }): Move => ({ no, from, outcome: 'goal' }));
  const others = members.filter((member) => !isThere(member));
  const waited = step.type === 'wait_for' ? await waitedFor(context, of, step, others) : undefined;
  const effect = waited ?? (await carryOut(context, of, step, others));
  if ('unfit' in effect) return effect.unfit;
  const stays = waited && 'stays' in waited ? waited.stays : [];
  const isStaying = new Set(stays.map(({ no }) => no));
  const going = others.filter(({ no }) => !isStaying.has(no));
  const moved = going.map(({ no, contact, zone }): Move => {
    const matches = effect.matching.has(contact);
    const left = { no, from, ...(hasArms(step) && { arm: matches ? ('yes' as const) : ('no' as const) }) };
    const to = stepAfter(flow, from, matches);
    if (to === null) return { ...left, outcome: 'completed' };
    const next = flow.steps.get(to)!.step;
    return { ...left, to, dueAt: dueOf(next, context.now, isZone(zone) ? zone : context.account.timeZone) };
  });
  return { moves: [...gone, ...arrived, ...moved], stays };
}

/** Who has what the step waits for, and who still waits for it; the time of all others is over. */
async function waitedFor(
  context: Context,
  of: StepOf,
  step: Extract<Step, { type: 'wait_for' }>,
  found: readonly Found[],
): Promise<{ unfit: Message } | { matching: ReadonlySet<number>; stays: Stay[] }> {
  const asked = found.filter(({ reached }) => !reached);
  const effect = step.filter.length > 0 && asked.length > 0 ? await matchingOf(context, of, step, asked) : done;
  if ('unfit' in effect) return effect;
  const matching = new Set([
    ...effect.matching,
    ...found.filter(({ reached }) => reached).map(({ contact }) => contact),
  ]);
  const now = context.now.getTime();
  const stays = found.flatMap(({ no, contact, zone, stepAt, signalled }): Stay[] => {
    if (matching.has(contact)) return [];
    const end = endOf(step, stepAt, isZone(zone) ? zone : context.account.timeZone);
    if (end > context.now)
      return [{ no, until: step.filter.length > 0 ? new Date(Math.min(end.getTime(), now + lookAgainMs)) : end }];
    // The event came before the end, and its signal is taken in a moment.
    return signalled ? [{ no, until: new Date(now + 1_000) }] : [];
  });
  return { matching, stays };
}
