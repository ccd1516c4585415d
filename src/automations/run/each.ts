// Works on one automation after the other, so that one which fails does not keep the others waiting.
import type { Log } from '../../base/log.ts';
import { isTransient, isUnavailable } from '../../db/connect.ts';
import type { AutomationKey } from './runs.ts';

/** Two that wait for each other, of which PostgreSQL ends one: nothing of it is done, and the next round does it. */
export const lostRace = 'an automation lost a race against another transaction; retrying';

/** @returns the sum of what `work` returns. @throws when the database is unavailable */
export async function eachAutomation(
  log: Log,
  automations: readonly AutomationKey[],
  work: (of: AutomationKey) => Promise<number>,
): Promise<number> {
  let done = 0;
  for (const of of automations) {
    try {
      done += await work(of);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (isTransient(error)) log.info({ code: (error as { code?: string }).code, ...of }, lostRace);
      else log.error({ err: error, ...of }, 'an automation could not continue; retrying');
    }
  }
  return done;
}
