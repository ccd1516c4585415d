// Runs: contacts on their way through an automation. Moving them, ending them, and the accounting of the steps, which
// changes in the same transaction. A run is on exactly one step; it leaves a step once.
import { sql, type Tx } from '../../db/connect.ts';
import type { Definition } from '../model/definition.ts';
import { type Flow, flowOf } from '../model/flow.ts';

export type AutomationKey = { account: number; automation: number };

export const outcomes = ['completed', 'unsubscribed', 'deleted', 'goal', 'removed'] as const;
export type Outcome = (typeof outcomes)[number];

/** What happens to a run: it goes on to a step, or it ends on the one that it is on. */
export type Move = { no: number; from: string; arm?: Arm } & ({ to: string; dueAt: Date } | { outcome: Outcome });
/** Which way a contact takes after a step that has two. */
export type Arm = 'yes' | 'no';
/** A run that stays on its step and is looked at again then. */
export type Stay = { no: number; until: Date };

/** SQL: the zone of a member's own clock, '' for that of the account. Refers to the aliases c (contact) and li (list). */
export const zoneOfMember = sql`coalesce(nullif(c.time_zone, ''), nullif(li.time_zone, ''), '')`;

/** Moves runs that the caller has locked. */
export async function moveRuns(tx: Tx, of: AutomationKey, moves: readonly Move[], now: Date): Promise<void> {
  if (moves.length === 0) return;
  const rows = moves.map((move) => ({
    no: move.no,
    from: move.from,
    to: 'to' in move ? move.to : null,
    due: 'to' in move ? move.dueAt : now,
    outcome: 'to' in move ? null : move.outcome,
  }));
  const moved = await tx.run(sql`
    update automation_run r
    set step = coalesce(m.to, r.step), due_at = m.due, outcome = m.outcome, reached = false,
      step_at = case when m.to is null then r.step_at else ${now}::timestamptz end,
      ended_at = case when m.to is null then ${now}::timestamptz end,
      trail = case
        when m.to is null then r.trail
        else r.trail || jsonb_build_object('step', r.step, 'at', r.step_at)
      end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as m(no bigint, "from" text, "to" text, due timestamptz, outcome text)
    where r.account_id = ${of.account}
      and r.automation_id = ${of.automation}
      and r.no = m.no
      and r.step = m.from
      and r.ended_at is null`);
  if (moved !== moves.length)
    throw new Error(`${moves.length - moved} of ${moves.length} runs were not where they had been`);
  await countMoves(tx, of, moves);
}

/** Keeps runs that the caller has locked on their step. */
export async function keepRuns(tx: Tx, of: AutomationKey, stays: readonly Stay[]): Promise<void> {
  if (stays.length === 0) return;
  await tx.run(sql`
    update automation_run r
    set due_at = s.until
    from jsonb_to_recordset(${JSON.stringify(stays)}::jsonb) as s(no bigint, until timestamptz)
    where r.account_id = ${of.account}
      and r.automation_id = ${of.automation}
      and r.no = s.no
      and r.ended_at is null`);
}

/** In place of the key of a step: the figures of the whole automation. */
const whole = '';

/** What changes in the figures of a step. */
type Change = Record<'entered' | 'waiting' | 'passed' | 'took_yes' | 'took_no' | Exclude<Outcome, 'completed'>, number>;

async function countMoves(tx: Tx, of: AutomationKey, moves: readonly Move[]): Promise<void> {
  const changes = new Map<string, Change>();
  for (const move of moves) {
    const left = changeOf(changes, move.from);
    left.waiting -= 1;
    if (move.arm) left[`took_${move.arm}`] += 1;
    if (!('to' in move)) {
      const fact = move.outcome === 'completed' ? 'passed' : move.outcome;
      left[fact] += 1;
      const all = changeOf(changes, whole);
      all.waiting -= 1;
      all[fact] += 1;
    } else {
      left.passed += 1;
      const reached = changeOf(changes, move.to);
      reached.entered += 1;
      reached.waiting += 1;
    }
  }
  await writeChanges(tx, of, changes);
}

/** Counts runs that begin on a step. */
export async function countEntries(tx: Tx, of: AutomationKey, step: string, count: number): Promise<void> {
  const changes = new Map<string, Change>();
  for (const key of [step, whole]) {
    const change = changeOf(changes, key);
    change.entered = count;
    change.waiting = count;
  }
  await writeChanges(tx, of, changes);
}

function changeOf(changes: Map<string, Change>, step: string): Change {
  const known = changes.get(step);
  if (known) return known;
  const fresh = {
    ...{ entered: 0, waiting: 0, passed: 0, took_yes: 0, took_no: 0 },
    ...{ unsubscribed: 0, deleted: 0, goal: 0, removed: 0 },
  };
  changes.set(step, fresh);
  return fresh;
}

/** In the order of the steps' keys, so that two transactions never deadlock. */
async function writeChanges(tx: Tx, of: AutomationKey, changes: ReadonlyMap<string, Change>): Promise<void> {
  const rows = [...changes].map(([step, change]) => ({ step, ...change }));
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into automation_tally as t
      (account_id, automation_id, step, entered, waiting, passed, took_yes, took_no, unsubscribed, deleted, goal, removed)
    select ${of.account}::int, ${of.automation}::int, step, entered, waiting, passed, took_yes, took_no, unsubscribed, deleted, goal,
      removed
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c(step text, entered int, waiting int, passed int, took_yes int, took_no int, unsubscribed int, deleted int, goal int, removed int)
    order by step
    on conflict (account_id, automation_id, step) do update
    set entered = t.entered + excluded.entered, waiting = t.waiting + excluded.waiting, passed = t.passed + excluded.passed,
      took_yes = t.took_yes + excluded.took_yes, took_no = t.took_no + excluded.took_no,
      unsubscribed = t.unsubscribed + excluded.unsubscribed, deleted = t.deleted + excluded.deleted,
      goal = t.goal + excluded.goal, removed = t.removed + excluded.removed`);
}

export type Version = { definition: Definition; flow: Flow };

/** A version of an automation. It never changes once it is made. */
export async function versionOf(tx: Tx, of: AutomationKey, no: number): Promise<Version> {
  const row = await tx.row<{ definition: Definition }>(sql`
    select definition
    from automation_version
    where account_id = ${of.account}
      and automation_id = ${of.automation}
      and no = ${no}`);
  const { definition } = row!;
  return { definition, flow: flowOf(definition.steps) };
}
