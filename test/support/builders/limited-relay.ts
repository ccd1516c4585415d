// A relay with limits and a pool that sends to it, both closed after the test.
import type { TestContext } from 'node:test';
import { createLog } from '../../../src/base/log.ts';
import type { Relay } from '../../../src/base/relay/relay.ts';
import { type PoolOptions, RelayPool } from '../../../src/relays/smtp/relay-pool.ts';
import type { Outcome } from '../../../src/relays/verdict/outcome.ts';
import { LimitedRelay, type LimitedRelayOptions } from '../smtp-sink/limited-relay.ts';
import { mailTo } from './smtp.ts';

const sender = { account: 1, domain: 'sender.example' };

export async function relayFor(t: TestContext, options: LimitedRelayOptions = {}): Promise<LimitedRelay> {
  const relay = await LimitedRelay.start(options);
  t.after(() => relay.close());
  return relay;
}

export function poolFor(t: TestContext, relays: readonly Relay[], options: Partial<PoolOptions> = {}): RelayPool {
  const pool = new RelayPool(relays, { ehloName: 'client.example', log: createLog('silent', 'test'), ...options });
  t.after(() => pool.close());
  return pool;
}

export const sendTo = (pool: RelayPool, to: string): Promise<Outcome> => pool.send({ ...mailTo(to), sender });
