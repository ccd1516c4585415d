// Which worker processes are alive. Each holds a session advisory lock on the id of its row, over a connection of its own;
// PostgreSQL releases it however the process dies. The other workers notice within seconds.

import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Log } from '../base/log.ts';
import { type Database, type Queries, type Sql, sql } from '../db/connect.ts';
import { lockClasses } from '../db/locks.ts';
import { keepSession } from '../db/session.ts';
import { workerChannel } from './channels.ts';
import { unlockJobs } from './queue.ts';

export type Presence = {
  workerId: number;
  host: string;
  bootId: string;
  /** Path of the journal. */
  journal: string;
  /** Records the names that lock this worker's jobs, so that others can free them. */
  recordJobNames(names: readonly string[]): Promise<void>;
  /** Restores the worker's row after a fail-over to a database without it. */
  registerAgain(): Promise<void>;
  end(): Promise<void>;
};

/** Identifies this boot of the machine, so that files from before a power cut are recognised; '' where unknown. */
export function bootId(): string {
  try {
    return process.platform === 'darwin'
      ? execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
      : readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** The namespace in which our pid is unique until the next boot; '' where unknown. Only Linux has several. */
export function pidNamespace(): string {
  if (process.platform !== 'linux') return 'all';
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Whether a process holds the lock of a worker. */
export function lockIsHeld(workerId: Sql): Sql {
  return sql`
    exists (
      select from pg_locks
      where locktype = 'advisory'
        and classid = ${lockClasses.worker}::int8::oid
        and objid = (${workerId})::int8::oid
        and database = (select oid from pg_database where datname = current_database())
    )`;
}

/** How many workers are alive, this one included, and how many of them have a lower id. */
export type LiveWorkers = { count: number; place: number };

/** The locks of the live workers. A worker that loses its connection loses its lock, and starts no messages. */
const heldLocks = sql`
  from pg_locks
  where locktype = 'advisory'
    and classid = ${lockClasses.worker}::int8::oid
    and database = (select oid from pg_database where datname = current_database())`;

/** How many workers are alive. A dead one is no longer counted after some seconds. */
export async function liveWorkers(db: Queries): Promise<number> {
  const row = await db.row<{ count: number }>(sql`select count(*) as count ${heldLocks}`);
  return row!.count;
}

/** A worker counts itself, also while it is without its connection. */
export async function placeAmongWorkers(db: Queries, workerId: number): Promise<LiveWorkers> {
  const row = await db.row<LiveWorkers>(sql`
    select count(*) filter (where objid::int8 <> ${workerId}) + 1 as count,
      count(*) filter (where objid::int8 < ${workerId}) as place
    ${heldLocks}`);
  return row!;
}

/** Registers this process as a worker and holds its lock, also across restarts of the database. */
export async function registerWorker(db: Database, log: Log, journal: (workerId: number) => string): Promise<Presence> {
  const host = hostname();
  const boot = bootId();
  const row = await db.row<{ id: number }>(sql`
    insert into worker (host, boot_id, pid_namespace, pid, journal)
    values (${host}, ${boot}, ${pidNamespace()}, ${process.pid}, '')
    returning id`);
  const workerId = row!.id;
  const path = journal(workerId);
  await db.run(sql`update worker set journal = ${path} where id = ${workerId}`);
  const session = keepSession(db.url, {
    name: `postrider worker ${workerId}`,
    async onOpen(client) {
      // The database must notice within half a minute that this host is gone, not in two hours.
      await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3');
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
        lockClasses.worker,
        workerId,
      ]);
      if (!rows[0]!.locked) throw new Error('the database has not noticed yet that the last connection is lost');
      // Another worker may have taken this one for dead and removed its journal.
      await client.query('update worker set ended_at = null, seen_at = now(), journal = $2 where id = $1', [
        workerId,
        path,
      ]);
      await client.query('select pg_notify($1, $2)', [workerChannel, '']);
    },
    onFailure: (error) => log.debug({ err: error }, 'worker lock is waiting for the database'),
  });
  await session.attempted;
  let jobNames: readonly string[] = [];
  return {
    workerId,
    host,
    bootId: boot,
    journal: path,
    async recordJobNames(names) {
      jobNames = names;
      await db.run(sql`update worker set job_names = ${[...names]}::text[], seen_at = now() where id = ${workerId}`);
    },
    async registerAgain() {
      // On an earlier timeline: its journal has yet to be redone.
      const added = await db.run(sql`
        insert into worker (id, host, boot_id, pid_namespace, pid, journal, job_names, timeline)
        overriding system value
        values (${workerId}, ${host}, ${boot}, ${pidNamespace()}, ${process.pid}, ${path}, ${[...jobNames]}::text[], 0)
        on conflict do nothing`);
      if (added > 0) log.warn({ workerId }, 'the database had forgotten this worker; it is registered again');
    },
    async end() {
      // In one transaction with its jobs: while ended_at is null, another worker frees them; afterwards no one would.
      await db
        .run(sql`
          with ended as (
            update worker
            -- After a fail-over its journal is needed until it has been redone.
            set ended_at = case when timeline = database_timeline() then now() end
            where id = ${workerId}
            returning job_names
          )
          select graphile_worker.force_unlock_workers(job_names)
          from ended`)
        .catch(() => {});
      await session.stop();
    },
  };
}

/**
 * Marks workers whose lock is free as dead and frees their jobs. A worker that has only lost its connection takes its
 * row back with the lock. Its leases of messages are handled in delivery/, since a lost lock does not prove that a
 * process is dead.
 * @returns the ids of workers found dead just now
 */
export async function markDeadWorkers(db: Database, log: Log): Promise<number[]> {
  const dead = await db.rows<{ id: number; job_names: string[] }>(sql`
    update worker
    set ended_at = now()
    where ended_at is null
      and seen_at < now() - interval '2 seconds'
      -- After a fail-over the workers that were alive before are waited for (delivery/recovery/failover.ts).
      and not exists (select from heartbeat where timeline <> database_timeline())
      and not ${lockIsHeld(sql`worker.id`)}
    returning id, job_names`);
  for (const { id, job_names } of dead) {
    log.warn({ workerId: id }, 'worker died; its jobs are free again');
    await unlockJobs(db, job_names);
  }
  return dead.map((row) => row.id);
}

/**
 * Frees jobs locked by a name that no worker alive has recorded: their worker died between taking them and recording its names.
 * Looks at every job, so once a minute is enough. @returns how many names were freed
 */
export async function freeOrphanedJobs(db: Database, log: Log): Promise<number> {
  const orphans = await db.rows<{ name: string }>(sql`
    select distinct j.locked_by as name
    from graphile_worker._private_jobs j
    where j.locked_at < now() - interval '1 minute'
      and not exists (select from worker w where w.ended_at is null and j.locked_by = any (w.job_names))
      -- One that is starting may hold any of them.
      and not exists (select from worker w where w.ended_at is null and w.job_names = '{}')`);
  const names = orphans.map(({ name }) => name);
  if (names.length > 0) log.warn({ names }, 'released the jobs of dead workers');
  await unlockJobs(db, names);
  return names.length;
}
