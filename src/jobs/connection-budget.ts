// Whether the database allows enough connections for all processes; one process cannot know, because others may run on other
// hosts.
// Only warns: an installation that is not busy does not open all of them.
import type { Log } from '../base/log.ts';
import { type Queries, sql } from '../db/connect.ts';
import { neededConnections, poolSizes } from '../db/connections.ts';
import { maxConnections } from '../db/server-check.ts';
import { liveWorkers } from './worker-presence.ts';

/** Warns if the workers and web processes that are connected now, on all hosts, may need more connections than are allowed. */
export async function warnIfTooFewConnections(db: Queries, log: Log): Promise<void> {
  const workers = await liveWorkers(db);
  const server = (await db.row<{ max: number; web: number }>(sql`
    select ${maxConnections} as max, (
      select count(*)
      from pg_stat_activity
      where application_name = 'postrider web'
        and datname = current_database()
    ) as web`))!;
  // A web process holds one to poolSizes.web connections, so at least this many are running.
  const webProcesses = Math.max(1, Math.ceil(server.web / poolSizes.web));
  const needed = neededConnections(workers, webProcesses);
  if (server.max < needed)
    log.warn(
      { max_connections: server.max, needed, workers, web: webProcesses },
      'the database allows fewer connections than all processes may open; raise max_connections (or the limit of the role or the database) or run fewer workers',
    );
}
