// What XML-RPC and form posts accept beyond the JSON door, by the types of the parameters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anything, arrayOf, boolean, id, integer, oneOf, params, separateItems, struct, text } from './params.ts';
import { asPublished, decimalOf, isNothing, isoDayOf, isZeroDate, itemsOf, rowsOf, tidyContact } from './published.ts';
import { UNREADABLE } from './wire.ts';

const schema = params({
  ids: arrayOf('Ids.', id('An id.')).optional(),
  rows: arrayOf('Rows.', struct('A row.', { tags: arrayOf('Tags.', text('A tag.')).optional() })).optional(),
  batch: separateItems('A batch.', { type: 'object', description: 'A row.' }).optional(),
  emails: separateItems('Addresses.', { type: 'string', description: 'An address.' }).optional(),
  options: struct(
    'Options.',
    { list_id: arrayOf('Lists.', id('A list.')).optional(), to_email: text('A name.').optional() },
    { aliases: { to_name: 'to_email', exact: '' } },
  ).optional(),
  value: anything('A value.').optional(),
  title: text('A title.').optional(),
  count: integer('A number.', 1, 9).optional(),
  flag: boolean('A flag.').optional(),
  kind: oneOf('A word.', ['a', 'b']).optional(),
  since: text('A date.').meta({ date: true }).default(''),
  name: text('An option.')
    .meta({ aliases: { text: 'plain' } })
    .optional(),
});
const read = (value: unknown) => asPublished(schema, value);

test('a number may have a decimal comma, a text keeps it', () => {
  assert.deepEqual(read({ count: '1,5', title: '1,5' }), { count: '1.5', title: '1,5' });
});

test('a struct of numbers is the array of its values by number, wherever an array is due', () => {
  const gaps = { 10: 'c', 2: 'b', '-1': 'a', 99999999999: 'd' };
  assert.deepEqual(read({ ids: gaps, options: { list_id: gaps } }), {
    ids: ['a', 'b', 'c', 'd'],
    options: { list_id: ['a', 'b', 'c', 'd'] },
  });
  assert.deepEqual(read({ rows: { 7: { tags: { 1: 'x', 3: 'y' } } } }), { rows: [{ tags: ['x', 'y'] }] });
  assert.deepEqual(read({ value: { 3: { list: { 5: 'x' } } } }), { value: [{ list: ['x'] }] });
  assert.deepEqual(itemsOf(Object.assign(Object.create(null), { 17: 'x' })), ['x']);
});

test('rows that a method reads one by one stay as they are', () => {
  assert.deepEqual(read({ batch: { 5: { EMAIL: 'a', GROUPINGS: { 3: 'x' } } } }), {
    batch: [{ EMAIL: 'a', GROUPINGS: { 3: 'x' } }],
  });
});

test('rows and addresses may have words as keys', () => {
  const rows = { c17: { EMAIL: 'a@example.org' }, '0f-b2': { EMAIL: 'b@example.org' } };
  assert.deepEqual(read({ batch: rows }), { batch: Object.values(rows) });
  assert.deepEqual(read({ emails: { c17: 'a@example.org', x: 'b@example.org' } }), {
    emails: ['a@example.org', 'b@example.org'],
  });
  assert.deepEqual(rowsOf(rows), Object.values(rows));
  // One row or address is enough: the others become errors of their rows.
  const withBad = { c17: rows.c17, c18: { FNAME: 'No address' }, c19: 'x' };
  assert.deepEqual(read({ batch: withBad }), { batch: Object.values(withBad) });
  assert.deepEqual(rowsOf(withBad), Object.values(withBad));
  assert.deepEqual(read({ emails: { a: 'x', b: 'b@example.org', c: '' } }), { emails: ['x', 'b@example.org', ''] });
  // One row, texts that are no addresses, and ids under words are not what is due.
  for (const given of [
    { batch: { EMAIL: 'a@example.org', FNAME: 'A' } },
    { batch: { a: 'a@example.org' } },
    { batch: { colour: { a: 'b' } } },
    { emails: { colour: { a: 'b' } } },
    { batch: { EMAIL: 'a@example.org', PARTNER: { EMAIL: 'b@example.org' } } },
    { emails: { a: '1' } },
    { rows: { a: { tags: [] } } },
    { ids: { a: 'x' } },
    { ids: { a: { b: 'c' } } },
  ])
    assert.deepEqual(read(given), given);
});

test('other structs are no arrays, and an array or struct elsewhere stays what it is', () => {
  for (const value of [
    { 1: 'x', a: 'y' },
    { '1.5': 'x' },
    { ' 1': 'x' },
    { '': 'x' },
    {},
    'x',
    ['x'],
    new Uint8Array([1]),
  ])
    assert.deepEqual(itemsOf(value), value);
  const given = { options: { 1: 'x' }, title: { 1: 'x' } };
  assert.deepEqual(read(given), given);
});

