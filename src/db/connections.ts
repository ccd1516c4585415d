// How many connections to the database each kind of process may open, and how many all of them need together.

/** The pools of the processes. */
export const poolSizes = { web: 12, work: 15, inbox: 4, bounces: 6, submission: 6, cli: 3 } as const;

/** A web process keeps so many of its pool while it is idle, so that calls are answered when others have taken the rest. */
export const keptByWeb = 2;

/** Sessions a worker keeps in addition to its pool: its lock, stop notifications, webhooks. */
const workerSessions = 3;
/** For the command line, backups, monitoring, and those that PostgreSQL reserves for superusers. */
const spare = 30;

/** max_connections for a database with these web processes and workers, one inbox, bounce listener and submission server. */
export function neededConnections(workers: number, webs = 1): number {
  const others = poolSizes.inbox + poolSizes.bounces + poolSizes.submission + spare;
  return others + webs * poolSizes.web + workers * (poolSizes.work + workerSessions);
}
