// The engine of automations in one worker process: takes signals, looks up triggers and carries out steps, until it is stopped. It
// keeps no state: any number of processes may run it, and any of them may die at any time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../base/context.ts';
import { isUnavailable } from '../../db/connect.ts';
import { advance } from './advance.ts';
import { takeSignals } from './enter.ts';
import { scanTriggers } from './scan.ts';

/** Pause when there is nothing to do. */
const pauseMs = 1_000;

export type AutomationEngine = { stop(): Promise<void> };

export function startAutomations(app: App): AutomationEngine {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let done = 0;
      try {
        done = await runAutomations(app);
      } catch (error) {
        if (!isUnavailable(error)) app.log.error({ err: error }, 'automations could not continue; retrying');
      }
      if (done === 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/**
 * One round: a portion of all that is due.
 * @param clock instead of the database's clock, for simulations
 * @returns how many contacts entered, left or moved
 */
export async function runAutomations(app: App, clock?: Date): Promise<number> {
  await scanTriggers(app, clock);
  return (await takeSignals(app, clock)) + (await advance(app, clock));
}
