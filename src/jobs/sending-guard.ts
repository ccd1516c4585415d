// Keeps a copy of an installation from sending what the original sends: a restored backup, a cloned server, a database
// set back in time. Workers leave a heartbeat in the database and what they know of it in DATA_DIR; when the two do not
// fit, sending is held until a person says that it is right. Leaves it to the worker process not to start, or to stop.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Queries, sql } from '../db/connect.ts';

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

/** Why sending is held in this database; '' when it is not. */
export async function heldReason(db: Queries): Promise<string> {
  return (await db.row<{ held: string }>(sql`select held from heartbeat`))?.held ?? '';
}

/** Says that this database is to send from now on, as an installation of its own. @returns false when nothing was held */
export async function releaseSending(db: Queries): Promise<boolean> {
  const place = await placeOf(db);
  const released = await db.run(sql`
    update heartbeat
    set held = '', held_at = null, instance = ${randomUUID()}, place = ${place}, beat = beat + 1, beat_at = now()
    where held <> ''`);
  return released > 0;
}

/** The server's own number and the database's on it: a restored dump and a copy from a template have others. */
async function placeOf(db: Queries): Promise<string> {
  const here = await db.row<{ oid: string }>(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  const server = await db
    .row<{ id: string }>(sql`select system_identifier::text as id from pg_control_system()`)
    // Some hosters of databases do not let everybody ask.
    .catch(() => undefined);
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
