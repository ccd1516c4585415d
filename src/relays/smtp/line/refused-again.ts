// Which messages a relay refuses again and again while it accepts others: they are the reason themselves, whatever the reply says.
import { remember } from '../../../base/remember.ts';

/** A message that is refused as too fast more often than this, while others are accepted, waits like any deferred one. */
const maxTimes = 5;
const maxRecipients = 1_000;

export class RefusedAgain {
  /** How often the message of a recipient was refused, and how many messages had been accepted until then. */
  readonly #seen = new Map<string, { times: number; accepted: number }>();
  #accepted = 0;

  accepted(): void {
    this.#accepted += 1;
  }

  /** A message was refused. @returns whether that is about the message */
  refused(rcptTo: string): boolean {
    const before = this.#seen.get(rcptTo) ?? { times: 0, accepted: -1 };
    const times = before.times + (before.accepted < this.#accepted ? 1 : 0);
    remember(this.#seen, rcptTo, { times, accepted: this.#accepted }, maxRecipients);
    if (times <= maxTimes) return false;
    this.#seen.delete(rcptTo);
    return true;
  }
}
