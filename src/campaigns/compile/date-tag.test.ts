import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultFormat, formatDate } from './date-tag.ts';

const at = new Date('2026-05-03T22:04:09Z');

test('each letter formats its part of the date', () => {
  const letters = 'd j D l N w z m n M F y Y t L S a A g G h H i s U O P c';
  assert.equal(
    formatDate(at, letters, 'en', 'UTC'),
    '03 3 Sun Sunday 7 0 122 05 5 May May 26 2026 31 0 rd pm PM 10 22 10 22 04 09 1777845849 +0000 +00:00 2026-05-03T22:04:09+00:00',
  );
});

test('the date is in the time zone of the account', () => {
  assert.equal(formatDate(at, 'Y-m-d H:i P', 'en', 'Europe/Berlin'), '2026-05-04 00:04 +02:00');
  assert.equal(formatDate(at, 'Y-m-d H:i O', 'en', 'America/St_Johns'), '2026-05-03 19:34 -0230');
});

test('names of days and months are in the language, in the grammatical case used with a day', () => {
  const expected: Record<string, string> = {
    de: 'Sonntag 3. Mai 2026',
    fr: 'dimanche 3. mai 2026',
    es: 'domingo 3. mayo 2026',
    it: 'domenica 3. maggio 2026',
    pl: 'niedziela 3. maja 2026',
    ru: 'воскресенье 3. мая 2026',
    fi: 'sunnuntai 3. toukokuuta 2026',
    lt: 'sekmadienis 3. gegužės 2026',
    sv: 'söndag 3. maj 2026',
    ja: '日曜日 3. 5月 2026',
    zh: '星期日 3. 五月 2026',
  };
  for (const [language, text] of Object.entries(expected)) {
    assert.equal(formatDate(at, 'l j. F Y', language, 'UTC'), text, language);
  }
  assert.equal(formatDate(at, 'F Y', 'ru', 'UTC'), 'май 2026', 'alone, the name has its own form');
});

test('a backslash keeps the next letter, and unknown letters stay', () => {
  assert.equal(formatDate(at, '\\d\\a\\y d, x q k!', 'en', 'UTC'), 'day 03, x q k!');
});

test('hours around midnight and noon, in 12 and 24 hours', () => {
  const table: [time: string, expected: string][] = [
    ['00:00:00', 'am AM 12 12 0 00 00 00'],
    ['00:59:59', 'am AM 12 12 0 00 59 59'],
    ['01:05:06', 'am AM 1 01 1 01 05 06'],
    ['11:59:59', 'am AM 11 11 11 11 59 59'],
    ['12:00:00', 'pm PM 12 12 12 12 00 00'],
    ['12:30:00', 'pm PM 12 12 12 12 30 00'],
    ['13:00:01', 'pm PM 1 01 13 13 00 01'],
    ['23:59:59', 'pm PM 11 11 23 23 59 59'],
  ];
  for (const [time, expected] of table) {
    assert.equal(formatDate(new Date(`2026-05-03T${time}Z`), 'a A g h G H i s', 'en', 'UTC'), expected, time);
  }
});

test('the English suffix of every day of a month', () => {
  const suffixes = Array.from({ length: 31 }, (_, i) =>
    formatDate(new Date(Date.UTC(2026, 0, i + 1)), 'S', 'en', 'UTC'),
  );
  const thirteen = 'st nd rd th th th th th th th th th th';
  assert.equal(suffixes.join(' '), `${thirteen} th th th th th th th st nd rd th th th th th th th st`);
});

test('days of the year and of the month, leap years and short years', () => {
  const table: [day: string, expected: string][] = [
    // z: day of the year; t: days of the month; L: leap year
    ['2026-01-01', '0 31 0 1 01 26 4 4 Thu Jan'],
    ['2026-02-28', '58 28 0 2 02 26 6 6 Sat Feb'],
    ['2024-02-29', '59 29 1 2 02 24 4 4 Thu Feb'],
    ['2024-12-31', '365 31 1 12 12 24 2 2 Tue Dec'],
    ['2026-12-31', '364 31 0 12 12 26 4 4 Thu Dec'],
    ['2000-02-01', '31 29 1 2 02 00 2 2 Tue Feb'],
    ['1900-02-01', '31 28 0 2 02 00 4 4 Thu Feb'],
    ['2105-06-05', '155 30 0 6 06 05 5 5 Fri Jun'],
    ['2026-03-01', '59 31 0 3 03 26 7 0 Sun Mar'],
    ['2026-03-02', '60 31 0 3 03 26 1 1 Mon Mar'],
  ];
  for (const [day, expected] of table) {
    assert.equal(formatDate(new Date(`${day}T12:00:00Z`), 'z t L n m y N w D M', 'en', 'UTC'), expected, day);
  }
});

test('offsets from UTC on both sides, with minutes', () => {
  const table: [zone: string, expected: string][] = [
    ['UTC', '+0000 +00:00 UTC UTC'],
    ['Asia/Kathmandu', '+0545 +05:45 Asia/Kathmandu Asia/Kathmandu'],
    ['America/New_York', '-0400 -04:00 America/New_York America/New_York'],
    ['Pacific/Marquesas', '-0930 -09:30 Pacific/Marquesas Pacific/Marquesas'],
    ['Pacific/Kiritimati', '+1400 +14:00 Pacific/Kiritimati Pacific/Kiritimati'],
  ];
  for (const [zone, expected] of table) assert.equal(formatDate(at, 'O P T e', 'en', zone), expected);
  assert.equal(formatDate(at, 'c', 'en', 'Asia/Kathmandu'), '2026-05-04T03:49:09+05:45');
  assert.equal(formatDate(at, 'r', 'de', 'Asia/Kathmandu'), 'Mon, 04 May 2026 03:49:09 +0545');
  assert.equal(formatDate(new Date('2026-05-03T22:04:09.999Z'), 'U', 'en', 'UTC'), '1777845849');
});

test('a month without a day has the form used alone, and an escaped letter is no day', () => {
  assert.equal(formatDate(at, defaultFormat, 'en', 'UTC'), '3 May 2026');
  assert.equal(formatDate(at, '\\d F', 'ru', 'UTC'), 'd май');
  assert.equal(formatDate(at, 'd F', 'ru', 'UTC'), '03 мая');
  assert.equal(formatDate(at, 'M', 'ja', 'UTC'), '5月');
  assert.equal(formatDate(at, 'F', 'ja', 'UTC'), '5月');
  assert.equal(formatDate(at, 'j F', 'ko', 'UTC'), '3 5월');
});
