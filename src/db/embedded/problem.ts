// The one error of the embedded PostgreSQL: everything that keeps it from starting and that a person can mend.
// Promises a message that names the directory concerned and says what to do; anything else thrown is a bug.

/** What is wrong, for callers that answer differently to one kind (an occupied directory is not a broken one). */
export type EmbeddedProblem =
  | 'in-use'
  | 'no-binaries'
  | 'other-version'
  | 'not-reachable'
  | 'not-permitted'
  | 'did-not-start';

export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly problem: EmbeddedProblem;

  constructor(problem: EmbeddedProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}
