// Shows the full disks of each worker to all processes, without writing anything: as locks of a session, which the database holds
// in memory and releases when the process ends.
import { type Disk, fullHere } from '../base/full-disk.ts';
import type { Log } from '../base/log.ts';
import { type Message, message } from '../base/messages.ts';
import { type Queries, sql } from '../db/connect.ts';
import { lockClasses } from '../db/locks.ts';
import { keepSession, type Session } from '../db/session.ts';

/** The second keys of their locks. */
const numbers: Record<Disk, number> = { database: 1, journal: 2, log: 3, backup: 4 };
const checkMs = 1_000;

/** Holds the locks of the disks that this process finds full, until it is stopped. */
export function reportFullDisks(url: string, name: string, log: Log) {
  let held = '';
  let session: Session | undefined;
  let changing: Promise<void> = Promise.resolve();
  const hold = async (disks: readonly Disk[]) => {
    await session?.stop();
    session = undefined;
    if (disks.length === 0) return;
    session = keepSession(url, {
      name: `${name} full disks`,
      async onOpen(client) {
        for (const disk of disks)
          await client.query('select pg_advisory_lock_shared($1, $2)', [lockClasses.fullDisk, numbers[disk]]);
      },
      onFailure: (error) => log.debug({ err: error }, 'a full disk cannot be reported; trying again'),
    });
  };
  const check = () => {
    const disks = fullHere();
    const now = disks.toSorted().join(' ');
    if (now === held) return;
    held = now;
    if (now === '') log.info('there is room on the disks again');
    else log.error({ disks }, 'a disk is full');
    changing = changing.then(() => hold(disks));
  };
  const timer = setInterval(check, checkMs);
  return {
    async stop() {
      clearInterval(timer);
      await changing;
      await session?.stop();
    },
  };
}

/** Disks that this process or a worker finds full. */
export async function fullDisks(db: Queries): Promise<Disk[]> {
  const rows = await db.rows<{ no: number }>(sql`
    select distinct objid::int8 as no
    from pg_locks
    where locktype = 'advisory'
      and classid = ${lockClasses.fullDisk}::int8::oid
      and granted
      and database = (select oid from pg_database where datname = current_database())`);
  const seen = new Set(rows.map(({ no }) => Number(no)));
  const here = fullHere();
  return (Object.keys(numbers) as Disk[]).filter((disk) => here.includes(disk) || seen.has(numbers[disk]));
}

/** While one of these is full, nothing is sent. */
export const stopsSending = (disk: Disk): boolean => disk === 'database' || disk === 'journal';

export const diskMessage = (disk: Disk): Message => message(`disk.${disk}`);
