// Tests the formatting of numbers and times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formats, parseTime, withRegion } from './figures.ts';

const english = formats('en-GB', 'Europe/Vienna');
const now = new Date('2027-03-01T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test('a time from the API is read as GMT, and an empty time as never', () => {
  assert.equal(parseTime('2027-03-01 12:00:00')?.toISOString(), '2027-03-01T12:00:00.000Z');
  assert.equal(parseTime('2027-03-01T12:00:00+01:00')?.toISOString(), '2027-03-01T11:00:00.000Z');
  assert.equal(parseTime('2027-03-01T12:00:00Z')?.toISOString(), '2027-03-01T12:00:00.000Z');
  for (const never of ['', undefined, null, 'soon']) assert.equal(parseTime(never), undefined);
});

test('times within a text of the program are shown in the zone of the user', () => {
  assert.equal(
    english.localTimes('Accepted at 2026-10-20 00:00:00 GMT, again at 2026-12-01 23:30:00 GMT.'),
    'Accepted at 20 Oct 2026, 02:00, again at 2 Dec 2026, 00:30.',
  );
});

test('sums of money are in their currency, which may be none or one that does not exist', () => {
  assert.equal(english.money('1234.5', 'EUR'), '€1,234.50');
  assert.equal(english.money('1500', 'JPY'), 'JP¥1,500');
  assert.equal(formats('de-DE').money('1234.5', 'EUR'), '1.234,50\u00a0€');
  assert.equal(english.money('3', 'XYZ'), 'XYZ\u00a03.00');
  assert.deepEqual([english.money('3', ''), english.money('3.5', '')], ['3', '3.50']);
});

test('a ratio has one decimal, with the mark of the language', () => {
  assert.equal(formats('en').decimal(6.06), '6.1');
  assert.equal(formats('de').decimal(6), '6,0');
});

test('a size has a space before its unit, and one decimal', () => {
  const sizes = [640, 4_200, 1_400_000].map((size) => english.bytes(size).replace('\u00a0', ' '));
  assert.deepEqual(sizes, ['640 B', '4.2 kB', '1.4 MB']);
  assert.equal(formats('de').bytes(4_200), '4,2\u00a0kB');
});

test('times within a week are shown as distances, others as days', () => {
  const cases: [number, string][] = [
    [0, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [3 * 3_600, '3 hours ago'],
    [86_400, 'yesterday'],
    [6 * 86_400, '6 days ago'],
    [8 * 86_400, '21 Feb 2027'],
    [-20, 'in 20 seconds'],
    [-0.4, 'now'],
    [-3_600, 'in 1 hour'],
    [-40 * 86_400, '10 Apr 2027'],
  ];
  for (const [seconds, words] of cases) assert.equal(english.relative(before(seconds), now), words);
});

test('what is due is now, and what has been is just now, in each language', () => {
  const second = 1_000;
  const at = new Date(now.getTime() - 5 * second);
  assert.equal(english.upcoming(at, now), 'now');
  assert.equal(english.upcoming(new Date(now.getTime() + 90 * second), now), 'in 2 minutes');
  assert.equal(english.relative(at, now), 'just now');
  assert.equal(formats('fr', 'Europe/Paris').relative(at, now), 'à l’instant');
});

test('the exact time is in the time zone of the account', () => {
  assert.match(english.exact(now), /13:00:00/);
  assert.match(formats('en-GB', 'Nowhere/At-All').exact(now), /2027/);
});

test('times of day have two digits, where a day has 24 hours', () => {
  const night = new Date('2027-02-28T23:50:00Z');
  for (const language of ['en-GB', 'de', 'fr']) assert.equal(formats(language, 'Europe/Vienna').time(night), '00:50');
  assert.match(formats('en-US', 'Europe/Vienna').time(night), /^12:50\sAM$/);
});

test('the hours on the axis of a plot follow the region of the browser', () => {
  assert.equal(english.hour(now), 'Mon 13:00');
  assert.match(formats('en-US', 'Europe/Vienna').hour(now), /^Mon 1:00\sPM$/);
  assert.match(formats('de', 'Europe/Vienna').hour(now), /^Mo 13:00$/);
});

test('numbers have separators, and a ratio to zero is a dash', () => {
  assert.equal(english.number(12_408), '12,408');
  assert.equal(formats('de').number(12_408), '12.408');
  assert.equal(english.shareOf(1, 8), '12.5%');
  assert.equal(english.shareOf(0, 0), '–');
  assert.equal(english.shareOf(9, 100), '9.0%');
  assert.deepEqual([english.shareOf(0, 8), english.shareOf(8, 8)], ['0%', '100%']);
  assert.equal(formats('en').compact(1_234_567), '1.2M');
});

test('the region is that of the browser, if its tag is one that can format', () => {
  assert.equal(withRegion('en', ['de-AT', 'en-GB', 'en-US']), 'en-GB');
  assert.equal(withRegion('de', ['de-AT', 'en-GB']), 'de-AT');
  assert.equal(withRegion('en', ['en-US@posix', 'en-C.UTF-8', 'en']), 'en');
  assert.equal(withRegion('en', ['en-US@posix', 'fr']), 'en');
  for (const tags of [['en-US@posix'], ['en-GB']]) assert.doesNotThrow(() => formats(withRegion('en', tags), 'UTC'));
});
