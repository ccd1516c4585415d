// What in the settings of a PostgreSQL server would cost an installation connections, or outcomes after a crash. Only warns:
// the operator may know better, and a program that does not start sends nothing.
import type { Log } from '../base/log.ts';
import { type Queries, sql } from './connect.ts';
import { neededConnections } from './connections.ts';

/** @param workers those of this machine */
export async function warnOfServer(db: Queries, workers: number, log: Log): Promise<void> {
  const server = (await db.row<{ max: number; commit: string; standbys: string[] }>(sql`
    select current_setting('max_connections')::int as max, current_setting('synchronous_commit') as commit,
      -- Roles without pg_read_all_stats see standbys of other roles without their state.
      array(select application_name from pg_stat_replication where sync_state = 'async' order by 1) as standbys`))!;
  const needed = neededConnections(workers);
  if (server.max < needed)
    log.warn(
      { max_connections: server.max, needed, workers },
      'the database allows fewer connections than this machine may open; raise max_connections or lower WORKERS',
    );
  if (server.commit === 'off')
    log.warn(
      'synchronous_commit is off: a crash of the database loses outcomes, and recipients may get a second message that is not marked',
    );
  if (server.standbys.length > 0)
    log.warn(
      { standbys: server.standbys },
      'these standbys are asynchronous: a fail-over to one loses the last seconds, and contacts that unsubscribed then are subscribed again',
    );
}
