// Whose fault it is when a relay ends the connection before the final dot, without a word: a filter on the way does so for one message,
// a relay that is broken for all. Pure.
import { remember } from '../../../base/remember.ts';

/** So many messages, of at least so many recipients, without any other answer in between, are about the relay. */
const inARow = 5;
const manyRecipients = 3;
const maxRemembered = 1_000;

/** message: it is the reason itself. unclear: it is tried again at no cost. relay: none of the messages gets through. */
export type WhoseCut = 'message' | 'unclear' | 'relay';

export class CutOff {
  /** How often the relay had answered when the message of a recipient was cut off. */
  readonly #seen = new Map<string, number>();
  #answers = 0;
  #inARow = 0;
  #recipients = new Set<string>();

  /** The relay accepted, deferred or refused a message. */
  answered(): void {
    this.#answers += 1;
    if (this.#inARow === 0) return;
    this.#inARow = 0;
    this.#recipients.clear();
  }

  cut(rcptTo: string): WhoseCut {
    const before = this.#seen.get(rcptTo);
    remember(this.#seen, rcptTo, this.#answers, maxRemembered);
    // The relay answered others since: this is about the message.
    if (before !== undefined && before < this.#answers) return 'message';
    this.#inARow += 1;
    if (this.#recipients.size < manyRecipients) this.#recipients.add(rcptTo);
    if (this.#inARow < inARow) return 'unclear';
    if (this.#recipients.size >= manyRecipients) return 'relay';
    this.#seen.delete(rcptTo);
    return 'message';
  }
}
