// What became of a returned message.
import type { BounceClass } from '../../relays/verdict/rules.ts';

export type Taken =
  | { kind: 'bounce'; class: BounceClass }
  | { kind: 'complaint' | 'unsubscribed' | 'report' }
  /** Genuine, but without effect, for example because it was `counted` before. */
  | { kind: 'nothing'; why: string; counted?: true }
  /** Cannot be verified as being about a message of ours. */
  | { kind: 'refused'; why: string };
