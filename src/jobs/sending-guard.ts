// Keeps a copy of an installation from sending what the original sends: a restored backup, a cloned server, a database
// set back in time. Workers record a heartbeat in the database and what they saw of it in DATA_DIR; when the two do not
// match, sending is held until an operator confirms it. Starting and stopping workers is left to sending-watch.ts.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Message,
  type MessageLanguage,
  message,
  packMessage,
  renderMessage,
  renderPacked,
} from '../base/messages.ts';
import { type Database, type Queries, sql, type Tx } from '../db/connect.ts';

/** In the database: the installation, the number of heartbeats so far, and whether the last one was recorded in this very database. */
export type Heartbeat = { instance: string; beat: number; quietSeconds: number; samePlace: boolean };
/** In DATA_DIR: the last heartbeat that this host saw. */
export type Memory = { instance: string; beat: number };

/** Time between heartbeats, over all workers of an installation. */
export const beatSeconds = 20;
/** After this long without a heartbeat, the database may be a copy that has just been started. */
const quietSeconds = 3_600;
/** How far a data directory may be behind a quiet database: other hosts went on for about an hour. */
const maxBeatsBehind = 200;
/** How many heartbeats a crash or a failover of the database may lose. */
const maxBeatsLost = 3;

/** Why nothing may be sent; undefined if it may. */
export function holdReason(heartbeat: Heartbeat, memory: Memory | undefined): Message | undefined {
  if (!heartbeat.samePlace) return message('hold.copy');
  const known = memory?.instance === heartbeat.instance;
  if (known && memory.beat > heartbeat.beat + maxBeatsLost) return message('hold.older');
  if (heartbeat.quietSeconds <= quietSeconds) return undefined;
  if (known && memory.beat >= heartbeat.beat - maxBeatsBehind) return undefined;
  return message('hold.unknown');
}

/**
 * Records a heartbeat, or finds that sending must be held and records that for all workers.
 * @returns why sending is held; '' if it is not
 */
export async function recordHeartbeat(db: Database, dataDir: string): Promise<string> {
  const file = join(dataDir, 'heartbeat.json');
  const place = await placeOf(db);
  const { held, memory } = await db.transaction(async (tx) => {
    await tx.run(sql`
      insert into heartbeat (instance, place)
      values (${randomUUID()}, ${place})
      on conflict do nothing`);
    const heartbeat = (await tx.row<Heartbeat & { held: string }>(sql`
      select instance, beat, held, greatest(0, extract(epoch from now() - beat_at))::float8 as "quietSeconds",
        place = ${place} as "samePlace"
      from heartbeat
      for update`))!;
    if (heartbeat.held !== '') return { held: renderPacked(heartbeat.held) };
    const reason = holdReason(heartbeat, readMemory(file));
    if (reason) {
      await tx.run(sql`update heartbeat set held = ${packMessage(reason)}`);
      return { held: renderMessage(reason) };
    }
    // At most one heartbeat per interval over all workers; a clock that was set back must not stop them.
    const counted = await tx.row<{ beat: number }>(sql`
      update heartbeat
      set beat = beat + 1, beat_at = now()
      where beat_at <= now() - make_interval(secs => ${beatSeconds})
        or beat_at > now()
        or beat = 0
      returning beat`);
    return { held: '', memory: { instance: heartbeat.instance, beat: counted?.beat ?? heartbeat.beat } };
  });
  // After the commit: the directory must never be ahead of the database.
  if (memory) writeMemory(file, memory);
  return held;
}

/**
 * Why sending is held, or will be as soon as a worker checks; '' if neither. For processes that do not send: it writes
 * nothing, and a host that does not know the database proves nothing there, since workers may run on others.
 */
export async function predictHold(db: Queries, dataDir: string, language: MessageLanguage = 'en'): Promise<string> {
  const place = await placeOf(db);
  const heartbeat = await db.row<Heartbeat & { held: string }>(sql`
    select instance, beat, held, 0 as "quietSeconds", place = ${place} as "samePlace"
    from heartbeat`);
  if (!heartbeat) return '';
  if (heartbeat.held !== '') return renderPacked(heartbeat.held, language);
  const reason = holdReason(heartbeat, readMemory(join(dataDir, 'heartbeat.json')));
  return reason ? renderMessage(reason, language) : '';
}

/**
 * Makes this database an installation in its own right, which sends from now on.
 * @param note records the confirmation in the same transaction
 * @returns why sending was held; '' if it was not, and nothing has changed
 */
export async function confirmSending(
  db: Database,
  dataDir: string,
  note: (tx: Tx, reason: string) => Promise<void> = async () => {},
): Promise<string> {
  const reason = await predictHold(db, dataDir);
  if (reason === '') return '';
  const place = await placeOf(db);
  await db.transaction(async (tx) => {
    await tx.run(sql`
      update heartbeat
      set held = '', instance = ${randomUUID()}, place = ${place}, beat = beat + 1, beat_at = now()`);
    await note(tx, reason);
  });
  return reason;
}

/** The identifiers of the server and of the database: both differ in a restored dump, one in a copy from a template. */
export async function placeOf(db: Queries): Promise<string> {
  const database = await db.row<{ oid: string }>(
    sql`select oid::text as oid from pg_database where datname = current_database()`,
  );
  // Some database hosts do not grant this function.
  const server = await db.row<{ id: string | null }>(sql`
    select case when has_function_privilege('pg_control_system()', 'execute')
      then (select system_identifier::text from pg_control_system()) end as id`);
  return `${server?.id ?? ''}/${database?.oid}`;
}

export function readMemory(file: string): Memory | undefined {
  try {
    const { instance, beat } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Memory>;
    return typeof instance === 'string' && typeof beat === 'number' ? { instance, beat } : undefined;
  } catch {
    return undefined;
  }
}

/** Several workers of a host write the same file; the rename keeps it whole. */
function writeMemory(file: string, memory: Memory): void {
  const old = readMemory(file);
  if (old?.instance === memory.instance && old.beat === memory.beat) return;
  mkdirSync(join(file, '..'), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(memory));
  renameSync(draft, file);
}
