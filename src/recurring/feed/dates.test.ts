// Dates as feeds write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { item, rss } from '../../../test/support/samples/feeds/sample.ts';
import { readDate } from './dates.ts';
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
  ['2026-11-20T24:00:00Z', '2026-11-21T00:00:00Z'],
  ['2026-11-20T08:59:60Z', '2026-11-20T09:00:00Z'],
  ['2026-11-20T08:60:00Z', ''],
  ['2026-11-20T08:15:61Z', ''],
  ['2026-13-01', ''],
  ['2026-00-01', ''],
  ['2026-11-20 12:15 am', '2026-11-20T00:15:00Z'],
  ['2026-11-20 12:15 p.m.', '2026-11-20T12:15:00Z'],
  ['20 Nov 49 08:15', '2049-11-20T08:15:00Z'],
  ['20 Nov 99 08:15', '1999-11-20T08:15:00Z'],
  ['20 Nov 50 08:15', ''],
  ['1990-01-01', '1990-01-01T00:00:00Z'],
  ['1989-12-31', ''],
  ['2200-12-31', '2200-12-31T00:00:00Z'],
  ['2201-01-01', ''],
  ['2026-11-20T08:15:00-0330', '2026-11-20T11:45:00Z'],
  ['2026-11-20T08:15 GMT+1', '2026-11-20T07:15:00Z'],
  ['2026-11-20T08:15:30,5Z', '2026-11-20T08:15:30.500Z'],
  ['20 Sept 2026', '2026-09-20T00:00:00Z'],
  ['1º de janeiro de 2026 às 8', ''],
  ['1º de janeiro de 2026', '2026-01-01T00:00:00Z'],
  ['20 kwietnia 2026', '2026-04-20T00:00:00Z'],
  ['20. joulukuuta 2026', '2026-12-20T00:00:00Z'],
  ['Nov 3rd, 2026 at 8:15', '2026-11-03T08:15:00Z'],
  ['11/20/2026 08:15 EST', '2026-11-20T13:15:00Z'],
  ['11/20/2026 08:15', '2026-11-20T08:15:00Z'],
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

const zones: Record<string, string[]> = {
  '+00:00': ['Z', 'UT', 'UTC', 'GMT', 'WET'],
  '+01:00': ['WEST', 'BST', 'CET', 'MET', 'MEZ'],
  '+02:00': ['CEST', 'MEST', 'MESZ', 'EET', 'SAST'],
  '+03:00': ['EEST', 'MSK'],
  '+05:00': ['PKT'],
  '+07:00': ['ICT', 'WIB'],
  '+08:00': ['HKT', 'SGT', 'AWST'],
  '+09:00': ['JST', 'KST'],
  '+09:30': ['ACST'],
  '+10:00': ['AEST'],
  '+10:30': ['ACDT'],
  '+11:00': ['AEDT'],
  '+12:00': ['NZST'],
  '+13:00': ['NZDT'],
  '-02:30': ['NDT'],
  '-03:00': ['BRT', 'ART', 'ADT'],
  '-03:30': ['NST'],
  '-04:00': ['AST', 'EDT'],
  '-05:00': ['EST', 'CDT'],
  '-06:00': ['CST', 'MDT'],
  '-07:00': ['MST', 'PDT'],
  '-08:00': ['PST', 'AKDT'],
  '-09:00': ['AKST'],
  '-10:00': ['HST'],
};
for (const [offset, names] of Object.entries(zones))
  test(`zones at ${offset}: ${names.join(', ')}`, () => {
    for (const name of names)
      assert.equal(
        readDate(`Fri, 20 Nov 2026 08:15:00 ${name}`)?.toISOString(),
        new Date(`2026-11-20T08:15:00${offset}`).toISOString(),
        name,
      );
  });

test('a text of more than a hundred characters is no date', () => {
  const text = (length: number) => `2026-11-20 08:15 (${'x'.repeat(length - 19)})`;
  assert.equal(readDate(text(100))?.toISOString(), '2026-11-20T08:15:00.000Z');
  assert.equal(readDate(text(101)), null);
  assert.equal(readDate(undefined), null);
  assert.equal(readDate(' '), null);
});

test('a name of a month that means two in other languages is no date, but in English it is', () => {
  assert.equal(readDate('20 lis 2026'), null, 'October in Croatian, November in Polish');
  assert.equal(readDate('20 mar 2026')?.toISOString(), '2026-03-20T00:00:00.000Z');
  assert.equal(readDate('20 mei 2026')?.toISOString(), '2026-05-20T00:00:00.000Z');
});
