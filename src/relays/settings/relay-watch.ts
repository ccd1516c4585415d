// Keeps a worker's relay pool in step with the relays of the installation: on the notification of a change, when the connection
// for notifications is back, and every few seconds in case one was lost. While the database does not answer, the relays stay.
import type { App } from '../../base/context.ts';
import { describeRelay, type Relay } from '../../base/relay/relay.ts';
import { isUnavailable } from '../../db/connect.ts';
import type { RelayPool } from '../smtp/relay-pool.ts';
import { RelayLimits } from './relay-limits.ts';
import { relaysOf } from './relay-list.ts';
import { warnOfUnverifiedRelays } from './relay-tls.ts';

const checkMs = 5_000;
/** Several refusals in this time are written together. */
const limitMs = 200;

export type RelayWatch = {
  /** Reads the relays now. */
  check(): Promise<void>;
  /** The limits of a relay have changed: other workers learn it soon. */
  limitsChanged(): void;
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
  let soon: NodeJS.Timeout | undefined;
  const limits = new RelayLimits(app.db, relayPool);
  const read = async () => {
    waits = false;
    const next = await relaysOf(app);
    await update(next);
    await limits.sync();
  };
  const update = async (next: readonly Relay[]) => {
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
    limitsChanged() {
      soon ??= setTimeout(() => {
        soon = undefined;
        void check();
      }, limitMs);
    },
    async stop() {
      clearInterval(timer);
      if (soon) void check();
      clearTimeout(soon);
      await running;
    },
  };
}
