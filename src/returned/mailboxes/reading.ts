// Reads the messages of a mailbox one by one, whatever the protocol. A message that cannot be read does not hold up the others: it is
// remembered, named, tried in the next readings and then once an hour as long as it is in the mailbox, so that none is lost.
import { type Limits, MailboxProblem, type Missed, type Take } from './protocol.ts';

/** Tries in readings that follow each other. */
const soonTries = 3;
const laterMs = 3_600_000;
/** With more messages that cannot be read, no other message is begun: it is the server that fails. */
const maxMissed = 100;
const namedAtMost = 5;

export class Reading {
  /** Messages that were read, and are to be deleted or not. */
  readonly taken: string[] = [];
  readonly stayed: string[] = [];
  readonly #missed: Map<string, Missed>;
  readonly #take: Take;
  readonly #startedAt = performance.now();
  readonly #portionMs: number;
  #count = 0;

  constructor(missed: readonly Missed[], take: Take, { portionMs }: Limits) {
    this.#missed = new Map(missed.map((one) => [one.id, one]));
    this.#take = take;
    this.#portionMs = portionMs;
  }

  get missed(): Missed[] {
    return [...this.#missed.values()];
  }

  get count(): number {
    return this.#count;
  }

  isMissed(id: string): boolean {
    return this.#missed.has(id);
  }

  /** Whether a message that could not be read is to be tried now. */
  isDue(id: string): boolean {
    const { tries, at } = this.#missed.get(id)!;
    if (tries < soonTries || Date.now() - Date.parse(at) >= laterMs) return true;
    // One in each reading, to notice that the server works again.
    return this.#missed.size >= maxMissed && this.missed.every((other) => other.at >= at);
  }

  /** Whether no further message is to be begun: the server fails, or the time is over. */
  get isOver(): boolean {
    return this.#missed.size >= maxMissed || performance.now() - this.#startedAt > this.#portionMs;
  }

  /** @throws MailboxProblem when the connection fails */
  async read(id: string, fetch: () => Promise<Buffer | { why: string }>): Promise<'taken' | 'stayed' | 'missed'> {
    const raw = await fetch().catch((error: unknown) => {
      if (!(error instanceof MailboxProblem)) throw error;
      // It may be any message's fault, but if it is the first one, it is this one's.
      error.readBefore = this.#count;
      if (this.#count === 0) this.#miss(id, error.message);
      throw error;
    });
    if (!Buffer.isBuffer(raw)) {
      this.#miss(id, raw.why);
      this.#count += 1;
      return 'missed';
    }
    const isTaken = await this.#take(raw);
    this.#count += 1;
    (isTaken ? this.taken : this.stayed).push(id);
    // The server works again.
    if (this.#missed.delete(id)) for (const other of this.#missed.values()) other.tries = 0;
    return isTaken ? 'taken' : 'stayed';
  }

  /** Forgets what is no longer in the mailbox. */
  keepOnly(isThere: (id: string) => boolean): void {
    for (const id of this.#missed.keys()) if (!isThere(id)) this.#missed.delete(id);
  }

  /** @param kind what the ids are called */
  problem(kind: string): string {
    const missed = this.missed;
    if (missed.length === 0) return '';
    const named = missed.slice(0, namedAtMost).map(({ id }) => `${kind} ${id}`);
    const names = missed.length > namedAtMost ? [...named, '…'] : named;
    const count = missed.length === 1 ? '1 message' : `${missed.length} messages`;
    return `${count} could not be read (${names.join(', ')}): ${missed.at(-1)!.why}`;
  }

  #miss(id: string, why: string): void {
    const tries = (this.#missed.get(id)?.tries ?? 0) + 1;
    this.#missed.set(id, { id, tries, at: new Date().toISOString(), why });
  }
}

/** A problem for each thing that did not work. */
export const joined = (problems: readonly string[]): string => problems.filter((problem) => problem !== '').join('; ');
