// What limits the mail of a worker: the rates of the settings, shared out among the workers that live, and what each
// account has set for itself. Read anew every few seconds, so that a change is felt without a restart.
import { parseRamp } from '../../accounts/warm-up-ramp.ts';
import type { App } from '../../base/context.ts';
import { type Database, sql } from '../../db/connect.ts';
import { Pace } from './pace.ts';
import type { Quota } from './quota.ts';

export type Limits = {
  pace: Pace;
  /** Worker processes that live, this one among them. */
  workers(): number;
  /** Reads what an account has set, and its quota where it is being warmed up. */
  quotaOf(account: number): Promise<Quota | undefined>;
  /** Accounts that may start nothing now, and the shortest wait among them. */
  closed(now: number): { accounts: number[]; ms: number };
  stop(): void;
};

const freshMs = 3_000;
/**
 * Messages under way at once to a domain before it has taken any; with each one taken it is one more. A domain that
 * never answers holds so many connections of a worker until their time is up, and the others have the rest.
 */
const firstWindow = 1;

type Known = { until: number; rate: number | undefined; quota: Quota | undefined };

export function createLimits(app: App): Limits {
  const { config, db } = app;
  const known = new Map<number, Known>();
  let workers = 1;
  const count = () =>
    countWorkers(db)
      .then((live) => {
        workers = Math.max(1, live);
      })
      .catch(() => {});
  void count();
  const timer = setInterval(count, freshMs);
  const least = (a: number | undefined, b: number | undefined) =>
    a === undefined ? b : b === undefined ? a : Math.min(a, b);

  const pace = new Pace({
    firstWindow,
    // Only to keep processes from coming back in the same moment.
    random: () => (performance.now() * 7_919) % 1,
    perSecond(kind, name) {
      const all =
        kind === 'domain'
          ? (config.domainRates.get(name) ?? config.domainRates.get('*'))
          : kind === 'account'
            ? least(config.accountRate, known.get(Number(name))?.rate)
            : undefined;
      return all === undefined ? undefined : all / workers;
    },
  });

  return {
    pace,
    workers: () => workers,
    async quotaOf(account) {
      const now = performance.now();
      let one = known.get(account);
      if (!one || one.until < now) {
        one = { ...(await readAccount(db, account)), until: now + freshMs };
        if (known.size > 10_000) known.clear();
        known.set(account, one);
      }
      return one.quota;
    },
    closed(now) {
      const accounts: number[] = [];
      let ms = 1_000;
      for (const [account, one] of known) {
        if (one.rate === undefined && config.accountRate === undefined) continue;
        const allowance = pace.allowance('account', String(account), now);
        if (allowance.left > 0) continue;
        accounts.push(account);
        ms = Math.min(ms, allowance.ms);
      }
      return { accounts, ms };
    },
    stop: () => clearInterval(timer),
  };
}

async function readAccount(db: Database, account: number): Promise<Pick<Known, 'rate' | 'quota'>> {
  const row = await db.row<{ rate: string | null; warmUp: string | null }>(sql`
    select settings ->> 'rate' as rate, settings ->> 'warm_up' as "warmUp"
    from account
    where id = ${account}`);
  const ramp = parseRamp(row?.warmUp ?? '');
  const rate = Number(row?.rate);
  return { rate: rate > 0 ? rate : undefined, quota: 'wrong' in ramp ? undefined : { account, relay: '', ramp } };
}

async function countWorkers(db: Database): Promise<number> {
  const row = await db.row<{ count: number }>(sql`select count(*) as count from worker where ended_at is null`);
  return row?.count ?? 1;
}
