// Values of contacts as published clients write them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { message } from '../../base/messages.ts';
import { addressOf, isNotGiven, problemAsWritten, specialAsPublished, textAsPublished } from './as-published.ts';

test('a word for nothing is not given, except where it can be a value', () => {
  const isMissing = (type: string, text: string, ...choices: string[]) => isNotGiven({ type, choices }, text);
  assert.equal(isMissing('number', 'null'), true);
  assert.equal(isMissing('number', '5'), false);
  assert.equal(isMissing('text', 'null'), false);
  assert.equal(isMissing('address', 'none'), false);
  assert.equal(isMissing('dropdown', ' None ', 'Some'), true);
  assert.equal(isMissing('dropdown', ' none ', 'Some', 'None'), false);
  assert.equal(isMissing('date', '0000-00-00'), true);
  assert.equal(isMissing('date', 'undefined'), true);
  assert.equal(isMissing('date', '2024-05-31'), false);
  assert.equal(isMissing('number', '0000-00-00'), false);
});

test('a date is read day first, and zeros are no date', () => {
  assert.equal(textAsPublished('date', '31/05/2024'), '2024-05-31');
  assert.equal(textAsPublished('date', '0000-00-00'), '');
  assert.equal(textAsPublished('date', 'soon'), 'soon');
  assert.equal(textAsPublished('text', '31/05/2024'), '31/05/2024');
});

test('a number loses its thousands separators where decimals show which sign they are', () => {
  for (const [text, number] of [
    ['1.234,5', '1234.5'],
    ['-1.234.567,25', '-1234567.25'],
    ['1,234.5', '1234.5'],
    ['1,5', '1.5'],
    ['1.5', '1.5'],
    ['many', 'many'],
  ] as const)
    assert.equal(textAsPublished('number', text), number, text);
  assert.equal(textAsPublished('text', '1.234,5'), '1.234,5');
});

test('a variable that is no field is read by its meaning', () => {
  assert.equal(specialAsPublished('OPTINIP', '192.0.2.1:80, 198.51.100.1'), '192.0.2.1');
  assert.equal(specialAsPublished('OPTINTIME', '31/05/2024'), '2024-05-31');
  assert.equal(specialAsPublished('OPTINTIME', '0000-00-00'), undefined);
  assert.equal(specialAsPublished('LANGUAGE', '0000-00-00'), '0000-00-00');
  assert.equal(specialAsPublished('LANGUAGE', '31/05/2024'), '31/05/2024');
  assert.equal(specialAsPublished('LANGUAGE', 'null'), undefined);
});

test('the first address that proxies list is that of the visitor', () => {
  for (const [list, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:8080', '192.0.2.1'],
    ['unknown, [2001:db8::1]:443, 192.0.2.1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    [' elsewhere ', 'elsewhere'],
    ['null', ''],
    ['', ''],
  ] as const)
    assert.equal(addressOf(list), address, list);
});

test('a problem shows the date as it was written, up to 40 characters', () => {
  const long = 'x'.repeat(41);
  const date = problemAsWritten(message('value.not_a_date', { value: '2024-13-31' }), long);
  assert.equal(date.key, 'value.not_a_date_day_first');
  assert.deepEqual(date.values, { value: 'x'.repeat(40) });
});
