import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSizeOf } from '../../../../../src/campaigns/model/division.ts';
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

test('the recipients are divided as the server divides them', () => {
  for (const recipients of [2, 10, 999])
    for (const share of [1, 33, 100]) {
      const draft = { ...noTest, on: true, share, variants: [emptyVariant] };
      assert.equal(divided(recipients, draft).rest, recipients - testSizeOf(recipients, share, 2));
    }
});
