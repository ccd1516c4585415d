// The short name of a statement in traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Recorder, type SpanOptions, setRecorder } from '../base/spans.ts';
import { statementSpan, summaryOf } from './statement-span.ts';

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

test('the span of a statement has its text, cut at 2000 characters, and the name of the database system', async () => {
  const spans: [string, SpanOptions][] = [];
  setRecorder({
    isRecording: () => true,
    inSpan: (name: string, options: SpanOptions, work: (span: object) => unknown) => {
      spans.push([name, options]);
      return work({});
    },
  } as unknown as Recorder);
  try {
    const text = `select id from campaign where ${'a'.repeat(2_000)}`;
    assert.equal(await statementSpan(`\n  ${text}`, async () => 'rows'), 'rows');
    assert.deepEqual(spans, [
      [
        'select campaign',
        {
          kind: 'client',
          attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, 2_000) },
        },
      ],
    ]);
  } finally {
    setRecorder(undefined);
  }
});
