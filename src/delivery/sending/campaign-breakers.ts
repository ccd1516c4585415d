// One circuit breaker for each campaign this worker sends: stops a campaign that meets refusals only, without waiting for
// the database to find out. The count over all workers is pace/refusals.ts.

import type { Message } from '../../base/messages.ts';
import { remember } from '../../base/remember.ts';
import type { CampaignKey } from '../../campaigns/month.ts';
import { Breaker } from '../pace/breaker.ts';
import { judgement, reasonOf } from '../pace/refusals.ts';
import type { Verdict } from '../verdict/verdict.ts';

const maxCampaigns = 200;

export class CampaignBreakers {
  readonly #breakers = new Map<string, Breaker>();
  #lastKey = '';

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
