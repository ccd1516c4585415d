// Checks of the database: version, parameters, connections, schema, clock, the state of sending, backups and failed jobs.
import type { LastBackup } from '../backup/backup.ts';
import { restoreSchema } from '../backup/restore.ts';
import type { Config } from '../config.ts';
import { connect, type Database, databaseProblem, needWritable, sql } from '../db/connect.ts';
import { target } from '../db/connection/target.ts';
import { neededConnections } from '../db/connections.ts';
import { readApplied } from '../db/migrate/applied.ts';
import { needOwnContents, SchemaMismatch } from '../db/migrate/migrate.ts';
import { readMigrations } from '../db/migration-files.ts';
import { maxConnections } from '../db/server-check.ts';
import { predictHold } from '../jobs/sending-guard.ts';
import { lockIsHeld } from '../jobs/worker-presence.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const check = 'database';
const oldBackupHours = 36;
const minVersion = 150_000;

/** Why the database cannot be used; empty when it can. */
export async function checkReachable(url: string): Promise<Finding[]> {
  let db: Database | undefined;
  try {
    db = connect(url, { name: 'postrider doctor', maxConnections: 1 });
    await needWritable(db);
    return [];
  } catch (error) {
    const why = databaseProblem(error) ?? (error as Error).message;
    return [
      problem(
        check,
        why,
        'Check DATABASE_URL, and that PostgreSQL is running, accepts connections from this machine and is no standby.',
      ),
    ];
  } finally {
    await db?.close().catch(() => {});
  }
}

export async function checkServer(db: Database, workers: number): Promise<Finding[]> {
  const server = (await db.row<{
    number: number;
    version: string;
    max: number;
    used: number;
    off: string[];
    standbys: string[];
  }>(sql`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
      ${maxConnections} as max, (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used,
      array(
        select name
        from pg_settings
        where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum')
          and setting = 'off'
        order by name
      ) as off,
      array(select application_name from pg_stat_replication where sync_state = 'async' order by 1) as standbys`))!;
  const findings: Finding[] = [];
  if (server.number < minVersion)
    findings.push(problem(check, `PostgreSQL ${server.version} is too old.`, 'Upgrade it to version 15 or later.'));
  if (server.off.length > 0)
    findings.push(
      problem(
        check,
        `These parameters are off: ${server.off.join(', ')}. ${server.off[0] === 'autovacuum' ? 'Tables grow without limit.' : 'A crash of the server loses outcomes or data.'}`,
        'Set them to on and reload the server.',
      ),
    );
  if (server.standbys.length > 0)
    findings.push(
      warning(
        check,
        `Asynchronous standbys: ${server.standbys.join(', ')}. A fail-over loses the last seconds.`,
        'Add them to synchronous_standby_names.',
      ),
    );
  const needed = neededConnections(workers);
  const connections = `${server.used} connections in use of ${server.max}; ${needed} are needed for one web process and ${workers} workers`;
  findings.push(
    server.max < needed
      ? warning(
          'connections',
          `${connections}.`,
          `Set max_connections (or the limit of the role or database) to ${needed}, or lower WORKERS.`,
        )
      : ok('connections', connections),
  );
  return findings.some(({ check: name }) => name === check)
    ? findings
    : [ok(check, `PostgreSQL ${server.version}`), ...findings];
}

/** Whether others on the way can read or change what is said to the database, and whether it keeps text as it is. */
export async function checkConnection(db: Database): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { ssl } = target(db.url);
  if (ssl === false && leadsElsewhere(db.url))
    findings.push(
      warning(
        check,
        'The connection is not encrypted, and its host is not on this network.',
        'Add sslmode=verify-full to DATABASE_URL, with sslrootcert=FILE for the certificate of your provider.',
      ),
    );
  if (typeof ssl === 'object' && ssl.rejectUnauthorized === false)
    findings.push(
      warning(
        check,
        "The connection is encrypted, but the server's certificate is not checked: another server could take its place.",
        'Use sslmode=verify-full in DATABASE_URL, with sslrootcert=FILE for the certificate of your provider.',
      ),
    );
  const { encoding } = (await db.row<{ encoding: string }>(
    sql`select current_setting('server_encoding') as encoding`,
  ))!;
  if (encoding !== 'UTF8')
    findings.push(
      warning(
        check,
        `The database has the encoding ${encoding}; text in other scripts may be refused or stored wrongly.`,
        "Make a backup, restore it into a database created with encoding 'UTF8' template template0, and use that one.",
      ),
    );
  return findings;
}

/** A host with a dot in its name or with a public address; a name without a dot is of this machine or its containers. */
function leadsElsewhere(url: string): boolean {
  if (url.startsWith('/') || !URL.canParse(url)) return false;
  const host = new URL(url).hostname;
  const isPrivate = /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)|\.(internal|local|lan|localhost)$/;
  return host.includes('.') && !isPrivate.test(host);
}

