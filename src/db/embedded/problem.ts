// The one error of the embedded PostgreSQL: whatever keeps it from starting and a person can fix.
// Its message names the directory and what to do; anything else thrown is a bug.

/** What is wrong, for callers that treat one kind differently: a directory in use is not a broken one. */
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
