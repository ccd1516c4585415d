// Reads a feed in a thread with a time limit, so that no feed holds up this process.
import { moduleUrl } from '../../base/threads/module-url.ts';
import { OverLimit, ThreadPool } from '../../base/threads/thread-pool.ts';
import type { FeedSource, ReadFeed } from './read.ts';

const pool = new ThreadPool(moduleUrl('./thread', import.meta.url), {
  threads: 1,
  // The largest feed takes 3 s on a slow machine.
  maxMs: 20_000,
  maxMemoryMb: 256,
  maxWaiting: 1_000,
});

/** What is too large or too complex to be read is no feed. */
export async function readFeedInThread(source: FeedSource): Promise<ReadFeed> {
  try {
    return (await pool.run(source)) as ReadFeed;
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    return { ok: false, why: 'not_a_feed', feedUrl: '' };
  }
}
