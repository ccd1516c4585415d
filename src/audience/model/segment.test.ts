// Filters as data: which objects a filter uses, and how numbers, days and "last N" are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  builtInField,
  campaignNamed,
  conditions,
  daysOf,
  isActivityField,
  isCampaignField,
  isNumber,
  latestOf,
  renameField,
  type SegmentFilter,
  usesActions,
  usesContact,
  usesField,
  usesTime,
} from './segment.ts';

const on = (field: string): SegmentFilter => [{ field, condition: 'is', value: 'x' }];
const nested = (field: string): SegmentFilter => [
  ...on('FNAME'),
  { match: 'any', filter: [...on('LNAME'), ...on(field)] },
];

test('built-in fields are found in any case, merge tags are not among them', () => {
  const table: [name: string, expected: string | undefined][] = [
    ['EMAIL', 'EMAIL'],
    ['email', 'EMAIL'],
    [' Opened ', 'opened'],
    ['CLICKED_LINK', 'clicked_link'],
    ['list', 'list'],
    ['FNAME', undefined],
    ['', undefined],
  ];
  for (const [name, expected] of table) assert.equal(builtInField(name), expected, name);
});

test('a filter uses the contact, times or campaigns by its fields, also inside groups', () => {
  const table: [field: string, contact: boolean, time: boolean, campaign: boolean][] = [
    ['EMAIL', true, false, false],
    ['DOMAIN', true, false, false],
    ['LANGUAGE', true, false, false],
    ['TIMEZONE', true, false, false],
    ['EMAIL_TYPE', false, false, false],
    ['signup_source', false, false, false],
    ['confirm_time', false, true, false],
    ['signup_time', false, true, false],
    ['changed_time', false, true, false],
    ['opened', false, false, true],
    ['clicked', false, false, true],
    ['not_opened', false, false, true],
    ['was_sent', false, false, true],
    ['clicked_link', false, false, false],
    ['list', false, false, false],
    ['FNAME', false, false, false],
  ];
  for (const [field, contact, time, campaign] of table) {
    for (const filter of [on(field), nested(field)]) {
      assert.equal(usesContact(filter), contact, field);
      assert.equal(usesTime(filter), time, field);
    }
    assert.equal(isCampaignField(builtInField(field)), campaign, field);
  }
  assert.equal(usesContact([]), false);
  assert.equal(usesField([], 'FNAME'), false);
});

test('a merge field is found and renamed wherever a filter compares it', () => {
  assert.equal(usesField(on('AGE'), 'AGE'), true);
  assert.equal(usesField(nested('AGE'), 'AGE'), true);
  assert.equal(usesField(nested('AGE'), 'SHOE'), false);
  assert.equal(usesField(on('EMAIL'), 'EMAIL'), false, 'a built-in field is no merge field');
  assert.deepEqual(renameField(nested('AGE'), 'AGE', 'YEARS'), nested('YEARS'));
  assert.deepEqual(renameField(nested('AGE'), 'SHOE', 'YEARS'), nested('AGE'));
  assert.deepEqual(renameField(on('EMAIL'), 'EMAIL', 'YEARS'), on('EMAIL'));
});

test('numbers, days and latest campaigns are read strictly', () => {
  for (const text of ['0', '7', '-7', '+7', '1.5', ' 36 ', '123456789012345', '1.0123456789'])
    assert.equal(isNumber(text), true, text);
  for (const text of ['', 'x', '1.', '.5', '1e5', '--1', '1 2', '1234567890123456', '1.01234567890'])
    assert.equal(isNumber(text), false, text);
  const days: [text: string, expected: number | undefined][] = [
    ['0 days', 0],
    ['1 day', 1],
    [' 30 Days ', 30],
    ['99999 days', 99_999],
    ['100000 days', undefined],
    ['30', undefined],
    ['30 daysx', undefined],
  ];
  for (const [text, expected] of days) assert.equal(daysOf(text), expected, text);
  const latest: [text: string, expected: number | undefined][] = [
    ['last 0', 0],
    ['last 5', 5],
    [' LAST 999 ', 999],
    ['last 1000', undefined],
    ['last', undefined],
    ['at last 5', undefined],
  ];
  for (const [text, expected] of latest) assert.equal(latestOf(text), expected, text);
});

test('the conditions are those of the API', () => {
  assert.equal(
    conditions.join(' '),
    'is not isany isoneof notoneof contains notcontain starts ends greater less next anniversary hasany hasall hasnone',
  );
});

test('a condition names a campaign unless it is about another field, the last campaigns or days', () => {
  const named = (field: string, value: string) => campaignNamed({ field, condition: 'is', value });
  assert.equal(named('OPENED', ' 1a2b '), '1a2b');
  assert.equal(named('FNAME', '1a2b'), undefined);
  assert.equal(named('EMAIL', '1a2b'), undefined);
  assert.equal(named('opened', 'last 5'), undefined);
  assert.equal(named('clicked', '30 days'), undefined);
});

test('only opens and clicks are activity with messages', () => {
  const fields = ['opened', 'clicked', 'not_opened', 'EMAIL', undefined] as const;
  assert.deepEqual(fields.filter(isActivityField), ['opened', 'clicked']);
});

test('a filter is about actions if any of its conditions is about what contacts did', () => {
  const of = (field: string) => usesActions([{ match: 'any', filter: [{ field, condition: 'is', value: 'x' }] }]);
  for (const field of ['opened', 'clicked', 'not_opened', 'was_sent', 'failed', 'clicked_link'])
    assert.equal(of(field), true, field);
  for (const field of ['EMAIL', 'contact_tag', 'signup_time', 'FNAME']) assert.equal(of(field), false, field);
});
