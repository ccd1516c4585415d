// What the refusals of one relay show: something about the message, about the session, or about the relay itself. Pure apart from
// what it remembers; milliseconds of a monotonic clock come from the caller.
import { remember } from '../../../base/remember.ts';
import { SameReplies, signatureOf } from '../../rates/same-reply.ts';
import type { Outcome } from '../../verdict/outcome.ts';
import { CutOff, type WhoseCut } from './cut-off.ts';
import { RateDomains } from './rate-domains.ts';
import {
  deferredOf,
  isDoubtful,
  permanentOf,
  type Refusal,
  rateRefusalOf,
  refusalOf,
  withoutAddress,
} from './refusal.ts';
import { RefusedAgain } from './refused-again.ts';
import { UnknownWords } from './unknown-words.ts';

/** The recipient of a message, and the refusals that a person has confirmed to be about the recipients. */
export type Addressed = { rcptTo: string; confirmed?: readonly string[] };

/** The session that refused a message: how many it had accepted, and about how many it had decided. */
type Session = { accepted: number; taken: number };

/**
 * message: nothing about the relay; `endsRate` if its rate was only guessed from such messages. limit: the relay reached one of its limits. unclear: a limit of the relay, or of the receiving
 * domain. over: the session may be over. alike: all recipients get this refusal; `isKnown` if that was known before.
 */
export type Shown =
  | { kind: 'message'; isFinal: boolean; endsRate?: boolean }
  | { kind: 'limit'; refusal: Refusal }
  | { kind: 'unclear' }
  | { kind: 'over' }
  | { kind: 'alike'; signatures: readonly string[]; reply: string; isKnown: boolean };

/** A message that is refused in unknown words is tried over so many other sessions. */
const maxDoubts = 3;
const maxDoubted = 1_000;
const maxRefused = 10_000;

export class LineRefusals {
  readonly #refusedAgain = new RefusedAgain();
  readonly #rateDomains = new RateDomains();
  readonly #unknownWords = new UnknownWords();
  readonly #cutOff = new CutOff();
  /** How often the message of a recipient was refused in unknown words by a session that had accepted others. */
  readonly #doubted = new Map<string, { times: number; startedAt: number }>();
  /** When the message was given to the relay whose acceptance began last. */
  #acceptedAt = Number.NEGATIVE_INFINITY;
  /** The recipients that were refused in unknown words: they are asked again together, and show nothing new. */
  readonly #refused = new Map<string, true>();
  /** The rate of the relay follows from refusals in unknown words only. */
  #isRateGuessed = false;
  /** Of all campaigns and accounts. */
  readonly #sameReplies = new SameReplies();

  /** @param startedAt when the message was given to the relay */
  accepted({ rcptTo }: Addressed, startedAt: number, now: number): void {
    if (startedAt > this.#acceptedAt) this.#acceptedAt = startedAt;
    this.#cutOff.answered();
    this.#unknownWords.accepted(rcptTo, now);
    this.#refusedAgain.accepted();
    this.#sameReplies.accepted();
  }

  /** The connection ended before the final dot, while the relay had the message of a recipient. */
  cut({ rcptTo }: Addressed): WhoseCut {
    return this.#cutOff.cut(rcptTo);
  }

  /**
   * @param known whether the relay is known to have a rate, and to refuse all messages with a reply
   * @returns what the outcome shows; nothing about the relay if it is no refusal
   */
  learn(
    outcome: Outcome,
    session: Session,
    { rcptTo, confirmed }: Addressed,
    startedAt: number,
    now: number,
    known: { hasRate: boolean; refusesAllWith: (signature: string) => boolean },
  ): Shown {
    if (outcome.kind === 'reply' && outcome.stage !== 'mail') this.#cutOff.answered();
    const refusal =
      refusalOf(outcome, session.taken) ??
      this.#rateRefusal(outcome, rcptTo, now, known.hasRate) ??
      this.#unknownRefusal(outcome, session, rcptTo, now, known.hasRate);
    if (refusal === 'mistaken') {
      const endsRate = this.#isRateGuessed;
      this.#isRateGuessed = false;
      return { kind: 'message', isFinal: true, endsRate };
    }
    if (refusal === 'over') return { kind: 'over' };
    if (refusal === 'unclear') return { kind: 'unclear' };
    if (refusal?.limit === 'rate' && this.#refusedAgain.refused(rcptTo)) return { kind: 'message', isFinal: true };
    if (refusal) return { kind: 'limit', refusal: unnamed(refusal, rcptTo) };
    const isInDoubt = isDoubtful(outcome);
    const wasRefused = isInDoubt && this.#refused.has(rcptTo);
    const begunAt = this.#doubted.get(rcptTo)?.startedAt ?? startedAt;
    if (session.accepted > 0 && isInDoubt && !wasRefused && this.#mayBeSession(rcptTo, begunAt))
      return { kind: 'over' };
    if (isInDoubt) remember(this.#refused, rcptTo, true, maxRefused);
    const refused = permanentOf(outcome);
    const signature = refused && signatureOf(refused.code, refused.text, rcptTo);
    if (!signature || confirmed?.includes(signature)) return { kind: 'message', isFinal: false };
    const isKnown = known.refusesAllWith(signature);
    const signatures = isKnown
      ? [signature]
      : wasRefused || begunAt < this.#acceptedAt
        ? []
        : this.#sameReplies.refused(signature, rcptTo);
    if (signatures.length === 0) return { kind: 'message', isFinal: false };
    return { kind: 'alike', signatures, isKnown, reply: `${refused.code} ${withoutAddress(refused.text, rcptTo)}` };
  }

  /** Whose rate it is: `unclear` while that is not known. */
  #rateRefusal(outcome: Outcome, rcptTo: string, now: number, hasRate: boolean): Refusal | 'unclear' | undefined {
    const refusal = rateRefusalOf(outcome);
    if (!refusal) return undefined;
    const whose = this.#rateDomains.refused(rcptTo, now, hasRate);
    if (whose === 'ours') this.#isRateGuessed = false;
    return whose === 'ours' ? refusal : whose === 'once' ? 'unclear' : undefined;
  }

  /** A deferral in unknown words: of the session, the relay or, undefined, of the message. */
  #unknownRefusal(
    outcome: Outcome,
    session: Session,
    rcptTo: string,
    now: number,
    hasRate: boolean,
  ): Refusal | 'over' | 'unclear' | 'mistaken' | undefined {
    const reply = deferredOf(outcome);
    if (!reply) return undefined;
    const signature = signatureOf(reply.code, reply.text, rcptTo);
    const meant = this.#unknownWords.deferred(signature, rcptTo, session.accepted, now);
    if (meant === 'rate') {
      if (!hasRate) this.#isRateGuessed = true;
      return { limit: 'rate', reply, isGuessed: true };
    }
    return meant === 'session' ? 'over' : meant === 'message' ? undefined : meant;
  }

  /** A session that has accepted messages may be over, in whatever words. */
  #mayBeSession(rcptTo: string, startedAt: number): boolean {
    const times = (this.#doubted.get(rcptTo)?.times ?? 0) + 1;
    if (times > maxDoubts) this.#doubted.delete(rcptTo);
    else remember(this.#doubted, rcptTo, { times, startedAt }, maxDoubted);
    return times <= maxDoubts;
  }
}

/** A refusal that other accounts may see: without the recipient. */
const unnamed = ({ reply, ...rest }: Refusal, rcptTo: string): Refusal => ({
  ...rest,
  reply: { ...reply, text: withoutAddress(reply.text, rcptTo) },
});
