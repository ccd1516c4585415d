// What the rules for replies decide.
import type { bounceClasses } from '../../events/types.ts';
import type { Stage } from './outcome.ts';

/**
 * hard: the address does not exist. soft: it exists but accepts no message now (full, too large). blocked: refused by policy.
 * temporary: to be retried. generic: refused without a known reason.
 */
export type BounceClass = (typeof bounceClasses)[number];

/**
 * recipient: this address or this message to it. domain: the receiving side as a whole. relay: the relay or our
 * standing with it. account: the content or the sender.
 */
export type Scope = 'recipient' | 'domain' | 'relay' | 'account';

/**
 * What a relay takes no more of. session: this connection has had its number of messages, and a new one helps at once. rate:
 * messages come too fast, or over too many connections. quota: an amount per hour, day or month is used up, or a credit.
 */
export type Limit = 'session' | 'rate' | 'quota';

export type Judgement = {
  bounce: BounceClass;
  scope: Scope;
  /** Counts where the scope is relay; of scope domain, when the relay says so at MAIL or before, or to many domains. */
  limit?: Limit;
  /** Only if it differs from the class of the code. */
  kind?: 'later';
  /** Suppresses the address; without effect on a 4yz. */
  suppress?: true;
};

export type TextRule = { text: RegExp; code?: RegExp; enhanced?: RegExp; stages?: Stage[]; means: Judgement };
