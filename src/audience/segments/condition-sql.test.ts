// The SQL that filters compile to, as text: how conditions are joined. segments.test.ts and segment-property.test.ts
// check against real rows what they match.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Match, SegmentFilter } from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import type { Whole } from './scope.ts';

const scope = { accountId: 1, listId: 2, zone: 'UTC' };
const text = (match: Match, filter: SegmentFilter, must?: boolean, whole?: Whole) =>
  segmentCondition(match, filter, { ...scope, ...(whole && { whole }) }, must)
    .text.replace(/\s+/g, ' ')
    .trim();
const onEmail: Condition = { field: 'EMAIL', condition: 'isany', value: '' };
const onSource: Condition = { field: 'signup_source', condition: 'isany', value: '' };
const onTime: Condition = { field: 'confirm_time', condition: 'isany', value: '' };
const email = "(c.email_key <> '')";
const source = "(s.source <> '')";
const time = '(s.confirm_at is not null)';

test('all joins with and, any with or, none denies them, groups in brackets', () => {
  const table: [match: Match, filter: SegmentFilter, expected: string][] = [
    ['all', [], 'true'],
    ['any', [], 'false'],
    ['all', [onEmail], `(${email})`],
    ['any', [onEmail], `(${email})`],
    ['all', [onEmail, onSource], `(${email} and ${source})`],
    ['any', [onEmail, onSource], `(${email} or ${source})`],
    ['all', [onEmail, onSource, onTime], `(${email} and ${source} and ${time})`],
    ['any', [onEmail, onSource, onTime], `(${email} or ${source} or ${time})`],
    ['all', [onEmail, { match: 'any', filter: [onSource, onTime] }], `(${email} and (${source} or ${time}))`],
    ['any', [onEmail, { match: 'all', filter: [onSource, onTime] }], `(${email} or (${source} and ${time}))`],
    ['all', [onEmail, { match: 'any', filter: [] }], `(${email} and false)`],
    ['any', [onEmail, { match: 'all', filter: [] }], `(${email} or true)`],
    ['none', [], 'true'],
    ['none', [onEmail], `((${email}) is not true)`],
    ['none', [onEmail, onTime], `((${email} or ${time}) is not true)`],
    [
      'all',
      [onEmail, { match: 'none', filter: [onSource, onTime] }],
      `(${email} and ((${source} or ${time}) is not true))`,
    ],
  ];
  for (const [match, filter, expected] of table) assert.equal(text(match, filter), expected);
});

test('a required activity becomes a join, one of several alternatives a hash table', () => {
  const opened: Condition = { field: 'opened', condition: 'is', value: 'b0000001' };
  const isJoin = (match: Match, filter: SegmentFilter, must?: boolean) => {
    const statement = text(match, filter, must, { latest: [], months: new Map(), events: new Map() });
    assert.notEqual(statement.includes('exists (select'), statement.includes('s.contact_id in (select'));
    return statement.includes('exists (select');
  };
  const table: [match: Match, filter: SegmentFilter, must: boolean | undefined, expected: boolean][] = [
    ['all', [opened], undefined, true],
    ['all', [opened], false, false],
    ['any', [opened], true, true],
    ['all', [opened, onEmail], true, true],
    ['any', [opened, onEmail], true, false],
    ['all', [{ match: 'all', filter: [opened, onEmail] }, onTime], true, true],
    ['all', [{ match: 'any', filter: [opened, onEmail] }, onTime], true, false],
    ['any', [{ match: 'all', filter: [opened] }, onTime], true, false],
    ['none', [opened], true, false],
    ['all', [{ match: 'none', filter: [opened] }, onEmail], true, false],
  ];
  for (const [match, filter, must, expected] of table)
    assert.equal(isJoin(match, filter, must), expected, JSON.stringify([match, filter, must]));
});

