// The tasks of the timetable at random moments, as they may come up during anything: the tasks are those of src/jobs/tasks.ts, so
// that a new one is run without being named. Each look checks that no state of a campaign is below zero.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../../src/base/context.ts';
import { type Database, sql } from '../../../src/db/connect.ts';
import { enqueue } from '../../../src/jobs/queue.ts';
import { type Handlers, type TaskDefinition, type TaskName, tasks } from '../../../src/jobs/tasks.ts';
import { handlers } from '../../../src/task-handlers.ts';
import { diceOf } from '../judges/dice.ts';

/** Those with a cron pattern; all have the same payload. */
export const timetable = (Object.entries(tasks) as [TaskName, TaskDefinition][])
  .filter(([, { cron }]) => cron !== undefined)
  .map(([name]) => name as 'requeueForgotten');

/** Campaigns with a state of which fewer than none are counted. */
export async function belowZero(db: Database): Promise<number[]> {
  const rows = await db.rows<{ id: number }>(sql`
    select campaign_id as id
    from tally
    group by account_id, campaign_id
    having least(sum(queued), sum(trying), sum(accepted), sum(later), sum(failed), sum(skipped), sum(unclear)) < 0`);
  return rows.map(({ id }) => id);
}

export type Disturbance = {
  /** How often each task was begun. */
  counts: Map<TaskName, number>;
  /** Ends with the task that is running. @throws AssertionError if a look found a state below zero */
  stop(): Promise<void>;
};

/**
 * Runs a task at random moments until it is stopped, each of the timetable before one comes again.
 * @param how in this process, or as a job of whatever worker takes it
 */
export function disturb(app: App, how: 'here' | 'as a job', seed = 1, maxPauseMs = 400): Disturbance {
  const dice = diceOf(seed);
  const counts = new Map<TaskName, number>();
  const ending = new AbortController();
  const found = new Set<number>();
  const begin = async (name: 'requeueForgotten') => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (how === 'as a job') return enqueue(app.db, name, {});
    const run = handlers[name] as Handlers['requeueForgotten'];
    return run({ app, log: app.log, signal: ending.signal }, {}, 1);
  };
  const running = (async () => {
    for (let left = [...timetable]; !ending.signal.aborted; ) {
      if (left.length === 0) left = [...timetable];
      const [name] = left.splice(dice.below(left.length), 1);
      // The faults of a test, such as a database that is away, fail a task as well: its next run is to do the work.
      await begin(name!).catch(() => {});
      for (const id of await belowZero(app.db).catch(() => [])) found.add(id);
      await sleep(dice.below(maxPauseMs), undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    counts,
    async stop() {
      ending.abort();
      await running;
      assert.deepEqual([...found], [], 'no state of a campaign was ever below zero');
    },
  };
}
