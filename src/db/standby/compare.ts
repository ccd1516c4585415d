// Whether a server is a standby of the primary that may answer reads, and how far it is behind.
import { type Queries, sql } from '../connect.ts';

/** What a server says about itself. Null where it does not show it. */
export type ServerFacts = {
  isStandby: boolean;
  /** The position in the log, in bytes: replayed by a standby, flushed by a primary. */
  position: number | null;
  isPaused: boolean;
  /** The identifier of the database system, which all physical copies share. */
  system: string | null;
  /** The number of the database there. */
  database: string;
  /** Of the server, of a primary only; 0 where it does not show it. */
  timeline: number;
  /** On which sending continued after the last fail-over, as stored; null before the first worker. */
  storedTimeline: number | null;
};

/** Seconds that a standby may be behind the primary and still answer. */
export const maxLagSeconds = 5;

export async function readFacts(db: Queries): Promise<ServerFacts> {
  const row = await db.row<ServerFacts>(sql`
    select pg_is_in_recovery() as "isStandby",
      pg_wal_lsn_diff(
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end,
        '0/0'
      )::bigint as position,
      case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as "isPaused",
      case when has_function_privilege('pg_control_system()', 'execute')
        then (select system_identifier::text from pg_control_system()) end as system,
      (select oid::text from pg_database where datname = current_database()) as database,
      case when pg_is_in_recovery() then 0 else database_timeline() end as timeline,
      (select timeline from heartbeat) as "storedTimeline"`);
  return row!;
}

/** Why a server may not answer reads, however far it has replayed, as the end of "it …"; '' when it may. */
export function whyNoStandby(standby: ServerFacts, primary: ServerFacts): string {
  if (standby.system !== primary.system || standby.database !== primary.database)
    return 'is no copy of the database in DATABASE_URL';
  if (!standby.isStandby) return 'is no standby: it was promoted, or it is the primary';
  // A standby that replayed more than the new primary had at a fail-over holds changes that are lost: it cannot follow.
  if (primary.timeline !== 0 && standby.storedTimeline !== null && standby.storedTimeline !== primary.timeline)
    return 'has not followed the last fail-over';
  return standby.position === null ? 'does not show what it has replayed' : '';
}

/** Positions of the primary over time, which show how long ago it was where the standby is. */
export class LagMeter {
  readonly #samples: { at: number; position: number }[] = [];

  /** @returns the seconds; Infinity while it is not known */
  measure(replayed: number, primary: number, nowMs: number): number {
    this.#samples.push({ at: nowMs, position: primary });
    while (this.#samples.length > 0 && nowMs - this.#samples[0]!.at > 60_000) this.#samples.shift();
    if (replayed >= primary) return 0;
    const reached = this.#samples.findLast(({ position }) => position <= replayed);
    return reached ? (nowMs - reached.at) / 1_000 : Number.POSITIVE_INFINITY;
  }
}
