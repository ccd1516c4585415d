// Which refusals are about the relay and not about the message: too many messages in a session, too fast, a quota used up. Pure.

import type { Outcome, Replied } from '../../verdict/outcome.ts';
import type { Limit } from '../../verdict/rules.ts';
import { isTooFastForSomeone, isUnknownDeferral, verdict } from '../../verdict/verdict.ts';

/** `isGuessed`: the words say nothing of a limit. */
export type Refusal = { limit: Limit; reply: Replied; isGuessed?: true };

/**
 * @param taken messages that the session had decided about before. A session without any is not over because of their number: the
 *   relay counts something else, and the message must wait.
 */
export function refusalOf(outcome: Outcome, taken: number): Refusal | undefined {
  if (outcome.kind !== 'reply' || outcome.code < 400 || outcome.local) return undefined;
  const judged = verdict(outcome);
  const limit = judged.kind === 'later' ? judged.limit : undefined;
  if (limit === 'session') return { limit: taken > 0 ? 'session' : 'rate', reply: outcome };
  if (limit !== undefined) return { limit, reply: outcome };
  return taken > 0 && judged.kind === 'later' && isOver(outcome) ? { limit: 'session', reply: outcome } : undefined;
}

/** A refusal as too fast that may be about the receiving domain, or about the relay. */
export function rateRefusalOf(outcome: Outcome): Refusal | undefined {
  if (outcome.kind !== 'reply' || outcome.code < 400 || outcome.local) return undefined;
  return isTooFastForSomeone(outcome) ? { limit: 'rate', reply: outcome } : undefined;
}

/** A deferral in words that no rule knows. */
export function deferredOf(outcome: Outcome): Replied | undefined {
  return outcome.kind === 'reply' && isUnknownDeferral(outcome) ? outcome : undefined;
}

/** A permanent refusal in words that no rule knows. */
export function isDoubtful(outcome: Outcome): boolean {
  if (outcome.kind !== 'reply' || outcome.code < 500) return false;
  const judged = verdict(outcome);
  return judged.kind === 'later' && judged.isDoubtful === true;
}

/** A permanent refusal, of the recipient or of us: the rules may not know the wording. */
export function permanentOf(outcome: Outcome): Replied | undefined {
  if (outcome.kind !== 'reply' || outcome.code < 500 || outcome.local) return undefined;
  const judged = verdict(outcome);
  if (judged.kind === 'later') return judged.scope === 'relay' || judged.isDoubtful ? outcome : undefined;
  return judged.kind === 'failed' ? outcome : undefined;
}

/** A session that has taken messages refuses one for now: in words about the session, or at MAIL, and not because of the sender. */
const isOver = ({ stage, code, text }: Replied): boolean =>
  code < 500 &&
  ((stage === 'mail' && !aboutSender.test(text)) || (aboutSession.test(text) && !aboutAnother.test(text)));

const aboutSender = /sender|from|domain|address|spf|dkim|dmarc|@/i;

const aboutSession =
  /\bre-?connect|\bnew (session|connection)\b|\b(this|your|the|per|same|current|each|one|smtp) (smtp |client )?(session|connection)\b|\bsession (is |has )?(been )?(exhausted|over|full|expired|ended|limit)|too many (smtp )?transactions/i;
/** The way to the next server, and connections at the same time. */
const aboutAnother =
  /timed? ?out|refused|reset|lost connection|could not connect|concurrent|simultaneous|parallel|\brate\b/i;

/** A reply that other accounts may see does not name its recipient. */
export function withoutAddress(text: string, address: string): string {
  const at = text.toLowerCase().indexOf(address.toLowerCase());
  return at < 0 ? text : `${text.slice(0, at)}…${withoutAddress(text.slice(at + address.length), address)}`;
}

/** The relay limits connections at the same time. */
export const isAboutConnections = (text: string): boolean =>
  /(concurrent|simultaneous|parallel)|\b(too many|maximum|number of)\b.{0,30}\b(open )?(connections|sessions)\b|connections? (limit|refused: too)/i.test(
    text,
  );
