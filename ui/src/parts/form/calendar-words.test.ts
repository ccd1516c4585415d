import assert from 'node:assert/strict';
import { test } from 'node:test';
import dayjs from 'dayjs';
import { languages } from '../../text/languages.ts';
import './calendar-words.ts';

test('a calendar names its months in each language of the application', () => {
  for (const language of Object.keys(languages)) {
    const month = new Intl.DateTimeFormat(language, { month: 'long' }).format(new Date(2026, 2, 15));
    assert.equal(dayjs('2026-03-15').locale(language).format('MMMM').toLowerCase(), month.toLowerCase(), language);
  }
});
