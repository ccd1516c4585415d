// Counts what the relays answer to messages, for people to see. Counters since the start of the process, by the id of the
// relay: a relay that gets other settings goes on counting. Nothing is decided by them.

import type { Outcome } from '../verdict/outcome.ts';
import { withoutAddress } from './line/refusal.ts';

export type RelayCounts = { accepted: number; deferred: number; refused: number };
/** A reply that was not an acceptance. */
export type RelayAnswer = { at: string; code: number; text: string };

const keptAnswers = 5;
const maxText = 300;

export class RelayTally {
  readonly #counts = new Map<string, RelayCounts>();
  readonly #answers = new Map<string, RelayAnswer[]>();

  /** @param rcptTo left out of the reply: the relay may be shared by accounts */
  count(relay: string, outcome: Outcome, rcptTo: string): void {
    if (outcome.kind !== 'reply' || outcome.local) return;
    let counts = this.#counts.get(relay);
    if (!counts) {
      counts = { accepted: 0, deferred: 0, refused: 0 };
      this.#counts.set(relay, counts);
    }
    const { code, text } = outcome;
    if (code < 400) {
      counts.accepted += 1;
      return;
    }
    counts[code < 500 ? 'deferred' : 'refused'] += 1;
    const answers = this.#answers.get(relay) ?? [];
    answers.unshift({ at: new Date().toISOString(), code, text: withoutAddress(text, rcptTo).slice(0, maxText) });
    this.#answers.set(relay, answers.slice(0, keptAnswers));
  }

  /** The last ones first. */
  answersOf(relay: string): readonly RelayAnswer[] {
    return this.#answers.get(relay) ?? [];
  }

  /** A copy of all counters. */
  counts(): Map<string, RelayCounts> {
    return new Map([...this.#counts].map(([relay, counts]) => [relay, { ...counts }]));
  }
}
