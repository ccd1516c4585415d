// Takes signals: lets contacts into an automation, and out of it. A signal is deleted in the transaction that acts on it, so it
// acts once, wherever a worker dies. The signals of an automation are taken by one worker at a time, in their order.
import { isWorking } from '../../accounts/account/moves.ts';
import { eventsAfter } from '../../audience/events/read.ts';
import type { App } from '../../base/context.ts';
import { isZone } from '../../base/zones.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import { isRedone } from '../../delivery/ledger/timeline.ts';
import type { Definition } from '../model/definition.ts';
import { endOfEvent, isReportedLate, requestName, type SignalledEvent } from '../model/entering-event.ts';
import { matchesData } from '../steps/data-conditions.ts';
import { dueOf } from '../steps/steps.ts';
import { eachAutomation } from './each.ts';
import {
  type AutomationKey,
  countEntries,
  type Move,
  moveRuns,
  type Outcome,
  type Version,
  versionOf,
  zoneOfMember,
} from './runs.ts';
import { isLate } from './scan.ts';

/** Signals taken in one transaction. */
const portion = 2_000;

/** `at`: when it was found or reported; of a date, when that was due. `event`: the event that caused it, with its time and data. */
type Signal = {
  contact: number;
  kind: 'enter' | 'leave' | 'reach';
  outcome: Outcome | null;
  occasion: string;
  at: Date;
  event: SignalledEvent | null;
};

/** Takes a portion of the signals of each automation that has any. @returns how many signals were taken */
export async function takeSignals(
  { db, log, config }: Pick<App, 'db' | 'log' | 'config'>,
  clock?: Date,
): Promise<number> {
  const automations = await db.rows<AutomationKey>(sql`
    select a.account_id as account, a.id as automation
    from automation a
    where a.status <> 'draft'
      and ${isWorking(sql`a.account_id`)}
      and exists (select from automation_signal s where s.account_id = a.account_id and s.automation_id = a.id)`);
  const latenessMs = config.maxLateness * 3_600_000;
  return eachAutomation(log, automations, (of) => db.transaction((tx) => takePortion(tx, of, latenessMs, clock)));
}

type Entered = AutomationKey & { list: number; status: string; version: number; now: Date; zone: string };

async function takePortion(tx: Tx, of: AutomationKey, latenessMs: number, clock: Date | undefined): Promise<number> {
  const automation = await tx.row<Omit<Entered, keyof AutomationKey>>(sql`
    select a.list_id as list, a.status, a.version, now() as now, o.time_zone as zone
    from automation a
    join account o on o.id = a.account_id
    where a.account_id = ${of.account}
      and a.id = ${of.automation}
      and a.version > 0
      and ${isRedone}
    for no key update of a skip locked`);
  if (!automation) return 0;
  const entered: Entered = { ...of, ...automation, now: clock ?? automation.now };
  const signals = await tx.rows<Signal>(sql`
    with taken as (
      delete from automation_signal s
      where account_id = ${of.account}
        and automation_id = ${of.automation}
        -- An array: with statistics that lag behind, a join would compare every signal with the portion.
        and id = any (array(
          select id
          from automation_signal
          where account_id = ${of.account}
            and automation_id = ${of.automation}
          order by id
          limit ${portion}
        ))
      returning id, contact_id as contact, kind, outcome, occasion, at, event
    )
    select * from taken order by id`);
  await lockFirst(tx, of, signals);
  const version = await versionOf(tx, of, entered.version);
  for (const group of inTurns(signals))
    if (group[0]!.kind === 'leave') await removeContacts(tx, entered, group);
    else if (group[0]!.kind === 'reach') await markReached(tx, entered, group);
    // While an automation is paused no contact enters.
    else if (entered.status === 'active')
      await enterContacts(tx, entered, version, await inTime(tx, entered, version, asked(version, group), latenessMs));
  return signals.length;
}

/**
 * Locks what other transactions lock before figures: contacts, so that an erasure waits and then finds the runs with the data of
 * their events; and the runs of those who may leave or move on, which another worker may be moving.
 */
async function lockFirst(tx: Tx, of: AutomationKey, signals: readonly Signal[]): Promise<void> {
  const contactsOf = (some: readonly Signal[]) => [...new Set(some.map(({ contact }) => contact))];
  await tx.run(sql`
    select
    from contact
    where account_id = ${of.account}
      and id = any (${contactsOf(signals)}::int[])
    order by id
    for key share`);
  await tx.run(sql`
    select
    from automation_run
    where account_id = ${of.account}
      and automation_id = ${of.automation}
      and contact_id = any (${contactsOf(signals.filter(({ kind }) => kind !== 'enter'))}::int[])
      and ended_at is null
    order by no
    for no key update`);
}

