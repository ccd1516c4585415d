// The share of a relay that one of several workers may use. Its connections and its rate are limits of the installation.
// Guarantees that the shares of all workers add up to the limit when all of them know the same workers, and that a worker
// without a connection leaves its part of the rate to the others. Pure: who is alive is left to src/jobs/worker-presence.ts.
import type { Relay } from '../../base/relay/relay.ts';
import type { LiveWorkers } from '../../jobs/worker-presence.ts';

/** The relay with this worker's part of its limits; undefined if other workers have all of its connections. */
export function shareOf(relay: Relay, { count, place }: LiveWorkers): Relay | undefined {
  // Start each relay at a different worker; otherwise the first would get every remainder.
  const turn = (place + startOf(relay.id)) % count;
  const connections = Math.floor(relay.connections / count) + (turn < relay.connections % count ? 1 : 0);
  if (connections === 0) return undefined;
  const share = 1 / Math.min(count, relay.connections);
  return {
    ...relay,
    connections,
    ...(share < 1 && { share }),
    ...(relay.ratePerSecond !== undefined && { ratePerSecond: relay.ratePerSecond * share }),
  };
}

function startOf(id: string): number {
  return [...id].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0);
}
