// What an outcome means for the recipient. Pure: the reply's stage, code and enhanced code decide.
import type { Outcome } from './smtp/outcome.ts';

export type BounceClass = 'hard' | 'soft' | 'blocked' | 'temporary' | 'generic';

export type Verdict =
  | { kind: 'accepted'; code: number; text: string }
  /** To be tried again; `scope` tells whether the cause is this recipient or the way there. */
  | { kind: 'later'; scope: 'recipient' | 'relay'; code: number | null; text: string }
  | { kind: 'failed'; bounce: BounceClass; suppress: boolean; code: number | null; text: string }
  | { kind: 'unclear'; text: string }
  /** Never given to the relay: as if it had not been tried. */
  | { kind: 'withheld' };

export function verdict(outcome: Outcome): Verdict {
  if (outcome.kind === 'withheld') return { kind: 'withheld' };
  if (outcome.kind === 'lost') {
    if (outcome.dotted) return { kind: 'unclear', text: `${outcome.why} after the final dot: ${outcome.text}` };
    if (outcome.untried) return { kind: 'withheld' };
    return { kind: 'later', scope: 'relay', code: null, text: `${outcome.why} at ${outcome.stage}: ${outcome.text}` };
  }
  const { stage, code, enhanced, text } = outcome;
  const ofRelay = stage === 'connect' || stage === 'ehlo' || stage === 'starttls' || stage === 'auth';
  if (stage === 'dot' && code >= 200 && code < 300) return { kind: 'accepted', code, text };
  // A connection that is refused is no word about the recipient, whatever the code (RFC 5321 3.1: 554 at connect).
  if (ofRelay || code === 421) return { kind: 'later', scope: 'relay', code, text };
  if (code < 500) return { kind: 'later', scope: 'recipient', code, text };
  const bounce = classOf(code, enhanced, stage);
  return { kind: 'failed', bounce, suppress: bounce === 'hard', code, text };
}

/** RFC 3463: class 5; subject 1 addresses, 2 mailbox, 7 security or policy. */
function classOf(code: number, enhanced: string | undefined, stage: string): BounceClass {
  if (enhanced) {
    if (/^5\.1\.[1236]$/.test(enhanced) || enhanced === '5.2.1' || enhanced === '5.1.10') return 'hard';
    if (enhanced === '5.2.2') return 'soft';
    if (/^5\.7\./.test(enhanced)) return 'blocked';
    if (/^5\.[36]\./.test(enhanced)) return 'generic';
  }
  if (stage === 'rcpt' && (code === 550 || code === 551 || code === 553)) return 'hard';
  if (code === 552) return 'soft';
  if (stage === 'dot' || code === 554) return 'blocked';
  return 'generic';
}
