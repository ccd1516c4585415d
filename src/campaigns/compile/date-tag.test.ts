import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate } from './date-tag.ts';

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