test('a member under another name is the member it means, unless that is given too', () => {
  assert.deepEqual(read({ options: { to_name: 'x', exact: '1' } }), { options: { to_email: 'x' } });
  assert.deepEqual(read({ options: { to_name: 'x', to_email: 'y' } }), { options: { to_email: 'y' } });
  assert.deepEqual(read({ name: 'TEXT' }), { name: 'plain' });
});

test('an empty struct or array in place of an optional scalar is not given', () => {
  assert.deepEqual(read({ title: {}, count: {}, flag: [], kind: {}, since: {}, ids: {} }), { ids: {} });
});

test('a date is read day first, or year first with any separator', () => {
  const dates: Record<string, string | undefined> = {
    '25/12/2015': '2015-12-25',
    '5.1.2015': '2015-01-05',
    '05-01-2015': '2015-01-05',
    '25/12/2015 14:30:00': '2015-12-25 14:30:00',
    '2015/12/25': '2015-12-25',
    '2015.1.5T00:00:00Z': '2015-01-05T00:00:00Z',
    // Not days: the reader of the date refuses them.
    '12/25/2015': '2015-25-12',
    '2015-12-25': undefined,
    '25/12/15': undefined,
    '25/12-2015': undefined,
    '20151225': undefined,
    soon: undefined,
  };
  for (const [text, iso] of Object.entries(dates)) assert.equal(isoDayOf(text), iso, text);
  assert.deepEqual(read({ since: '25/12/2015' }), { since: '2015-12-25' });
  assert.deepEqual(read({ title: '25/12/2015' }), { title: '25/12/2015' });
});

test('a date of zeros is not given', () => {
  for (const text of [
    '0000-00-00',
    '0000-00-00 00:00:00',
    '00/00/0000',
    '00.00.0000 00:00',
    '0000-00-00T00:00:00Z',
    '0001-01-01 00:00:00',
    '01.01.0001 00:00:00',
    '0000-00-00T00:00:00+00:00',
    '0000-00-00 00:00:00 +0100',
    '0001-01-01T00:00:00+01:00',
    '1/1/0001 12:00:00 AM',
    '01/01/0001 12:00:00 am',
    '1/1/0001 12:00:00\u202fAM',
    '1/1/0001',
    '30/11/-0001',
    '11/30/-0001',
    '30.11.-0001 00:00',
    '30-11--0001',
    '-0001-11-30',
    '-0001/11/30',
    '-0001-11-30 00:00:00',
    '-0001-11-30T00:00:00+00:00',
    '30 November -0001',
    'November 30, -0001',
    'Wed, 30 Nov -0001 00:00:00 +0000',
  ])
    assert.equal(isZeroDate(text), true, text);
  for (const text of [
    ...['2015-00-00', '0000-00-01', '0001-01-02', '', '0', '30/11/0001', '-0001-11-29', '30/11/2001'],
    ...['1/1/0001 12:30:00 AM', '0001-01-01 01:00:00', '0000-00-00 12:00:00', `0000-00-00${' '.repeat(1_000)}`],
  ])
    assert.equal(isZeroDate(text), false, text);
  assert.deepEqual(read({ since: '0000-00-00' }), {});
});

test('names of the values of a contact that cannot be tags lose their value, so that they are reported by name', () => {
  assert.deepEqual(tidyContact({ ' FNAME ': 'Ann', 'First name': 'x', 'a\tb': 'y', '1': 'z' }), {
    1: '',
    ...{ FNAME: 'Ann', 'First name': '', 'a b': '' },
  });
  assert.deepEqual(Object.keys(tidyContact({ [`${'x'.repeat(201)}`]: 1 }) as object), ['x'.repeat(200)]);
  assert.deepEqual(tidyContact({ [`n${UNREADABLE}`]: 1 }), { 'n\ufffd': '' });
  assert.deepEqual(tidyContact(['', '']), ['', ''], 'an empty struct of PHP');
  assert.deepEqual(tidyContact(['', 'x']), { 0: '', 1: '' });
  assert.equal(tidyContact('x'), 'x');
});

test('a decimal comma becomes a point, unless it may divide thousands', () => {
  for (const [given, expected] of [
    ['12,5', '12.5'],
    [' -1,50 ', '-1.50'],
    ['0,234', '0.234'],
    ['1234,567', '1234.567'],
    ['1,2345', '1.2345'],
    ['1,234', '1,234'],
    ['-123,456', '-123,456'],
    ['1,2,3', '1,2,3'],
    ['12', '12'],
    ['a,b', 'a,b'],
  ] as const)
    assert.equal(decimalOf(given), expected, given);
});

test('a word for nothing is no value where no text is due, and a text where one is', () => {
  assert.deepEqual(read({ count: 'NULL', flag: 'none', kind: 'nil', title: 'Null', since: 'undefined' }), {
    title: 'Null',
  });
  const words = params({ kind: oneOf('A word.', ['none', 'all']).optional() });
  assert.deepEqual(asPublished(words, { kind: 'none' }), { kind: 'none' });
  for (const text of ['null', ' (null) ', 'Undefined', 'nil', 'None']) assert.equal(isNothing(text), true, text);
  for (const text of ['', 'nullable', 'no']) assert.equal(isNothing(text), false, text);
});
