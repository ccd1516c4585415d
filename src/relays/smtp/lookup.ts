// Resolves the host names of relays. Guarantees that connections opened together cause one lookup, and that a relay which
// takes few messages per connection does not cause one each: an answer is cached for a second, less than any relevant TTL.
// Failures are not cached; the relay pool lets such a relay rest.
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { refusal } from '../../base/outbound/addresses.ts';
import type { Relay } from '../../base/relay/relay.ts';

const cacheMs = 1_000;
/** Relays are few; beyond this the cache is emptied. */
const maxNames = 100;

type Answer = [error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number];
type Callback = Parameters<LookupFunction>[2];
type Lookup = { waiting: Callback[] } | { answer: Answer; until: number };

const lookups = new Map<string, Lookup>();

const lookupOnce: LookupFunction = (host, options, callback) => {
  const key = `${host} ${keyOf(options)}`;
  const cached = lookups.get(key);
  if (cached && 'waiting' in cached) {
    cached.waiting.push(callback);
    return;
  }
  if (cached && performance.now() < cached.until) {
    process.nextTick(callback, ...cached.answer);
    return;
  }
  const lookup = { waiting: [callback] };
  if (lookups.size >= maxNames) lookups.clear();
  lookups.set(key, lookup);
  dns.lookup(host, options, (...answer: Answer) => {
    if (answer[0]) lookups.delete(key);
    else lookups.set(key, { answer, until: performance.now() + cacheMs });
    for (const waiting of lookup.waiting) waiting(...answer);
  });
};

/**
 * The look-up for a relay: one that was typed into the application is not connected to in a private network, whatever its name
 * resolves to now.
 */
export function lookupFor({ allowedNetworks, port }: Relay): LookupFunction {
  if (!allowedNetworks) return lookupOnce;
  return (host, options, callback) =>
    lookupOnce(host, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const permitted = (address: string) => refusal(address, allowedNetworks, port) === null;
      const all = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const left = all.filter(({ address }) => permitted(address));
      if (left.length === 0) return callback(new Error(privateText(host)), '');
      if (typeof found === 'string') callback(null, found, family);
      else callback(null, left);
    });
}

/** Why a relay whose host is an IP address is not connected to; undefined when it is. */
export function refusedAddress({ host, port, allowedNetworks }: Relay): string | undefined {
  if (!allowedNetworks || isIP(host) === 0 || refusal(host, allowedNetworks, port) === null) return undefined;
  return privateText(host);
}

const privateText = (host: string) => `${host} is in a private network that OUTBOUND_ALLOW does not have`;

/** All addresses of a relay's host. @throws Error when the name cannot be resolved */
export function addressesOf(host: string): Promise<LookupAddress[]> {
  return dns.promises.lookup(host, { all: true });
}

const keyOf = ({ family, hints, all, order }: LookupOptions) => `${family} ${hints} ${all} ${order}`;
