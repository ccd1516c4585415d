// The share of the database connections that the calls of one account may use at the same time: half of the pool. Further calls wait
// for their turn, so slow calls of one account leave connections for other accounts and for the public pages.
import type { Database } from '../../db/connect.ts';

type Use = { running: number; waiting: (() => void)[] };
const usesByPool = new WeakMap<Database['pool'], Map<number, Use>>();

/** Runs `work`, which uses one connection, as soon as the account has a connection left. */
export async function withinShare<T>(db: Database, accountId: number, work: () => Promise<T>): Promise<T> {
  const uses = usesByPool.get(db.pool) ?? new Map<number, Use>();
  usesByPool.set(db.pool, uses);
  const use = uses.get(accountId) ?? { running: 0, waiting: [] };
  uses.set(accountId, use);
  if (use.running >= Math.ceil(db.pool.options.max / 2)) await new Promise<void>((next) => use.waiting.push(next));
  else use.running += 1;
  try {
    return await work();
  } finally {
    const next = use.waiting.shift();
    // The next call takes over the place.
    if (next) next();
    else if (use.running === 1) uses.delete(accountId);
    else use.running -= 1;
  }
}