/** Without events that the version in force does not ask for: it may have been published while they were reported. */
function asked({ definition: { trigger } }: Version, signals: readonly Signal[]): readonly Signal[] {
  return signals.filter(
    ({ event }) =>
      event === null ||
      event.name === requestName ||
      (trigger?.type === 'event' && event.name === trigger.name && matchesData(trigger.data, event)),
  );
}

/**
 * Without the dates that were found in time and are late now, because nothing ran in between, and without the events that were
 * reported late. They are counted.
 */
async function inTime(
  tx: Tx,
  of: Entered,
  { definition: { trigger } }: Version,
  signals: readonly Signal[],
  latenessMs: number,
): Promise<readonly Signal[]> {
  if (trigger?.type === 'date' && trigger.late === 'enter') return signals;
  const found = signals.filter(({ at, event }) =>
    event === null
      ? trigger?.type !== 'date' || !isLate(at, of.now, latenessMs)
      : !isReportedLate(event, at, latenessMs),
  );
  if (found.length < signals.length)
    await tx.run(sql`
      update automation
      set late = late + ${signals.length - found.length}
      where account_id = ${of.account}
        and id = ${of.automation}`);
  return found;
}

/** Signals of the same kind that follow one another: what is taken at once. */
function inTurns(signals: readonly Signal[]): Signal[][] {
  const groups: Signal[][] = [];
  for (const signal of signals) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === signal.kind) last.push(signal);
    else groups.push([signal]);
  }
  return groups;
}

async function enterContacts(
  tx: Tx,
  of: Entered,
  { definition, flow }: Version,
  signals: readonly Signal[],
): Promise<void> {
  if (flow.first === null || signals.length === 0) return;
  const { step } = flow.steps.get(flow.first)!;
  const occasionOf = new Map(signals.map((signal) => [signal.contact, signal.occasion]));
  const isOver = await goalReached(tx, of, definition.goal, signals);
  // Of several the first: it lets the contact in, the others find it inside. One whose goal was reached since does not keep it inside.
  const causeOf = new Map(
    [...signals.filter(isOver).toReversed(), ...signals.filter((signal) => !isOver(signal)).toReversed()].map(
      (signal) => [signal.contact, signal],
    ),
  );
  const contacts = await tx.rows<{ contact: number; zone: string }>(sql`
    select s.contact_id as contact, ${zoneOfMember} as zone
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    join list li on li.account_id = s.account_id and li.id = s.list_id
    where s.account_id = ${of.account}
      and s.list_id = ${of.list}
      and s.contact_id = any (${[...occasionOf.keys()]}::int[])
      and s.status = 'subscribed'
      and not exists (
        select
        from automation_run r
        where r.account_id = s.account_id
          and r.contact_id = s.contact_id
          and r.automation_id = ${of.automation}
          and ${blocksReentry(definition.reentry, of.now)}
      )
    order by s.contact_id`);
  if (contacts.length === 0) return;
  const rows = contacts.map(({ contact, zone }) => {
    const { at, event } = causeOf.get(contact)!;
    const { until: _, ...entering } = event ?? {};
    return {
      contact,
      occasion: occasionOf.get(contact) ?? '',
      event: event === null ? undefined : entering,
      since: event?.at ?? at,
      due: dueOf(step, of.now, isZone(zone) ? zone : of.zone),
    };
  });
  const inside = await tx.rows<{ no: number; contact: number }>(sql`
    insert into automation_run
      (account_id, automation_id, contact_id, version, step, occasion, event, since, entered_at, step_at, due_at)
    select ${of.account}::int, ${of.automation}::int, contact, ${of.version}::int, ${step.key}, occasion, event, since,
      ${of.now}::timestamptz, ${of.now}::timestamptz, due
    from jsonb_to_recordset(${jsonb(rows)}::jsonb)
      as g(contact int, occasion text, event jsonb, since timestamptz, due timestamptz)
    on conflict (account_id, automation_id, contact_id) where ended_at is null do nothing
    returning no, contact_id as contact`);
  if (inside.length === 0) return;
  await countEntries(tx, of, step.key, inside.length);
  const ended = inside.filter(({ contact }) => isOver(causeOf.get(contact)!));
  await moveRuns(
    tx,
    of,
    ended.map(({ no }) => ({ no, from: step.key, outcome: 'goal' })),
    of.now,
  );
}

/**
 * Whether the contact has had an event of the goal after the event that lets it in: services repeat and reorder what they report, so
 * that an order may come before its cart.
 */
