// What a relay line says about itself: to people, to other processes, and in the outcome of messages that it could not take.
import type { Learned } from '../../rates/learned-rate.ts';
import type { Outcome } from '../../verdict/outcome.ts';
import type { NegotiatedTls } from '../channel.ts';
import type { RelayAnswer } from '../relay-tally.ts';
import type { Rest } from './line-rest.ts';

export type RelayStatus = {
  id: string;
  connections: number;
  restMs: number;
  /** What went wrong last, '' when nothing is wrong; it may be a packed message. */
  reason: string;
  /** The reason is that it could not be connected to, or ended its connections; not a limit that it has shown. */
  failed?: true;
  /** It has answered nothing for too long. */
  silent?: true;
  /** Null before the first connection. */
  last: LastConnection | null;
  /** The last replies that were no acceptance, newest first. */
  answers?: readonly RelayAnswer[];
};

/** When a connection was opened last, and the TLS it has; null for plain text. */
export type LastConnection = { at: string; tls: NegotiatedTls | null };

/** What a relay has shown of its limits, for all processes together. */
export type KnownLimits = { rate: Learned | undefined; rest: Rest | undefined };

/** A failure in one line; '' if there is none. */
export function describeFailure(failure: Outcome | undefined): string {
  if (!failure || failure.kind === 'notSent') return '';
  // The text of Node's resolver, such as "getaddrinfo ENOTFOUND mail.example.com".
  if (failure.text.startsWith('getaddrinfo ')) return `name lookup failed: ${failure.text}`;
  return `${failure.kind === 'lost' ? failure.why : failure.code} at ${failure.stage}: ${failure.text}`;
}

export function lostAtConnect(text: string) {
  return { kind: 'lost', stage: 'connect', dotted: false, why: 'closed', text } as const;
}