export async function checkSchema(db: Database): Promise<Finding[]> {
  const rows = await readApplied(db);
  const applied = rows.map(({ name }) => name);
  const migrations = readMigrations();
  const known = migrations.map(({ name }) => name);
  const pending = known.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  const findings: Finding[] = [];
  if (unknown.length > 0)
    findings.push(problem('schema', `made by a newer Postrider: ${unknown.join(', ')}`, 'Run that version.'));
  const mismatch = unknown.length === 0 ? await otherContents(db) : undefined;
  if (mismatch !== undefined) findings.push(problem('schema', mismatch, 'Run the version that made the database.'));
  else if (pending.length > 0)
    findings.push(
      problem(
        'schema',
        `${pending.length} migrations are missing: ${pending.join(', ')}`,
        'Run "postrider upgrade --check", then "postrider migrate".',
      ),
    );
  const left = await db.row(sql`select from pg_namespace where nspname = ${restoreSchema}`);
  if (left)
    findings.push(
      warning(
        'schema',
        'A restore was cut short; what it loaded takes space.',
        `Run the restore again, or "drop schema ${restoreSchema} cascade".`,
      ),
    );
  return findings.length > 0 ? findings : [ok('schema', `up to date (${applied.at(-1)})`)];
}

/** Why this version cannot use the database although it knows the names of all its migrations. */
async function otherContents(db: Database): Promise<string | undefined> {
  const client = await db.pool.connect();
  try {
    await needOwnContents(client);
    return undefined;
  } catch (error) {
    if (error instanceof SchemaMismatch) return error.message;
    throw error;
  } finally {
    client.release();
  }
}

/** Clocks further apart than this are worth a warning. */
const maxSkewSeconds = 5;

export async function checkClock(db: Database, nowMs: () => number = Date.now): Promise<Finding> {
  const before = nowMs();
  const row = await db.row<{ now: Date }>(sql`select clock_timestamp() as now`);
  const skew = Math.round(((before + nowMs()) / 2 - row!.now.getTime()) / 1_000);
  if (Math.abs(skew) <= maxSkewSeconds) return ok('clock', 'same as the database');
  return warning(
    'clock',
    `This machine is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the database.`,
    'Synchronize both by NTP: dates in messages, codes of the second factor and signed requests depend on them.',
  );
}

/** Whether anything keeps messages from being sent. */
export async function checkSending(db: Database, config: Config): Promise<Finding[]> {
  const held = await predictHold(db, config.dataDir);
  if (held !== '')
    return [problem('sending', `held: ${held}`, 'When the original no longer sends, run "postrider confirm-sending".')];
  const row = await db.row<{ workers: number; waiting: number }>(sql`
    select (select count(*) from worker where ended_at is null and ${lockIsHeld(sql`worker.id`)})::int as workers,
      (select count(*) from campaign where status in ('sending', 'launching'))::int as waiting`);
  const { workers, waiting } = row!;
  if (workers === 0)
    return [
      waiting > 0
        ? problem(
            'sending',
            `No worker is running, and ${waiting} campaigns wait.`,
            'Start "postrider serve" or "postrider work".',
          )
        : warning('sending', 'No worker is running.', 'Start "postrider serve" or "postrider work".'),
    ];
  return [ok('sending', `${workers} workers`)];
}

export async function checkBackups(db: Database, config: Config): Promise<Finding> {
  const row = await db.row<{ last: LastBackup; hours: number }>(sql`
    select value as last, (extract(epoch from now() - (value ->> 'at')::timestamptz) / 3600)::float8 as hours
    from installation
    where key = 'last_backup'`);
  const advice =
    config.backupDir === ''
      ? 'Set BACKUP_DIR and BACKUP_PASSPHRASE for one each night, or run "postrider backup FILE". If the server makes its own, ignore this.'
      : 'Look for "makeNightlyBackup" in the log of the workers, or run "postrider backup".';
  if (!row) return warning('backup', 'There is no backup.', advice);
  const text = `${row.last.at}, ${row.last.rows} rows, ${(row.last.bytes / 1e6).toFixed(1)} MB`;
  if (row.hours > oldBackupHours)
    return warning('backup', `The last one is ${Math.round(row.hours)} hours old: ${text}.`, advice);
  return ok('backup', text);
}

export async function checkJobs(db: Database): Promise<Finding> {
  const rows = await db.rows<{ task: string; count: number }>(sql`
    select task_identifier as task, count(*)::int as count
    from graphile_worker.jobs
    where attempts >= max_attempts
      and locked_at is null
    group by 1
    order by 1`);
  if (rows.length === 0) return ok('jobs', 'none failed');
  return warning(
    'jobs',
    `Failed permanently: ${rows.map(({ task, count }) => `${task} (${count})`).join(', ')}.`,
    'Their errors are in the log and in graphile_worker.jobs (last_error). They are deleted after 30 days.',
  );
}
