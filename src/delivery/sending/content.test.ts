// Which contents a worker keeps in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../db/connect.ts';
import type { Chunk } from '../ledger/chunk.ts';
import type { Content } from '../message/content.ts';
import { ContentCache } from './content.ts';

/** A cache for 100 bytes, and the campaigns whose content it has read. */
function cacheOf(bytesOf: (campaign: number) => number) {
  const read: number[] = [];
  const cache = new ContentCache(
    {} as Database,
    async ({ campaign }) => {
      read.push(campaign);
      return { bytes: bytesOf(campaign) } as Content;
    },
    100,
  );
  const get = (campaign: number, contentHash = 'a') => cache.get({ account: 1, campaign, contentHash } as Chunk);
  return { get, read };
}

test('contents are kept as long as they fit, however many campaigns are sent at once', async () => {
  const { get, read } = cacheOf(() => 2);
  for (let round = 0; round < 2; round++) for (let campaign = 1; campaign <= 50; campaign++) await get(campaign);
  assert.equal(read.length, 50);
});

test('the content used longest ago makes room, and one that is larger than all is kept while it is used', async () => {
  const { get, read } = cacheOf((campaign) => (campaign === 9 ? 500 : 40));
  for (const campaign of [1, 2, 1, 3, 1, 2]) await get(campaign);
  assert.deepEqual(read, [1, 2, 3, 2]);
  await get(9);
  await get(9);
  assert.deepEqual(read, [1, 2, 3, 2, 9]);
});

test('a content that was launched again is read again', async () => {
  const { get, read } = cacheOf(() => 1);
  await get(1);
  await get(1, 'b');
  await get(1, 'b');
  assert.deepEqual(read, [1, 1]);
});
