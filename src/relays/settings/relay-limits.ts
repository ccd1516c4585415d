// What relays have shown of their limits (a rate, a rest because of their replies), shared by all workers and kept over restarts.
// Guarantees that a rest ends by the database's clock, and that a limit that an operator has cleared is cleared in every worker.
import { type Database, type Queries, sql, type Tx } from '../../db/connect.ts';
import { relayChannel } from '../../jobs/channels.ts';
import type { Rest } from '../smtp/line/line-rest.ts';
import type { KnownLimits } from '../smtp/line/line-status.ts';
import type { RelayPool } from '../smtp/relay-pool.ts';

/** A learned rate that has changed by less is not written. */
const noticeable = 0.1;

type Row = {
  relay: string;
  perSecond: number | null;
  ceiling: number | null;
  restMs: number | null;
  why: Rest['why'] | '';
  reply: string;
  signatures: string[];
  /** Distinguishes one state of the row from the next. */
  version: string;
};

type Seen = { changes: number; perSecond: number | undefined; version: string | undefined };

/** The limits of one worker's relay pool. */
export class RelayLimits {
  readonly #db: Database;
  readonly #pool: RelayPool;
  readonly #seen = new Map<string, Seen>();

  constructor(db: Database, pool: RelayPool) {
    this.#db = db;
    this.#pool = pool;
  }

  /** Writes what this worker has found out since the last call, and adopts what others have. */
  async sync(): Promise<void> {
    const rows = new Map((await readLimits(this.#db)).map((row) => [row.relay, row]));
    for (const [relay, known] of this.#pool.knownLimits()) {
      const seen = this.#seen.get(relay) ?? { changes: 0, perSecond: undefined, version: undefined };
      const row = rows.get(relay);
      const isNew = row?.version !== seen.version;
      const hasFound = known.changes !== seen.changes || hasMoved(known.rate?.perSecond, seen.perSecond);
      // An operator, or a person who resumed a campaign, has cleared it, whatever this worker found meanwhile.
      const isCleared = seen.version !== undefined && !row;
      if (hasFound && !isCleared) {
        // A rest that another worker has begun meanwhile stays.
        const rest = known.rest ?? (isNew ? limitsOf(row).rest : undefined);
        const version = await write(this.#db, relay, { rate: known.rate, rest });
        if (rest && !known.rest) this.#pool.adoptLimits(relay, { rate: known.rate, rest });
        this.#note(relay, version);
      } else if (isNew) {
        this.#pool.adoptLimits(relay, limitsOf(row));
        this.#note(relay, row?.version);
      }
    }
  }

  #note(relay: string, version: string | undefined): void {
    const known = this.#pool.knownLimits().get(relay);
    if (known) this.#seen.set(relay, { changes: known.changes, perSecond: known.rate?.perSecond, version });
  }
}

/** The learned rates of all relays, in messages a second. */
export async function learnedRates(db: Queries): Promise<Map<string, number>> {
  const rows = await readLimits(db);
  return new Map(rows.flatMap(({ relay, perSecond }) => (perSecond === null ? [] : [[relay, perSecond]])));
}

/** Forgets what a relay has shown: it may have other limits now. */
export async function clearLimits(db: Queries, relay: string): Promise<void> {
  await db.run(sql`delete from relay_limit where relay = ${relay}`);
}

function readLimits(db: Queries): Promise<Row[]> {
  return db.rows<Row>(sql`
    select relay, per_second as "perSecond", ceiling, why, reply, signatures, xmin::text || ' ' || changed_at as version,
      extract(epoch from rests_until - now())::float8 * 1000 as "restMs"
    from relay_limit`);
}

function limitsOf(row: Row | undefined): KnownLimits {
  const { perSecond = null, ceiling = null, restMs = null, why = '', reply = '', signatures = [] } = row ?? {};
  return {
    rate: perSecond === null ? undefined : { perSecond, ceiling: ceiling ?? perSecond },
    rest: why === '' || restMs === null || restMs <= 0 ? undefined : { why, ms: restMs, reply, signatures },
  };
}

/** @returns the version of the row; undefined when there is nothing to keep */
async function write(db: Database, relay: string, { rate, rest }: KnownLimits): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(sql`select pg_notify(${relayChannel}, '')`);
    if (rest?.signatures?.length) await noteRefusals(tx, rest.signatures);
    if (!rate && !rest) {
      await clearLimits(tx, relay);
      return undefined;
    }
    const row = await tx.row<{ version: string }>(sql`
      insert into relay_limit (relay, per_second, ceiling, rests_until, why, reply, signatures)
      values (${relay}, ${rate?.perSecond ?? null}, ${rate?.ceiling ?? null},
        now() + make_interval(secs => ${rest ? rest.ms / 1_000 : null}::float8), ${rest?.why ?? ''}, ${rest?.reply ?? ''},
        ${[...(rest?.signatures ?? [])]}::text[])
      on conflict (relay) do update
      set per_second = excluded.per_second, ceiling = excluded.ceiling, rests_until = excluded.rests_until,
        why = excluded.why, reply = excluded.reply, signatures = excluded.signatures, changed_at = now()
      returning xmin::text || ' ' || changed_at as version`);
    return row!.version;
  });
}

function hasMoved(now: number | undefined, before: number | undefined): boolean {
  if (now === undefined || before === undefined) return now !== before;
  return Math.abs(now - before) > before * noticeable;
}

/** A relay gives these replies to all its messages, whatever campaign they belong to. */
async function noteRefusals(tx: Tx, signatures: readonly string[]): Promise<void> {
  await tx.run(sql`delete from relay_refusal where at < now() - interval '1 day'`);
  await tx.run(sql`
    insert into relay_refusal (signature)
    select distinct unnest(${[...signatures]}::text[])
    on conflict (signature) do update set at = now()`);
}
