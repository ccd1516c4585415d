// A relay that defers messages in words that no rule knows, while it accepts others: its session may be over, or it takes no more for
// now. Pure: milliseconds of a monotonic clock come from the caller.
import { remember } from '../../../base/remember.ts';
import { RateDomains } from './rate-domains.ts';

/** A relay that has accepted nothing for so long does not limit how much it takes. */
const recentMs = 10_000;
const maxRemembered = 100;

type Words = {
  domains: RateDomains;
  isRate: boolean;
  /** A new session used them too. */
  isNoSession: boolean;
};

/** session: a new one may help. rate: fewer messages. unclear: the message is tried once more. message: it waits itself. */
export type Meant = 'session' | 'rate' | 'unclear' | 'message';

export class UnknownWords {
  readonly #seen = new Map<string, Words>();
  #acceptedAt = Number.NEGATIVE_INFINITY;

  accepted(now: number): void {
    this.#acceptedAt = now;
  }

  /** @param signature of the reply. @param accepted messages that the session had accepted */
  deferred(signature: string, rcptTo: string, accepted: number, now: number): Meant {
    const words = this.#seen.get(signature) ?? { domains: new RateDomains(), isRate: false, isNoSession: false };
    if (!words.isRate && now - this.#acceptedAt > recentMs) return 'message';
    remember(this.#seen, signature, words, maxRemembered);
    if (accepted === 0) words.isNoSession = true;
    if (!words.isNoSession) return 'session';
    const whose = words.domains.refused(rcptTo, now, words.isRate);
    if (whose === 'ours') words.isRate = true;
    return whose === 'ours' ? 'rate' : whose === 'once' ? 'unclear' : 'message';
  }
}
