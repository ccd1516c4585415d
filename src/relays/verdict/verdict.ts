// Decides what the outcome of an SMTP session means for the recipient, for pace and for suppression. Pure.
// Guarantees that only a permanent reply about the address or its domain suppresses it, and that a refusal of us (password,
// relaying, quota at the relay) never costs a recipient: one in words that no rule knows may be such a refusal, so it is in
// doubt. What the replies of real servers mean is in rules.ts; bounce notices that quote a reply are judged by the same rules.
import type { Outcome, Replied } from './outcome.ts';
import {
  anyAccount,
  type BounceClass,
  byCode,
  byEnhanced,
  byText,
  type Judgement,
  type Limit,
  namesPolicy,
  namesRecipient,
  type Scope,
  type TextRule,
} from './rules.ts';

/** `scope`: what the reply is about, and so what else to slow down, stop or leave alone. */
export type Verdict =
  | { kind: 'accepted'; code: number; text: string }
  /**
   * `limit`: the relay takes no more for now; only where the scope is relay. `isDoubtful`: a permanent reply that may be about us
   * or about the recipient. It is asked again for a day, and then fails with its bounce class. `isOvertaken`: a message that began
   * later was accepted before this reply came (campaign-breakers.ts).
   */
  | {
      kind: 'later';
      scope: Scope;
      bounce: BounceClass;
      code: number | null;
      text: string;
      limit?: Limit;
      isDoubtful?: true;
      isOvertaken?: true;
    }
  /** `suppress`: the address no longer exists and must not be sent to again. */
  | { kind: 'failed'; scope: Scope; bounce: BounceClass; suppress: boolean; code: number | null; text: string }
  | { kind: 'unclear'; text: string }
  /** Never given to the relay: not an attempt. */
  | { kind: 'notSent' };

export function verdict(outcome: Outcome): Verdict {
  if (outcome.kind === 'notSent') return { kind: 'notSent' };
  if (outcome.kind === 'reply') return ofReply(outcome);
  const { stage, why, dotted, untried } = outcome;
  // After the final dot the server may have accepted the message: neither retried nor failed automatically.
  if (dotted) return { kind: 'unclear', text: `${why} after the final dot: ${outcome.text}` };
  if (untried) return { kind: 'notSent' };
  // A filter on the way may cut the connection for one message; everything else is a problem of the relay.
  const cut = why === 'closed' || why === 'reset';
  const scope = cut && (stage === 'mail' || stage === 'rcpt' || stage === 'data') ? 'recipient' : 'relay';
  return { kind: 'later', bounce: 'temporary', scope, code: null, text: `${why} at ${stage}: ${outcome.text}` };
}

function ofReply(reply: Replied): Verdict {
  const { code, stage, text } = reply;
  if (stage === 'dot' && code < 300) return { kind: 'accepted', code, text };
  const permanent = code >= 500;
  const { bounce, scope, kind, suppress, limit, isByCode } = judge(reply);
  if (kind !== 'later' && permanent) {
    const isDoubtful = !reply.local && (bounce === 'generic' || (bounce === 'blocked' && isByCode === true));
    if (isDoubtful) return { kind: 'later', scope, bounce, code, text, isDoubtful };
    return { kind: 'failed', scope, bounce, suppress: suppress === true, code, text };
  }
  // A reply to MAIL comes before any domain was named.
  const isRelay = scope === 'relay' || (stage === 'mail' && scope === 'domain');
  return {
    kind: 'later',
    scope: isRelay ? 'relay' : scope,
    // A deferred message is no hard bounce, whatever the text.
    bounce: bounce === 'hard' ? 'temporary' : bounce,
    code,
    text,
    ...(isRelay && limit ? { limit } : {}),
  };
}

/** Whether a reply says that messages come too fast, without saying for whom: the relay, or the receiving domain. */
export function isTooFastForSomeone(reply: Replied): boolean {
  const { scope, limit } = judge(reply);
  return scope === 'domain' && limit === 'rate' && reply.stage !== 'mail';
}

/** Whether a reply defers a recipient or a message in words that no rule knows, and names no mailbox or next server by its code. */
export function isUnknownDeferral(reply: Replied): boolean {
  const { stage, code, text, local } = reply;
  if (code < 400 || code >= 500 || local || (stage !== 'rcpt' && stage !== 'data' && stage !== 'dot')) return false;
  const enhanced = reply.enhanced ?? trailingEnhancedCode(reply);
  if (enhanced && /^4\.[124]\./.test(enhanced)) return false;
  return judgeText({ ...reply, enhanced }) === undefined && !aboutAnother.test(text);
}

