// Checks of the archive of the write-ahead log, by which a server can be restored to any point in time (pgBackRest and others).
import { type Database, sql } from '../db/connect.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const check = 'archive';
/** A log whose last segment was archived longer ago than this has a gap, if anything was written since. */
const oldArchiveMinutes = 60;

type Archiver = {
  mode: string;
  timeout: number;
  archivedAt: Date | null;
  failedAt: Date | null;
  failed: string | null;
  minutes: number | null;
  /** Whether a segment that is complete waits to be archived. */
  isBehind: boolean;
};

/** Finds nothing where no log is archived. */
export async function checkArchive(db: Database): Promise<Finding[]> {
  const row = (await db.row<Archiver>(sql`
    select current_setting('archive_mode') as mode,
      extract(epoch from current_setting('archive_timeout')::interval)::int as timeout,
      last_archived_time as "archivedAt", last_failed_time as "failedAt", last_failed_wal as failed,
      (extract(epoch from now() - last_archived_time) / 60)::float8 as minutes,
      coalesce(pg_walfile_name(pg_current_wal_lsn()) > last_archived_wal, true) as "isBehind"
    from pg_stat_archiver`))!;
  if (row.mode === 'off') return [];
  const { archivedAt, failedAt, failed, minutes, timeout } = row;
  if (failedAt !== null && (archivedAt === null || failedAt > archivedAt))
    return [
      problem(
        check,
        `The log of the database is not archived: ${failed} failed at ${dateOf(failedAt)}, and ${archivedAt ? `the last success was at ${dateOf(archivedAt)}` : 'none ever succeeded'}.`,
        'See the log of PostgreSQL and that of the archive command (pgbackrest check). Until then no restore reaches later than that, and the disk of the database fills.',
      ),
    ];
  if (archivedAt === null)
    return [
      warning(
        check,
        'The log of the database is to be archived, but nothing was yet.',
        'Run "select pg_switch_wal()", then check again; see archive_command.',
      ),
    ];
  if (timeout === 0)
    return [
      warning(
        check,
        `The last segment of the log was archived at ${dateOf(archivedAt)}. archive_timeout is 0: what is not in a full segment yet would be lost.`,
        'Set archive_timeout = 60 and reload the server.',
      ),
    ];
  if (row.isBehind && minutes! > oldArchiveMinutes)
    return [
      warning(
        check,
        `The last segment of the log was archived ${Math.round(minutes!)} minutes ago.`,
        'See pg_stat_archiver, and the log of PostgreSQL.',
      ),
    ];
  return [ok(check, `the log is archived, last at ${dateOf(archivedAt)}`)];
}

const dateOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} GMT`;
