// Reads on a standby of the database (READ_DATABASE_URL). Guarantees that an account finds there what its own calls have changed, and that
// nothing fails because of the standby: what it cannot answer, the primary does. It is checked once a second; while it is lost, far
// behind, promoted or another system, it is not asked.
import type pg from 'pg';
import type { Log } from '../../base/log.ts';
import { isDocumentNeeded } from '../../base/threads/outside.ts';
import { connect, type Database, databaseProblem, isUnavailable, sql, type Tx } from '../connect.ts';
import type { Narrowing } from '../narrowed/narrow.ts';
import { LagMeter, maxLagSeconds, readFacts, whyNoStandby } from './compare.ts';
import { hasReplayed, type Writes } from './writes.ts';

/** Who reads. `writes` are the counts that the primary had when the call began. */
export type Reader = { accountId: number; writes: Writes; narrowing?: Narrowing | undefined };

/**
 * Where a read was answered. By the primary, because the standby is behind the changes of the account; is not used now; or
 * failed with it.
 */
export type ReadOutcome = 'standby' | 'behind' | 'unused' | 'failed';

const checkEveryMs = 1_000;
/** A standby that takes longer to say where it is has fallen silent. */
const answerMs = 2_000;
/** A standby that comes and goes writes so many lines at most: one of each kind. */
const lineMs = 60_000;

export class Standby {
  /** How many reads had which outcome. */
  readonly outcomes: Record<ReadOutcome, number> = { standby: 0, behind: 0, unused: 0, failed: 0 };
  /** For the share of each account. */
  readonly db: Database;
  readonly #probe: Database;
  readonly #primary: Database;
  readonly #log: Log;
  readonly #lag = new LagMeter();
  readonly #inUse = new Set<pg.PoolClient>();
  readonly #loggedAt = { used: Number.NEGATIVE_INFINITY, unused: Number.NEGATIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #isClosed = false;
  #isUsed = false;
  /** Why it is not used, as the log says it. */
  #why = 'it has not been checked yet';
  #lagSeconds = Number.POSITIVE_INFINITY;

  /** @param maxConnections to the standby, besides one for the checks */
  constructor(primary: Database, url: string, log: Log, maxConnections: number) {
    this.#primary = primary.within(answerMs);
    this.#log = log;
    const name = 'postrider reads';
    this.db = connect(url, { name, maxConnections, isSpare: true });
    this.#probe = connect(url, {
      name: `${name} check`,
      maxConnections: 1,
      isSpare: true,
      statementTimeoutMs: answerMs,
      replyTimeoutMs: answerMs,
    });
    this.db.pool.on('acquire', (client) => this.#inUse.add(client));
    this.db.pool.on('release', (_error, client) => this.#inUse.delete(client));
  }

  /** Checks it from now on. */
  start(): void {
    const next = async () => {
      await this.check();
      if (!this.#isClosed) this.#timer = setTimeout(next, checkEveryMs).unref();
    };
    void next();
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  get lagSeconds(): number {
    return this.#lagSeconds;
  }

  /** Why it is not used; '' when it is. */
  get why(): string {
    return this.#isUsed ? '' : this.#why;
  }

  /** Finds out whether it can be used now. */
  check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /**
   * Runs work that reads, in a read-only transaction there.
   * @returns undefined when the primary has to do it
   */
  async read<T>(reader: Reader, work: (tx: Tx, now: Date) => Promise<T>): Promise<{ value: T } | undefined> {
    if (!this.#isUsed) return this.#count('unused');
    const { accountId, writes, narrowing } = reader;
    try {
      const found = await (narrowing ? this.db.narrowedTo(narrowing) : this.db).reading(async (tx) => {
        const row = await tx.row<{ now: Date; isCurrent: boolean }>(sql`
          select now() as now, pg_is_in_recovery() and ${hasReplayed(accountId, writes)} as "isCurrent"`);
        return row!.isCurrent ? { value: await work(tx, row!.now) } : undefined;
      });
      this.#count(found ? 'standby' : 'behind');
      return found;
    } catch (error) {
      if (isDocumentNeeded(error) || isStatementTimeout(error)) throw error;
      if (isUnavailable(error)) this.#lost(error);
      // A fault, too: what is unknown there may have been created meanwhile.
      return this.#count('failed');
    }
  }

  /** A database whose single statements read there when they can; everything else is that of `primary`. */
  reads(primary: Database, reader: Omit<Reader, 'narrowing'>): Database {
    const of = { ...reader, narrowing: primary.narrowing };
    const either = async <T>(work: (queries: Tx | Database) => Promise<T>): Promise<T> => {
      const found = await this.read(of, work);
      return found ? found.value : work(primary);
    };
    return {
      ...primary,
      rows: (statement) => either((queries) => queries.rows(statement)),
      row: (statement) => either((queries) => queries.row(statement)),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#checking;
    await Promise.all([this.db.close(), this.#probe.close()]);
  }

  #count(outcome: ReadOutcome): undefined {
    this.outcomes[outcome] += 1;
  }

  /** The next check says why. */
  #lost(error: unknown): void {
    this.#isUsed = false;
    this.#why = reasonOf(error);
    void this.check();
  }

  async #look(): Promise<void> {
    try {
      const standby = await readFacts(this.#probe);
      // Asked later than the standby, so that it is never taken for closer than it is.
      const primary = await readFacts(this.#primary);
      const why = whyNoStandby(standby, primary);
      if (why !== '') return this.#set(`it ${why}`);
      this.#lagSeconds = this.#lag.measure(standby.position!, primary.position!, performance.now());
      if (this.#lagSeconds <= maxLagSeconds) return this.#set('');
      const behind = Number.isFinite(this.#lagSeconds) ? `${Math.round(this.#lagSeconds)} seconds` : 'far';
      this.#set(standby.isPaused ? 'its replay is paused' : `it is ${behind} behind`);
    } catch (error) {
      this.#lagSeconds = Number.POSITIVE_INFINITY;
      this.#set(reasonOf(error));
      // Statements that are in flight get no reply any more, and the primary can give one.
      if (/timeout/i.test((error as Error).message)) for (const client of this.#inUse) cut(client);
    }
  }

  #set(why: string): void {
    const isUsed = why === '';
    const isNews = isUsed ? !this.#isUsed : this.#isUsed || why !== this.#why;
    this.#isUsed = isUsed && !this.#isClosed;
    this.#why = why;
    const kind = isUsed ? 'used' : 'unused';
    if (!isNews || this.#isClosed || performance.now() - this.#loggedAt[kind] < lineMs) return;
    this.#loggedAt[kind] = performance.now();
    if (isUsed) this.#log.info('the standby in READ_DATABASE_URL is used for reads');
    else this.#log.warn({ why }, 'the standby in READ_DATABASE_URL is not used; the primary answers all reads');
  }
}

/** Why a server cannot be asked. */
export function reasonOf(error: unknown): string {
  // It has no tables of ours.
  if (['42P01', '42883'].includes((error as { code?: string }).code ?? ''))
    return 'it is no copy of the database in DATABASE_URL';
  const problem = databaseProblem(error)
    ?.replace(/^.*?cannot be used: /, '')
    .replace(/\.$/, '');
  return problem ?? (error as Error).message;
}

/** The server has ended a statement that took too long: on the primary it would too. */
const isStatementTimeout = (error: unknown): boolean => (error as { code?: string } | null)?.code === '57014';

/** The driver has no other way to give up a statement. */
const cut = (client: pg.PoolClient): void =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