/** The next server, its address, or who sends. */
const aboutAnother =
  /\b(timed? ?out|refused|reset|lost|connect(ing|ed)? to|lookup|dns|mx|resolv\w*|verif\w*|sender|from|spam|policy)\b|@/i;

/** `isByCode`: no rule knows the words. */
function judge(reply: Replied): Judgement & { isByCode?: true } {
  const { stage, code } = reply;
  const permanent = code >= 500;
  const enhanced = reply.enhanced ?? trailingEnhancedCode(reply);
  const fromText = judgeText({ ...reply, enhanced });
  // Before MAIL no recipient was named: a refusal is about us and the relay, and costs no recipient.
  if (stage === 'connect' || stage === 'ehlo' || stage === 'starttls' || stage === 'auth') {
    if (fromText?.limit) return { ...fromText, scope: 'relay' };
    return { kind: 'later', bounce: permanent ? 'blocked' : 'temporary', scope: 'relay' };
  }
  // Our relay does not take messages of this size: not the recipient's bounce, and the same for the whole campaign.
  if (reply.local && enhanced === '5.3.4') return { bounce: 'blocked', scope: 'account' };
  if (reply.local) return judgeCode({ ...reply, enhanced });
  // MAIL names the sender only: words about a network, a sender or content are about us there. Without words the code decides.
  if (fromText && stage === 'mail' && fromText.scope !== 'recipient') return { ...fromText, kind: 'later' };
  return (
    fromText ??
    judgeBy([anyAccount], { ...reply, enhanced }) ?? {
      ...withoutWords(judgeCode({ ...reply, enhanced }), reply.text),
      isByCode: true,
    }
  );
}

/**
 * A relay that refuses us may use the code of an unknown mailbox. Unless the words name a recipient too, and no rule that the message
 * broke, the reply ends no one's subscription.
 */
function withoutWords(means: Judgement, text: string): Judgement {
  const isHard = means.bounce === 'hard' && means.scope === 'recipient';
  return isHard && (!namesRecipient.test(text) || namesPolicy.test(text))
    ? { bounce: 'generic', scope: 'recipient' }
    : means;
}

/** A reply to one recipient's envelope or message, in the conversation or quoted in a notice. */
type ReplyText = Pick<Replied, 'stage' | 'code' | 'text'> & { enhanced: string | undefined };

/** The text of a reply is more exact than its codes: many servers reply 5.7.1 or 5.0.0 to everything. */
export function judgeText(reply: ReplyText): Judgement | undefined {
  return judgeBy(byText, reply);
}

function judgeBy(rules: readonly TextRule[], { stage, code, enhanced, text: said }: ReplyText): Judgement | undefined {
  // Names of errors: account_suspended.
  const text = said.replace(/(?<=[a-z])_(?=[a-z])/gi, ' ');
  return rules.find(
    (rule) =>
      (rule.code === undefined || rule.code.test(String(code))) &&
      (rule.stages === undefined || rule.stages.includes(stage)) &&
      (rule.enhanced === undefined || (enhanced !== undefined && rule.enhanced.test(enhanced))) &&
      rule.text.test(text),
  )?.means;
}

export function judgeCode({ stage, code, enhanced }: Omit<ReplyText, 'text'>): Judgement {
  const permanent = code >= 500;
  const detail = enhanced === undefined ? undefined : byEnhanced.find((rule) => rule.enhanced.test(enhanced));
  if (detail && (stage !== 'mail' || detail.means.scope !== 'recipient' || enhanced?.endsWith('.3.4')))
    return detail.means;
  // RFC 5321: MAIL names the sender only, so no recipient is at fault.
  if (stage === 'mail')
    return { bounce: permanent ? 'blocked' : 'temporary', scope: code === 421 ? 'relay' : 'account' };
  const plain = byCode.find((rule) => rule.code.test(String(code)) && (rule.stages?.includes(stage) ?? true));
  return plain?.means ?? { bounce: permanent ? 'generic' : 'temporary', scope: 'recipient' };
}

/** qmail and its relatives write the enhanced code at the end: (#5.1.1). */
function trailingEnhancedCode(reply: Replied): string | undefined {
  const code = /\(#([245]\.\d{1,3}\.\d{1,3})\)/.exec(reply.text)?.[1];
  return code && Number(code[0]) === Math.floor(reply.code / 100) ? code : undefined;
}
