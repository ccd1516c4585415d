// What the chunks of one worker share: its connections and limits, and what they report to its send loop.
import type { App } from '../../base/context.ts';
import type { Log } from '../../base/log.ts';
import type { Message } from '../../base/messages.ts';
import type { Database } from '../../db/connect.ts';
import type { RelayPool } from '../../relays/smtp/relay-pool.ts';
import type { Verdict } from '../../relays/verdict/verdict.ts';
import type { Chunk } from '../ledger/chunk.ts';
import type { Result } from '../outcomes/outcome.ts';
import type { Limits } from '../pace/account-pace.ts';
import type { Journal } from '../recovery/journal.ts';
import type { Attempts } from './attempt.ts';
import type { CampaignBreakers } from './campaign-breakers.ts';
import type { ContentCache } from './content.ts';
import type { Deferral } from './defer.ts';

/** `Held`: a chunk that the worker holds. */
export type WorkerParts<Held> = {
  app: App;
  /** Does not wait long for a connection that fell silent: others wait for the chunk. */
  db: Database;
  workerId: number;
  relayPool: RelayPool;
  limits: Limits;
  journal: Journal<Verdict>;
  log: Log;
  attempts: Attempts;
  breakers: CampaignBreakers;
  contents: ContentCache;
  deferral: Deferral;
  /** Those of single messages and of the messages of lists, which have paces of their own. */
  messageDeferral: Deferral;
  listDeferral: Deferral;
  /** Recipients by outcome since the start. */
  counts: Record<Result['kind'], number>;
  /** Maximum recipients of a group, adapted to the speed of the relays. */
  groupSize: number;
  /** The worker stops: no further group is started. */
  stopping: boolean;
  /** No message is started or ended with its final dot: stop notifications cannot arrive. */
  startsPaused: boolean;
  /** When a worker that stops gives up waiting for the database. */
  giveUpAt: number;
  /** The breaker of a campaign has tripped. */
  onTrip(of: Chunk, reason: Message): void;
  /** No relay of this chunk is usable for `ms`. */
  onRelayRest(of: Chunk, ms: number): void;
  /** Recipients of a chunk were queued again after their group was sent. */
  onRequeued(held: Held): void;
};
