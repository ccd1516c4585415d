// Whose rate it is when a relay refuses a recipient or a message as too fast: that of the receiving domain, which it asks while we wait,
// or its own. Pure: milliseconds of a monotonic clock come from the caller.
import { remember } from '../../../base/remember.ts';

/** Refusals of so many domains within so long are about the relay. */
const manyDomains = 3;
const recentMs = 5_000;
const maxRemembered = 1_000;

/**
 * ours: the relay takes no more for now. once: it is not clear yet, and the message is tried once more at no cost. theirs: the domain
 * takes no more.
 */
export type Whose = 'ours' | 'once' | 'theirs';

export class RateDomains {
  readonly #refusedAt = new Map<string, number>();
  /** Recipients whose message was tried once more. */
  readonly #triedAgain = new Map<string, true>();

  /** A message was refused as too fast. @param isLearned whether the relay is known to have a rate */
  refused(rcptTo: string, now: number, isLearned: boolean): Whose {
    remember(this.#refusedAt, rcptTo.slice(rcptTo.lastIndexOf('@') + 1), now, maxRemembered);
    let recent = 0;
    for (const at of this.#refusedAt.values()) if (now - at < recentMs) recent += 1;
    if (isLearned || recent >= manyDomains) return 'ours';
    if (this.#triedAgain.delete(rcptTo)) return 'theirs';
    remember(this.#triedAgain, rcptTo, true, maxRemembered);
    return 'once';
  }
}
