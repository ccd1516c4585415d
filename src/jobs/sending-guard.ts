// Keeps a copy of an installation from sending what the original sends: a restored backup, a cloned server, a database
// set back in time. Workers leave a heartbeat in the database and what they know of it in DATA_DIR; when the two do not
// fit, sending is held until a person says that it is right. Leaves it to the worker process not to start, or to stop.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Queries, sql, type Tx } from '../db/connect.ts';

/** What the database says: which installation it is, how many heartbeats it has had, and whether it was so here. */
export type Heart = { instance: string; beat: number; quietSeconds: number; samePlace: boolean };
/** What a data directory remembers of it. */
export type Memory = { instance: string; beat: number };

/** A heartbeat at most this often, over all workers of an installation. */
export const beatSeconds = 20;
/** After this long without a heartbeat a database may be a copy that somebody has started. */
const quietSeconds = 3_600;
/** Beats that a data directory may be behind a quiet database: another host went on for about an hour. */
const beatsBehind = 200;
/** Beats that a crash or a change of the database's host may lose. */
const beatsLost = 3;

/** Why mail must not leave; '' when nothing speaks against it. */
export function whyHeld(heart: Heart, memory: Memory | undefined): string {
  if (!heart.samePlace)
    return 'the database is a copy: its heartbeat was written in another database than the one it is read from';
  const known = memory?.instance === heart.instance;
  if (known && memory.beat > heart.beat + beatsLost)
    return 'the database is older than what this host has seen of it: it was restored from a backup';
  if (heart.quietSeconds <= quietSeconds) return '';
  if (known && memory.beat >= heart.beat - beatsBehind) return '';
  return 'no worker has been at this database for more than an hour and this host does not know it: it was restored from a backup or copied';
}

/**
 * Leaves a heartbeat, or finds out that sending must be held and says so in the database, for all workers.
 * @returns why sending is held, '' when it is not
 */
export async function beat(db: Database, dataDir: string): Promise<string> {
  const file = join(dataDir, 'heartbeat.json');
  const place = await placeOf(db);
  const { held, memory } = await db.transaction(async (tx) => {
    await tx.run(sql`
      insert into heartbeat (instance, place)
      values (${randomUUID()}, ${place})
      on conflict do nothing`);
    const heart = (await tx.row<Heart & { held: string }>(sql`
      select instance, beat, held, greatest(0, extract(epoch from now() - beat_at))::float8 as "quietSeconds",
        place = ${place} as "samePlace"
      from heartbeat
      for update`))!;
    if (heart.held !== '') return { held: heart.held };
    const why = whyHeld(heart, readMemory(file));
    if (why !== '') {
      await tx.run(sql`update heartbeat set held = ${why}, held_at = now()`);
      return { held: why };
    }
    // Over all workers one beat in a while; a clock that was set back must not stop them.
    const moved = await tx.row<{ beat: number }>(sql`
      update heartbeat
      set beat = beat + 1, beat_at = now()
      where beat_at <= now() - make_interval(secs => ${beatSeconds})
        or beat_at > now()
        or beat = 0
      returning beat`);
    return { held: '', memory: { instance: heart.instance, beat: moved?.beat ?? heart.beat } };
  });
  // After the commit: the directory must never know more than the database.
  if (memory) writeMemory(file, memory);
  return held;
}

/**
 * Why sending is held, or will be as soon as a worker looks. For processes that do not send themselves: nothing is
 * written, and that a host does not know the database says nothing there, for workers may run on others.
 */
export async function foreseenReason(db: Queries, dataDir: string): Promise<string> {
  const place = await placeOf(db);
  const heart = await db.row<Heart & { held: string }>(sql`
    select instance, beat, held, 0 as "quietSeconds", place = ${place} as "samePlace"
    from heartbeat`);
  if (!heart) return '';
  return heart.held || whyHeld(heart, readMemory(join(dataDir, 'heartbeat.json')));
}

/**
 * Says that this database is to send from now on, as an installation of its own.
 * @param note what else is to be written with it
 * @returns why sending was held; '' when it was not, and nothing has changed
 */
export async function releaseSending(
  db: Database,
  dataDir: string,
  note: (tx: Tx, reason: string) => Promise<void> = async () => {},
): Promise<string> {
  const reason = await foreseenReason(db, dataDir);
  if (reason === '') return '';
  const place = await placeOf(db);
  await db.transaction(async (tx) => {
    await tx.run(sql`
      update heartbeat
      set held = '', held_at = null, instance = ${randomUUID()}, place = ${place}, beat = beat + 1, beat_at = now()`);
    await note(tx, reason);
  });
  return reason;
}

/** The server's own number and the database's on it: a restored dump and a copy from a template have others. */
async function placeOf(db: Queries): Promise<string> {
  const here = await db.row<{ oid: string }>(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  // Some hosters of databases do not let everybody ask.
  const server = await db.row<{ id: string | null }>(sql`
    select case when has_function_privilege('pg_control_system()', 'execute')
      then (select system_identifier::text from pg_control_system()) end as id`);
  return `${server?.id ?? ''}/${here?.oid}`;
}

function readMemory(file: string): Memory | undefined {
  try {
    const { instance, beat: known } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Memory>;
    return typeof instance === 'string' && typeof known === 'number' ? { instance, beat: known } : undefined;
  } catch {
    return undefined;
  }
}

/** Several workers of a host write the same file; what counts is that it is always whole. */
function writeMemory(file: string, memory: Memory): void {
  const known = readMemory(file);
  if (known?.instance === memory.instance && known.beat === memory.beat) return;
  mkdirSync(join(file, '..'), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(memory));
  renameSync(draft, file);
}
