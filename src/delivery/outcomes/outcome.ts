// What came of a recipient that was marked as in flight.

import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Marked } from '../ledger/chunk.ts';

/** Not attempted, and to be attempted after `ms`. */
export type Deferred = { kind: 'deferred'; ms: number; why: string };
export type Result = Verdict | Deferred;

/** What came of a marked recipient. */
export type Outcome = {
  marked: Pick<Marked, 'seq' | 'contact' | 'list' | 'email' | 'attempts' | 'resent' | 'firstAt'>;
  verdict: Result;
  /** By performance.now(); without them it has just ended. */
  begunAt?: number;
  endedAt?: number;
  /** How long the copy of an unclear recipient waits: its real outcome may still arrive. */
  copyAfterMs?: number;
};
