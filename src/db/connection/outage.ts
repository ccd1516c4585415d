// The log of a database that cannot be used: one line a minute for each process, however many statements fail meanwhile. Who calls
// the database need not log such an error.
import type { Log } from '../../base/log.ts';
import { databaseProblem, isUnavailable } from './failures.ts';

const lineMs = 60_000;

export class OutageLog {
  readonly #log: Log | undefined;
  #nextAt = 0;
  /** Statements that failed since the last line. */
  #count = 0;

  constructor(log: Log | undefined) {
    this.#log = log;
  }

  /** Notes an error, if it is one of a database that cannot be used now. */
  note(error: unknown, now = performance.now()): void {
    if (!isUnavailable(error)) return;
    this.#count += 1;
    if (now < this.#nextAt) return;
    const why = databaseProblem(error) ?? 'The connection to the database is lost.';
    this.#log?.error(
      { err: error, why, statements: this.#count },
      'the database cannot be used now; what needs it waits, and callers are asked to try again',
    );
    this.#count = 0;
    this.#nextAt = now + lineMs;
  }
}
