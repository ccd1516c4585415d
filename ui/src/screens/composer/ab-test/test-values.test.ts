import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultOf } from '../../../api/types.ts';
import { divided, emptyVariant, noTest, settingOf, testOf } from './test-values.ts';

type Info = ResultOf<'campaignTestGet'>;

const variant = (changes: Partial<Info['variants'][number]>) => ({
  ...{ variant: 1, subject: 'News', preview_text: '', from_name: '', html: '', plain: '', differs: [] },
  ...{ recipients: 0, sent: 0, opens: 0, clicks: 0, unsubscribes: 0 },
  ...changes,
});
const info: Info = {
  ...{ on: true, share: 30, winner: 'opens', wait_minutes: 60, state: 'draft', test_recipients: 0, due_time: '' },
  ...{ chosen: -1, decided_time: '', decided_by: '', best: 0, confidence: 0, significant: false, summary: '' },
  rest: { recipients: 0, sent: 0, opens: 0, clicks: 0, unsubscribes: 0 },
  variants: [
    variant({ variant: 0 }),
    variant({ subject: 'Second', differs: ['subject'] }),
    variant({ html: '<p>x</p>', plain: 'x', differs: ['html', 'plain'] }),
  ],
};

test('a test is read as it can be stored again, with empty fields where a variant is as the campaign', () => {
  const draft = testOf(info);
  assert.deepEqual(
    draft.variants.map(({ subject, html }) => [subject, html]),
    [
      ['Second', ''],
      ['', '<p>x</p>'],
    ],
  );
  assert.deepEqual(settingOf('c1', draft, false), {
    cid: 'c1',
    share: 30,
    winner: 'opens',
    wait_minutes: 60,
    variants: [
      { subject: 'Second', preview_text: '', from_name: '', html: '' },
      { subject: '', preview_text: '', from_name: '', html: '<p>x</p>' },
    ],
  });
  assert.deepEqual(testOf({ ...info, on: false }), noTest);
});

test('at least one recipient gets each variant, and the others wait', () => {
  const draft = { ...noTest, on: true, share: 1, variants: [emptyVariant] };
  assert.deepEqual(divided(10, draft), { each: 1, rest: 8 });
  assert.deepEqual(divided(999, { ...draft, share: 33 }), { each: 165, rest: 669 });
});