async function goalReached(
  tx: Tx,
  of: Entered,
  goal: Definition['goal'],
  signals: readonly Signal[],
): Promise<(signal: Signal) => boolean> {
  const earliest = new Map<number, string>();
  for (const { contact, event } of signals) {
    const known = earliest.get(contact);
    if (event && (known === undefined || event.at < known)) earliest.set(contact, event.at);
  }
  if (!goal?.event || earliest.size === 0) return () => false;
  const since = [...earliest].map(([contact, at]) => ({ contact, at }));
  const reachedAt = new Map<number, number>();
  for (const later of await eventsAfter(tx, { account: of.account, name: goal.event, since }))
    if (matchesData(goal.data, later))
      reachedAt.set(later.contact, Math.max(later.at.getTime(), reachedAt.get(later.contact) ?? 0));
  return ({ contact, event }) => event !== null && (reachedAt.get(contact) ?? 0) > Date.parse(event.at);
}

/** SQL: a run r that keeps its contact from entering: one in progress, any earlier one, or one that began too late ago. */
function blocksReentry({ again, days }: Definition['reentry'], now: Date) {
  if (!again) return sql`true`;
  return sql`(r.ended_at is null or r.entered_at > ${now}::timestamptz - make_interval(days => ${days}))`;
}

/**
 * The event that contacts wait for on their step has come: they are due, and take the arm yes. A contact on another step has not
 * waited for it. A paused automation keeps this until it goes on.
 */
async function markReached(tx: Tx, of: Entered, signals: readonly Signal[]): Promise<void> {
  const inside = await tx.rows<Inside>(sql`
    select no, contact_id as contact, step, version, coalesce(since, entered_at) as since
    from automation_run
    where account_id = ${of.account}
      and automation_id = ${of.automation}
      and contact_id = any (${signals.map((signal) => signal.contact)}::int[])
      and ended_at is null
    order by no
    for no key update`);
  const versions = new Map<number, Version>();
  for (const no of new Set(inside.map((run) => run.version))) versions.set(no, await versionOf(tx, of, no));
  const reached = inside.filter(({ contact, step: key, version, since }) => {
    const { step } = versions.get(version)!.flow.steps.get(key)!;
    return (
      step.type === 'wait_for' &&
      signals.some(
        (signal) =>
          signal.contact === contact &&
          signal.occasion === step.name &&
          (signal.event === null || isCounted(signal.event, since, step.data)),
      )
    );
  });
  if (reached.length === 0) return;
  await tx.run(sql`
    update automation_run
    set reached = true, due_at = least(due_at, ${of.now}::timestamptz)
    where account_id = ${of.account}
      and automation_id = ${of.automation}
      and no = any (${reached.map(({ no }) => no)}::bigint[])`);
}

/** A contact inside. `since`: when what let it in happened. */
type Inside = { no: number; contact: number; step: string; version: number; since: Date };

/** Whether an event is such as the automation asks for, and did not happen before the contact was let in. */
const isCounted = (event: SignalledEvent, since: Date, data: Parameters<typeof matchesData>[0]): boolean =>
  endOfEvent(event) > since && matchesData(data, event);

async function removeContacts(tx: Tx, of: Entered, signals: readonly Signal[]): Promise<void> {
  const inside = await tx.rows<Inside & { isMember: boolean }>(sql`
    select r.no, r.contact_id as contact, r.step, r.version, coalesce(r.since, r.entered_at) as since,
      exists (
        select
        from subscription s
        where s.account_id = r.account_id
          and s.list_id = ${of.list}
          and s.contact_id = r.contact_id
          and s.status = 'subscribed'
      ) as "isMember"
    from automation_run r
    where r.account_id = ${of.account}
      and r.automation_id = ${of.automation}
      and r.contact_id = any (${signals.map((signal) => signal.contact)}::int[])
      and r.ended_at is null
    order by r.no
    for no key update of r`);
  const goals = new Map<number, Definition['goal']>();
  for (const version of new Set(inside.map((run) => run.version)))
    goals.set(version, (await versionOf(tx, of, version)).definition.goal);
  const moves = inside.flatMap((run): Move[] => {
    const own = signals.filter((signal) => signal.contact === run.contact);
    const goal = goals.get(run.version);
    const reached = own.some(
      ({ outcome, occasion, event }) =>
        outcome === 'goal' && occasion === goal?.event && (event === null || isCounted(event, run.since, goal.data)),
    );
    if (reached) return [{ no: run.no, from: run.step, outcome: 'goal' }];
    // Subscribed again since: still inside.
    const left = run.isMember ? undefined : own.find(({ outcome }) => outcome !== 'goal');
    return left ? [{ no: run.no, from: run.step, outcome: left.outcome! }] : [];
  });
  await moveRuns(tx, of, moves, of.now);
}
