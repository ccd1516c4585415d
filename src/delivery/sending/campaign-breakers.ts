// One circuit breaker for each campaign this worker sends: stops a campaign that meets refusals only, without waiting for
// the database to find out. The count over all workers is pace/refusals.ts.

import type { Message } from '../../base/messages.ts';
import { remember } from '../../base/remember.ts';
import type { CampaignKey } from '../../campaigns/month.ts';
import { Breaker } from '../pace/breaker.ts';
import { judgement, reasonOf } from '../pace/refusals.ts';
import { SameReplies, signatureOf } from '../pace/same-reply.ts';
import type { Verdict } from '../verdict/verdict.ts';

const maxCampaigns = 200;

export class CampaignBreakers {
  readonly #breakers = new Map<string, Breaker>();
  readonly #replies = new Map<string, { seen: SameReplies; confirmed: ReadonlySet<string> }>();
  #lastKey = '';

  /**
   * Counts equal refusals in a row, which are about us whatever their wording.
   * @returns whether the group has to stop until the database has decided
   */
  isRepeated(of: CampaignKey, verdict: Verdict, email: string): boolean {
    // The path of accepted messages: nothing is looked up unless there are refusals.
    if (this.#replies.size === 0 && verdict.kind === 'accepted') return false;
    const isRefused = verdict.kind === 'failed' && verdict.code !== null;
    if (!isRefused && verdict.kind !== 'accepted') return false;
    const key = `${of.account}.${of.campaign}`;
    const replies = this.#replies.get(key);
    if (!isRefused) {
      replies?.seen.accepted();
      return false;
    }
    const { seen, confirmed } = replies ?? { seen: new SameReplies(), confirmed: new Set<string>() };
    if (!replies) remember(this.#replies, key, { seen, confirmed }, maxCampaigns);
    const signature = signatureOf(verdict.code!, verdict.text, email);
    return !confirmed.has(signature) && seen.refused(signature, email).length > 0;
  }

  /** The database has decided about the refusals so far. */
  decided(of: CampaignKey, confirmed: ReadonlySet<string>): void {
    const key = `${of.account}.${of.campaign}`;
    const replies = this.#replies.get(key);
    if (replies) this.#replies.set(key, { seen: replies.seen, confirmed });
  }

  /** @returns why the campaign is to be paused, as soon as it is */
  record(of: CampaignKey, verdict: Verdict): Message | undefined {
    const outcome = judgement(verdict);
    if (!outcome) return undefined;
    const key = `${of.account}.${of.campaign}`;
    const breaker = this.#breakers.get(key) ?? new Breaker();
    // Moved to the end of the map only when the campaign changes.
    if (key !== this.#lastKey) remember(this.#breakers, key, breaker, maxCampaigns);
    this.#lastKey = key;
    const trip = breaker.add(outcome);
    if (!trip) return undefined;
    this.#breakers.delete(key);
    this.#lastKey = '';
    return reasonOf(trip, [verdict]);
  }
}
