// What in the settings of a PostgreSQL server would cost an installation connections, or outcomes after a crash. Only warns:
// the operator may know better, and a program that does not start sends nothing.
import type { Log } from '../base/log.ts';
import { type Queries, type Sql, sql } from './connect.ts';
import { neededConnections } from './connections.ts';

/** The limit of the server, of our role and of the database, whichever is lowest. */
export const maxConnections: Sql = sql`(
  select least(
    current_setting('max_connections')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
  )
)`;

/** @param workers those of this machine */
export async function warnOfServer(db: Queries, workers: number, log: Log): Promise<void> {
  const server = (await db.row<{ max: number; commit: string; standbys: string[] }>(sql`
    select ${maxConnections} as max, current_setting('synchronous_commit') as commit,
      -- Roles without pg_read_all_stats see standbys of other roles without their state.
      array(select application_name from pg_stat_replication where sync_state = 'async' order by 1) as standbys`))!;
  const needed = neededConnections(workers);
  if (server.max < needed)
    log.warn(
      { max_connections: server.max, needed, workers },
      'the database allows fewer connections than this machine may open; raise max_connections (or the limit of the role or the database) or lower WORKERS',
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
