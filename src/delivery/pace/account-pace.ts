// The limits of a worker: the rates of the settings, divided by the live workers, and the settings of each account.
// Re-read every few seconds, so that a change takes effect without a restart.

import type { App } from '../../base/context.ts';
import { parseRamp } from '../../base/relay/warm-up-ramp.ts';
import { type Database, sql } from '../../db/connect.ts';
import { type LiveWorkers, placeAmongWorkers } from '../../jobs/worker-presence.ts';
import { Pace, type PaceRules } from './pace.ts';
import type { Quota } from './quota.ts';

export type Limits = {
  pace: Pace;
  /**
   * That of single messages: the trouble others have with a domain does not delay them, and they go first in its rate, then
   * those of lists, then campaigns.
   */
  messagePace: Pace;
  /** That of the messages of lists: a link to set a password does not wait until a domain takes the confirmations of an import. */
  listPace: Pace;
  /** The live worker processes, including this one. */
  workers(): LiveWorkers;
  /** Calls `onChange` from now on whenever a worker has started or ended. */
  watchWorkers(onChange: () => void): void;
  /** Reads now which workers are alive, instead of at the next look. */
  recount(): Promise<void>;
  /** Reads the settings of an account. @returns its quota if it is being warmed up */
  quotaOf(account: number): Promise<Quota | undefined>;
  /** Accounts that may not start anything now, and the shortest wait among them. */
  closed(now: number): { accounts: number[]; ms: number };
  stop(): void;
};

const freshMs = 3_000;
/** Beyond this the cache is emptied. */
const maxAccounts = 10_000;
/**
 * Messages in flight to a domain that has accepted none yet; one more with each accepted. A domain that never
 * answers holds this many connections of a worker until they time out; the others get the rest.
 */
const firstWindow = 1;
/** The same for single messages, of which few go to one domain at a time. */
const firstMessageWindow = 10;

type AccountLimits = { freshUntil: number; rate: number | undefined; quota: Quota | undefined };

export async function createLimits(app: App, workerId: number): Promise<Limits> {
  const { config, db } = app;
  const accounts = new Map<number, AccountLimits>();
  let workers = await placeAmongWorkers(db, workerId);
  let onWorkers = () => {};
  // While the database does not answer, the shares stay as they are.
  const recount = async () => {
    const before = workers;
    workers = await placeAmongWorkers(db, workerId).catch(() => before);
    if (workers.count !== before.count || workers.place !== before.place) onWorkers();
  };
  const timer = setInterval(() => void recount(), freshMs);
  const lower = (a: number | undefined, b: number | undefined) =>
    a === undefined ? b : b === undefined ? a : Math.min(a, b);

  const rules: PaceRules = {
    firstWindow,
    // Enough to keep processes from resuming at the same moment.
    random: () => (performance.now() * 7_919) % 1,
    perSecond(kind, name) {
      const total =
        kind === 'domain'
          ? (config.domainRates.get(name) ?? config.domainRates.get('*'))
          : kind === 'account'
            ? lower(config.accountRate, accounts.get(Number(name))?.rate)
            : undefined;
      return total === undefined ? undefined : total / workers.count;
    },
  };
  const pace = new Pace(rules);
  const listPace = new Pace({ ...rules, firstWindow: firstMessageWindow, ahead: pace });

  return {
    pace,
    messagePace: new Pace({ ...rules, firstWindow: firstMessageWindow, ahead: listPace }),
    listPace,
    workers: () => workers,
    watchWorkers(onChange) {
      onWorkers = onChange;
    },
    recount,
    async quotaOf(account) {
      const now = performance.now();
      let limits = accounts.get(account);
      if (!limits || limits.freshUntil < now) {
        limits = { ...(await readAccount(db, account)), freshUntil: now + freshMs };
        if (accounts.size > maxAccounts) accounts.clear();
        accounts.set(account, limits);
      }
      return limits.quota;
    },
    closed(now) {
      const closed: number[] = [];
      let ms = 1_000;
      for (const [account, { rate }] of accounts) {
        if (rate === undefined && config.accountRate === undefined) continue;
        const allowance = pace.allowance('account', String(account), now);
        if (allowance.left > 0) continue;
        closed.push(account);
        ms = Math.min(ms, allowance.ms);
      }
      return { accounts: closed, ms };
    },
    stop: () => clearInterval(timer),
  };
}

async function readAccount(db: Database, account: number): Promise<Pick<AccountLimits, 'rate' | 'quota'>> {
  const row = await db.row<{ rate: string | null; maxRate: number | null; warmUp: string | null }>(sql`
    select settings ->> 'rate' as rate, max_rate as "maxRate", settings ->> 'warm_up' as "warmUp"
    from account
    where id = ${account}`);
  const ramp = parseRamp(row?.warmUp ?? '');
  // The account's own setting, and what its operator allows it.
  const rates = [Number(row?.rate), row?.maxRate ?? 0].filter((rate) => rate > 0);
  return {
    rate: rates.length > 0 ? Math.min(...rates) : undefined,
    quota: 'wrong' in ramp ? undefined : { account, relay: '', ramp },
  };
}
