// Which contents a worker keeps in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { content, mailOf, recipient } from '../../../test/support/builders/mail.ts';
import { compile } from '../../campaigns/compile/compile.ts';
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

/** The content of a campaign with these variants, as the database has it. */
async function stored(variants: { subject: string; recipients: string | null }[]): Promise<Content> {
  const rows: [table: string, rows: object[]][] = [
    [
      'from frozen_content',
      variants.map(({ subject, recipients }) => ({
        compiled: compile(content({ subject })),
        characters: 100,
        recipients,
      })),
    ],
    ['from inline_image', [{ cid: 'a@b', contentType: 'image/png', bytes: Buffer.alloc(10) }]],
    ['from campaign_attachment', [{ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.alloc(20) }]],
    ['from notice_source', []],
  ];
  const db = {
    rows: async ({ text }: { text: string }) => rows.find(([table]) => text.includes(table))![1],
    row: async () => ({ isTest: false }),
  } as unknown as Database;
  const chunk = { account: 1, campaign: 2, contentHash: 'a' } as Chunk;
  return (await new ContentCache(db).get(chunk))!;
}
const subjectFor = ({ rendererOf }: Content, seq: number) =>
  /^Subject: (.*)\r$/m.exec(mailOf(rendererOf({ seq, untracked: false }).render(recipient())).toString())?.[1];

test('a content needs memory for its text twice, and for images and attachments encoded and signed', async () => {
  const read = await stored([{ subject: 'A', recipients: null }]);
  assert.equal(read.bytes, 100 * 2 + 10 * 2.5 + 20 * 5);
  assert.equal(
    (
      await stored([
        { subject: 'A', recipients: '{[1,2)}' },
        { subject: 'B', recipients: '{[2,)}' },
      ])
    ).bytes,
    525,
  );
  assert.deepEqual([read.host, read.fromEmail, read.lists], ['shop.example', 'news@shop.example', [7]]);
  assert.equal(read.noticeFields('token'), '');
  assert.equal(subjectFor(read, 99), 'A', 'the only variant is for everyone');
});

test('each recipient gets the variant whose numbers contain its own, and the first if none does', async () => {
  const read = await stored([
    { subject: 'A', recipients: '{[1,5),[9,10)}' },
    { subject: 'B', recipients: '{[5,9)}' },
  ]);
  assert.deepEqual(
    [0, 1, 4, 5, 8, 9, 10].map((seq) => subjectFor(read, seq)),
    ['A', 'A', 'A', 'B', 'B', 'A', 'A'],
  );
});

test('those who are not tracked get a message without tracking, made ready once', async () => {
  const { rendererOf } = await stored([{ subject: 'A', recipients: null }]);
  const of = (untracked: boolean) => rendererOf({ seq: 1, untracked });
  assert.equal(of(true), of(true));
  assert.equal(of(false), of(false));
  const text = (untracked: boolean) => mailOf(of(untracked).render(recipient())).toString();
  assert.match(text(false), /mail\.shop\.example\/c\//);
  assert.doesNotMatch(text(true), /mail\.shop\.example\/[co]\//);
});

test('a content that was deleted is none', async () => {
  const db = { rows: async () => [] } as unknown as Database;
  assert.equal(await new ContentCache(db).get({ account: 1, campaign: 2 } as Chunk), undefined);
});
