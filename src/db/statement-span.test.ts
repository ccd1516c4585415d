// The short name of a statement in traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryOf } from './statement-span.ts';

const cases: [string, string][] = [
  ['select id from campaign where id = $1', 'select campaign'],
  ['\n  INSERT INTO delivery (a, b)\n  select a, b from member', 'insert delivery'],
  [
    'with due as (select id from chunk where (a or (b)) for update) update chunk set state = 1 from due',
    'update chunk',
  ],
  ['delete from webhook_attempt where at < (select now())', 'delete webhook_attempt'],
  ['select count(*) from (select 1 from contact) as found', 'select'],
  ["select pg_notify('x', '')", 'select'],
  ['lock table chunk', 'lock chunk'],
  ['', 'statement'],
  ['(((((', 'statement'],
];

for (const [text, summary] of cases)
  test(`"${text.trim().slice(0, 50)}" is "${summary}"`, () => assert.equal(summaryOf(text), summary));
