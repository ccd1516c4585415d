// A relay that defers messages in words that no rule knows, while it accepts others: its session may be over, or it takes no more for
// now. Pure: milliseconds of a monotonic clock come from the caller.
import { remember } from '../../../base/remember.ts';
import { RateDomains } from './rate-domains.ts';

/** A relay that has accepted nothing for so long does not limit how much it takes. */
const recentMs = 10_000;
const maxRemembered = 100;
const maxRecipients = 1_000;
/** Recipients that are refused again so often, while none of them is accepted, are the reason themselves. */
const maxAgain = 6;
/** Those of one burst count once; without an acceptance in between, a limit may take longer to end. */
const againMs = { othersAccepted: 500, nothingAccepted: 2_000 };
/** For so long after that, the words are about messages. */
const aboutMessagesMs = 10 * 60_000;

type Words = {
  domains: RateDomains;
  isRate: boolean;
  /** A new session used them too. */
  isNoSession: boolean;
  /** Recipients that were refused with them and not accepted since, and how many messages had been accepted by then. */
  refused: Map<string, number>;
  /** How often one of them was refused again, and when that counts next. */
  again: number;
  countsAt: number;
  /** One of them was accepted later: the words say how much the relay takes, not whom. */
  passed: boolean;
  aboutMessagesUntil: number;
};

const newWords = (): Words => ({
  domains: new RateDomains(),
  isRate: false,
  isNoSession: false,
  refused: new Map(),
  again: 0,
  countsAt: Number.NEGATIVE_INFINITY,
  passed: false,
  aboutMessagesUntil: Number.NEGATIVE_INFINITY,
});

/**
 * session: a new one may help. rate: fewer messages. unclear: the message is tried once more. message: it waits itself. mistaken: so do
 * all that were taken for a sign of a rate.
 */
export type Meant = 'session' | 'rate' | 'unclear' | 'message' | 'mistaken';

export class UnknownWords {
  readonly #seen = new Map<string, Words>();
  #acceptedAt = Number.NEGATIVE_INFINITY;
  #accepted = 0;

  accepted(rcptTo: string, now: number): void {
    this.#acceptedAt = now;
    this.#accepted += 1;
    for (const words of this.#seen.values()) if (words.refused.delete(rcptTo)) words.passed = true;
  }

  /** @param signature of the reply. @param accepted messages that the session had accepted */
  deferred(signature: string, rcptTo: string, accepted: number, now: number): Meant {
    const words = this.#seen.get(signature) ?? newWords();
    if (now < words.aboutMessagesUntil) return 'message';
    if (!words.isRate && now - this.#acceptedAt > recentMs) return 'message';
    remember(this.#seen, signature, words, maxRemembered);
    if (accepted === 0) words.isNoSession = true;
    if (!words.isNoSession) return 'session';
    if (this.#isAgain(words, rcptTo, now) && words.isRate) {
      if (words.again < maxAgain) return 'unclear';
      this.#seen.set(signature, { ...newWords(), aboutMessagesUntil: now + aboutMessagesMs });
      return 'mistaken';
    }
    const whose = words.domains.refused(rcptTo, now, words.isRate);
    if (whose === 'ours') words.isRate = true;
    return whose === 'ours' ? 'rate' : whose === 'once' ? 'unclear' : 'message';
  }

  /** Whether a recipient is refused again, while none that was refused has been accepted since. */
  #isAgain(words: Words, rcptTo: string, now: number): boolean {
    const before = words.refused.get(rcptTo);
    remember(words.refused, rcptTo, this.#accepted, maxRecipients);
    if (words.passed || before === undefined) return false;
    if (now >= words.countsAt) {
      words.again += 1;
      words.countsAt = now + (before < this.#accepted ? againMs.othersAccepted : againMs.nothingAccepted);
    }
    return true;
  }
}
