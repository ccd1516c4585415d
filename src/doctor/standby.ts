// Checks of the standby in READ_DATABASE_URL: that it is one of this database, that it can be asked, and that it follows.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { connect, type Database } from '../db/connect.ts';
import { maxLagSeconds, readFacts, whyNoStandby } from '../db/standby/compare.ts';
import { reasonOf } from '../db/standby/standby.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const check = 'standby';
const unused = 'Reads go to the primary until then.';

/** @param timeScale shortens waiting, for tests */
export async function checkStandby(db: Database, config: Config, timeScale = 1): Promise<Finding[]> {
  if (config.readDatabaseUrl === '') return [];
  const standby = connect(config.readDatabaseUrl, { name: 'postrider doctor', maxConnections: 1, isSpare: true });
  try {
    const primary = await readFacts(db);
    const first = await readFacts(standby);
    const why = whyNoStandby(first, primary);
    if (why !== '')
      return [
        problem(
          check,
          `The server in READ_DATABASE_URL ${why}.`,
          `Set it to a physical standby that follows the primary in DATABASE_URL, or leave it out. ${unused}`,
        ),
      ];
    return [await checkLag(standby, primary.position ?? 0, timeScale)];
  } catch (error) {
    return [
      problem(
        check,
        `The server in READ_DATABASE_URL cannot be asked: ${reasonOf(error)}.`,
        `Check READ_DATABASE_URL, and that the server is running with hot_standby on. ${unused}`,
      ),
    ];
  } finally {
    await standby.close().catch(() => {});
  }
}

async function checkLag(standby: Database, position: number, timeScale: number): Promise<Finding> {
  const until = performance.now() + maxLagSeconds * 1_000 * timeScale;
  for (;;) {
    const { position: replayed, isPaused } = await readFacts(standby);
    if (replayed! >= position) return ok(check, 'follows the primary');
    if (isPaused)
      return warning(
        check,
        'The standby in READ_DATABASE_URL does not follow: its replay is paused.',
        `Run "select pg_wal_replay_resume()" on it. ${unused}`,
      );
    if (performance.now() > until)
      return warning(
        check,
        `The standby in READ_DATABASE_URL is more than ${maxLagSeconds} seconds behind.`,
        `See pg_stat_replication on the primary, and recovery_min_apply_delay and the disk of the standby. ${unused}`,
      );
    await sleep(200);
  }
}
