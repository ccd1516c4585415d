// Tests the type proposed for the field of a new column.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldTypeOf } from './field-type.ts';

test('a column becomes a date field when its values are dates in one clear form', () => {
  assert.equal(fieldTypeOf(['1970-12-31', '', '2001-1-2 ']), 'date');
  assert.equal(fieldTypeOf(['31.12.1970', '1.2.2001']), 'date');
  const birthdays = ['16.11.1987', '1.8.1966', '30.4.1950', '2.2.2002'];
  assert.equal(fieldTypeOf(['yesterday', ...birthdays]), 'date', 'one of five may be no date');
  assert.equal(fieldTypeOf(['yesterday', ...birthdays.slice(1)]), 'text');
  for (const samples of [[], [''], ['1970-12-31', 'unknown'], ['1/5/2019'], ['25933'], ['2026-13-01'], ['1.5.19']])
    assert.equal(fieldTypeOf(samples), 'text', samples.join());
});
