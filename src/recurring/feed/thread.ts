// The thread of in-thread.ts.
import { parentPort } from 'node:worker_threads';
import { type FeedSource, readFeed } from './read.ts';

parentPort?.on('message', (source: FeedSource) => {
  try {
    parentPort!.postMessage({ value: readFeed(source) });
  } catch (error) {
    parentPort!.postMessage({ error });
  }
});
