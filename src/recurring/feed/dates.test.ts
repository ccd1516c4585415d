// Dates as feeds write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { item, rss } from '../../../test/support/samples/feeds/sample.ts';
import { readFeed } from './read.ts';

function dateOf(date: string): string {
  const body = rss(item(`<title>T</title><guid>1</guid><pubDate>${date}</pubDate>`));
  const read = readFeed({ bytes: Buffer.from(body), contentType: '', url: 'https://site.example/feed' });
  return (read.ok && read.feed.items[0]!.at?.toISOString().replace('.000Z', 'Z')) || '';
}

const dates: [string, string][] = [
  ['Fri, 20 Nov 2026 08:15:00 +0000', '2026-11-20T08:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 +0530', '2026-11-20T02:45:00Z'],
  ['20 Nov 26 08:15 EST', '2026-11-20T13:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 CET', '2026-11-20T07:15:00Z'],
  ['Mon, 20 Jul 2026 08:15:00 CEST', '2026-07-20T06:15:00Z'],
  ['Mon, 20 Jul 2026 08:15:00 MESZ', '2026-07-20T06:15:00Z'],
  ['Mon, 20 Jul 2026 08:15:00 BST', '2026-07-20T07:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 JST', '2026-11-19T23:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 GMT+0100', '2026-11-20T07:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 +0100 (CET)', '2026-11-20T07:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00 XYZ', '2026-11-20T08:15:00Z'],
  ['Fri, 20 Nov 2026 08:15:00', '2026-11-20T08:15:00Z'],
  ['ven., 20 nov. 2026 08:15:00 +0100', '2026-11-20T07:15:00Z'],
  ['vendredi 20 novembre 2026 08:15:00 GMT', '2026-11-20T08:15:00Z'],
  ['mer. 12 août 2026 08:15:00 +0000', '2026-08-12T08:15:00Z'],
  ['lun, 02 févr. 2026 08:15:00 +0000', '2026-02-02T08:15:00Z'],
  ['Mi, 04 Mrz 2026 08:15:00 +0100', '2026-03-04T07:15:00Z'],
  ['Mittwoch, 4. März 2026 08:15', '2026-03-04T08:15:00Z'],
  ['Do, 10 Dez 2026 08:15:00 MEZ', '2026-12-10T07:15:00Z'],
  ['4 de diciembre de 2026 08:15', '2026-12-04T08:15:00Z'],
  ['gio, 05 mag 2026 08:15:00 +0200', '2026-05-05T06:15:00Z'],
  ['пт, 20 нояб. 2026 08:15:00 +0300', '2026-11-20T05:15:00Z'],
  ['20 ноября 2026 г. 08:15', '2026-11-20T08:15:00Z'],
  ['pt., 20 lis 2026 08:15:00 +0100', ''],
  ['November 20, 2026 8:15 PM', '2026-11-20T20:15:00Z'],
  ['Fri Nov 20 2026 08:15:00 GMT+0100 (Central European Standard Time)', '2026-11-20T07:15:00Z'],
  ['2026-11-20T08:15:00Z', '2026-11-20T08:15:00Z'],
  ['2026-11-20T08:15:00.123456+01:00', '2026-11-20T07:15:00.123Z'],
  ['2026-11-20 08:15:00', '2026-11-20T08:15:00Z'],
  ['2026-11-20 08:15:00 +0100', '2026-11-20T07:15:00Z'],
  ['2026-11-20', '2026-11-20T00:00:00Z'],
  ['2028-02-29', '2028-02-29T00:00:00Z'],
  ['Tue, 31 Feb 2026 10:00:00 GMT', ''],
  ['2026-02-31T10:00:00Z', ''],
  ['2026-02-29', ''],
  ['31 avril 2026', ''],
  ['2026-11-20T25:00:00Z', ''],
  ['yesterday at noon', ''],
  ['0000-00-00 00:00:00', ''],
  ['1763626500', ''],
];
for (const [text, expected] of dates) test(`date: ${text}`, () => assert.equal(dateOf(text), expected));
