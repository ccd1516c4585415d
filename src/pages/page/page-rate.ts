// Limits how often one network opens pages that take the database some work. Kept in the memory of the process: it stops a program that
// asks without end, and no reader. The limits of calls (doors/admission/rate-limit.ts) are of a key or person, also of what is open at once.
import { networkOf } from '../../base/client-network.ts';
import { remember } from '../../base/remember.ts';

const perMinute = 120;
const maxNetworks = 10_000;

export class PageRate {
  readonly #uses = new Map<string, { left: number; at: number }>();

  /** Counts a request. @returns the seconds to wait, 0 if it may be answered */
  take(ip: string, now = performance.now()): number {
    const network = networkOf(ip);
    const use = this.#uses.get(network) ?? { left: perMinute, at: now };
    const left = Math.min(perMinute, use.left + ((now - use.at) * perMinute) / 60_000);
    remember(this.#uses, network, { left: left < 1 ? left : left - 1, at: now }, maxNetworks);
    return left < 1 ? Math.ceil(((1 - left) * 60) / perMinute) : 0;
  }
}