test('each built-in field compares its column, a merge tag the fields of the member', () => {
  const column: [field: string, expected: string][] = [
    ['EMAIL', "c.email_key <> ''"],
    ['DOMAIN', "c.domain <> ''"],
    ['LANGUAGE', "c.language <> ''"],
    ['TIMEZONE', "c.time_zone <> ''"],
    ['EMAIL_TYPE', "s.email_type <> ''"],
    ['signup_source', "s.source <> ''"],
    ['confirm_time', 's.confirm_at is not null'],
    ['signup_time', 's.signup_at is not null'],
    ['changed_time', 's.changed_at is not null'],
    ['FNAME', "coalesce(s.fields ->> $1, '') <> ''"],
  ];
  for (const [field, expected] of column)
    assert.equal(text('all', [{ field, condition: 'isany', value: '' }]), `((${expected}))`);
});

test('times are compared with the right limit, and negated as a whole', () => {
  const day = 's.confirm_at >= $1::timestamptz and s.confirm_at < $2::timestamptz';
  const table: [condition: Condition['condition'], value: string, expected: string][] = [
    ['greater', '2026-01-01', 's.confirm_at >= $1::timestamptz'],
    ['greater', '2026-01-01 10:00:00', 's.confirm_at > $1::timestamptz'],
    ['greater', '3 days', 's.confirm_at > now() - make_interval(days => $1)'],
    ['less', '2026-01-01', 's.confirm_at < $1::timestamptz'],
    ['less', '3 days', 's.confirm_at < now() - make_interval(days => $1)'],
    ['is', '2026-01-01', day],
    ['not', '2026-01-01', `s.confirm_at is null or not (${day})`],
  ];
  for (const [condition, value, expected] of table)
    assert.equal(text('all', [{ field: 'confirm_time', condition, value }]), `((${expected}))`, condition);
});

test('not and notoneof negate activities and list membership', () => {
  for (const field of ['opened', 'clicked', 'was_sent', 'clicked_link', 'list'])
    for (const [condition, negated] of [
      ['is', false],
      ['isoneof', false],
      ['not', true],
      ['notoneof', true],
    ] as const)
      assert.equal(text('all', [{ field, condition, value: 'b0000001' }]).startsWith('((not exists'), negated, field);
  for (const [condition, negated] of [
    ['contains', false],
    ['notcontain', true],
  ] as const)
    assert.equal(text('all', [{ field: 'clicked_link', condition, value: 'x' }]).startsWith('((not exists'), negated);
});

test('a condition on tags compares the whole set, one tag, or any of several', () => {
  const table: [condition: Condition['condition'], value: string, expected: string][] = [
    ['isany', '', "c.tags <> '{}'"],
    ['is', ' ', "c.tags = '{}'"],
    ['not', '', "c.tags <> '{}'"],
    ['is', 'vip', 'c.tags && $1::text[]'],
    ['isoneof', 'vip;lake', 'c.tags && $1::text[]'],
    ['not', 'vip', 'not (c.tags && $1::text[])'],
    ['notoneof', 'vip;lake', 'not (c.tags && $1::text[])'],
  ];
  for (const [condition, value, expected] of table)
    assert.equal(text('all', [{ field: 'contact_tag', condition, value }]), `((${expected}))`, condition);
  const tags = (condition: Condition['condition']) =>
    segmentCondition('all', [{ field: 'contact_tag', condition, value: 'VIP; Lake' }], scope).values;
  assert.deepEqual(tags('isoneof'), [['vip', 'lake']]);
  assert.deepEqual(tags('notoneof'), [['vip', 'lake']]);
  assert.deepEqual(tags('is'), [['vip; lake']], 'one tag may have a semicolon');
});

test('activity in campaigns is looked up where it is recorded', () => {
  for (const field of ['opened', 'clicked', 'not_opened', 'was_sent', 'failed'])
    assert.doesNotMatch(text('all', [{ field, condition: 'is', value: 'b0000001' }]), /fields ->>/, field);
});

test('an anniversary is near, a day is today', () => {
  assert.match(text('all', [{ field: 'signup_time', condition: 'anniversary', value: '3 days' }]), /s\.signup_at/);
  const today = text('all', [{ field: 'signup_time', condition: 'next', value: '' }]);
  assert.equal(today, '((s.signup_at >= $1::timestamptz and s.signup_at < $2::timestamptz))');
  assert.notEqual(text('all', [{ field: 'signup_time', condition: 'anniversary', value: '3 days' }]), today);
});
