// One circuit breaker for each campaign this worker sends: stops a campaign that meets refusals only, without waiting for
// the database to find out. The count over all workers is pace/refusals.ts.

import type { Message } from '../../base/messages.ts';
import { remember } from '../../base/remember.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { SameReplies, signatureOf } from '../../relays/rates/same-reply.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import { Breaker } from '../pace/breaker.ts';
import { judgement, reasonOf } from '../pace/refusals.ts';

const maxCampaigns = 200;

export class CampaignBreakers {
  readonly #breakers = new Map<string, Breaker>();
  readonly #replies = new Map<string, SameReplies>();
  /** When the message began whose acceptance began last, by performance.now(). */
  readonly #accepted = new Map<string, number>();
  #lastKey = '';

  /**
   * Counts equal refusals in a row, which are about us whatever their wording.
   * @param confirmed the replies that are about the recipients
   * @returns whether the group has to stop until the database has decided
   */
  isRepeated(of: CampaignKey, verdict: Verdict, email: string, confirmed: readonly string[]): boolean {
    // The path of accepted messages: nothing is looked up unless there are refusals.
    if (this.#replies.size === 0 && verdict.kind === 'accepted') return false;
    const isRefused = verdict.kind === 'failed' && verdict.code !== null;
    if (!isRefused && verdict.kind !== 'accepted') return false;
    const key = `${of.account}.${of.campaign}`;
    const replies = this.#replies.get(key);
    if (!isRefused) {
      replies?.accepted();
      return false;
    }
    const seen = replies ?? new SameReplies();
    if (!replies) remember(this.#replies, key, seen, maxCampaigns);
    const signature = signatureOf(verdict.code!, verdict.text, email);
    return !confirmed.includes(signature) && seen.refused(signature, email).length > 0;
  }

  /**
   * A refusal in doubt may have been tried over several sessions while others were accepted: those that end a group are no row.
   * @param begunAt when the message began, by performance.now()
   */
  ordered(of: CampaignKey, verdict: Verdict, begunAt: number): Verdict {
    if (verdict.kind === 'accepted') {
      const key = `${of.account}.${of.campaign}`;
      const before = this.#accepted.get(key);
      if (before === undefined) remember(this.#accepted, key, begunAt, maxCampaigns);
      else if (before < begunAt) this.#accepted.set(key, begunAt);
      return verdict;
    }
    if (verdict.kind !== 'later' || !verdict.isDoubtful) return verdict;
    const accepted = this.#accepted.get(`${of.account}.${of.campaign}`);
    return accepted !== undefined && begunAt < accepted ? { ...verdict, isOvertaken: true } : verdict;
  }

  /**
   * @param confirmed the replies that are about the recipients
   * @returns why the campaign is to be paused, as soon as it is
   */
  record(
    of: CampaignKey,
    verdict: Verdict,
    { email, attempts }: { email: string; attempts: number },
    confirmed: readonly string[],
  ): Message | undefined {
    const judged = judgement(verdict);
    if (!judged) return undefined;
    // Those that were refused before are attempted together, and would seem to be a run: the database knows them.
    if (verdict.kind === 'later' && verdict.isDoubtful && attempts > 1) return undefined;
    const isConfirmed = judged !== 'other' && confirmed.length > 0 && confirmed.includes(signed(verdict, email));
    const outcome = isConfirmed ? 'other' : judged;
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

const signed = (verdict: Verdict, email: string): string =>
  'code' in verdict && verdict.code !== null ? signatureOf(verdict.code, verdict.text, email) : '';
