// Keeps a worker's relay pool in step with the relays of the installation: on the notification of a change, when the connection
// for notifications is back, and every few seconds in case one was lost. While the database does not answer, the relays stay.
import type { App } from '../../base/context.ts';
import { describeRelay, type Relay } from '../../base/relay/relay.ts';
import { isUnavailable } from '../../db/connect.ts';
import type { RelayPool } from '../smtp/relay-pool.ts';
import { relaysOf } from './relay-list.ts';
import { warnOfUnverifiedRelays } from './relay-tls.ts';

const checkMs = 5_000;

export type RelayWatch = {
  /** Reads the relays now. */
  check(): Promise<void>;
  stop(): Promise<void>;
};

/** @param relays those that the pool began with */
export function watchRelays(
  app: App,
  relayPool: RelayPool,
  relays: readonly Relay[],
  onChange: () => void,
): RelayWatch {
  let current = relays;
  let running = Promise.resolve();
  let waits = false;
  const read = async () => {
    waits = false;
    const next = await relaysOf(app);
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    const isNew = (relay: Relay) => !current.some((before) => JSON.stringify(before) === JSON.stringify(relay));
    const added = next.filter(isNew);
    current = next;
    relayPool.update(next);
    onChange();
    app.log.info({ relays: next.map(describeRelay) }, 'the relays have changed');
    void warnOfUnverifiedRelays(added, app.log);
  };
  const check = () => {
    // One reading after the one in progress sees every change so far.
    if (!waits) {
      waits = true;
      running = running.then(read).catch((error) => {
        if (!isUnavailable(error)) app.log.error({ err: error }, 'the relays could not be read; those in use stay');
      });
    }
    return running;
  };
  const timer = setInterval(check, checkMs);
  return {
    check,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
