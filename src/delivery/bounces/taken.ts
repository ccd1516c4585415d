// What became of a returned message.
import type { BounceClass } from '../verdict/rules.ts';

export type Taken =
  | { kind: 'bounce'; class: BounceClass }
  | { kind: 'complaint' | 'unsubscribed' | 'report' }
  /** Genuine and of no consequence, or `counted` before. */
  | { kind: 'nothing'; why: string; counted?: true }
  /** Not from us or about a message of ours, as far as can be verified. */
  | { kind: 'refused'; why: string };
