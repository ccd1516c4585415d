// When refusals by policy stop a campaign, and when they do not.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Breaker, type Trip } from './breaker.ts';

/** Adds a row of outcomes, p for policy, v for overtaken and o for other. @returns the first trip and after how many it came */
function firstTrip(outcomes: string): { at: number; trip: Trip } | undefined {
  const breaker = new Breaker();
  for (const [i, letter] of [...outcomes].entries()) {
    const trip = breaker.add(letter === 'p' ? 'policy' : letter === 'v' ? 'overtaken' : 'other');
    if (trip) return { at: i + 1, trip };
  }
  return undefined;
}

const row: Trip = { because: 'row', refused: 20 };

for (const [name, outcomes, expected] of [
  ['nothing', '', undefined],
  ['19 refusals and no more', 'p'.repeat(19), undefined],
  ['20 refusals from the start', 'p'.repeat(20), { at: 20, trip: row }],
  ['20 refusals in a row after 1,000 taken', `${'o'.repeat(1000)}${'p'.repeat(25)}`, { at: 1020, trip: row }],
  [
    '19 refusals, one taken, 19 refusals after 1,000 taken',
    `${'o'.repeat(1000)}${'p'.repeat(19)}o${'p'.repeat(19)}`,
    undefined,
  ],
  ['60 overtaken ones at the end of 400 taken', `${'o'.repeat(400)}${'v'.repeat(60)}`, undefined],
  [
    'twelve of twenty-four overtaken',
    `${'o'.repeat(12)}${'v'.repeat(12)}`,
    { at: 24, trip: { because: 'share', refused: 12, of: 24 } },
  ],
  ['overtaken ones within a row', `${'o'.repeat(400)}${'pv'.repeat(19)}p`, { at: 439, trip: row }],
  ['twelve of twenty, none at the end', `${'p'.repeat(12)}${'o'.repeat(8)}`, undefined],
  [
    'twelve of twenty and one more',
    `${'p'.repeat(12)}${'o'.repeat(8)}p`,
    { at: 21, trip: { because: 'share', refused: 13, of: 21 } },
  ],
  ['every second one', 'op'.repeat(10), { at: 20, trip: { because: 'share', refused: 10, of: 20 } }],
  ['every third one', 'oop'.repeat(300), undefined],
  ['nine of nineteen, then taken', `${'op'.repeat(9)}${'o'.repeat(200)}`, undefined],
  [
    'half of the last 200 although most of the campaign went well',
    `${'o'.repeat(5000)}${'ppo'.repeat(100)}`,
    // In ppo the 100th refusal is the 149th outcome... of 200, the other 51 are from before.
    { at: 5149, trip: { because: 'share', refused: 100, of: 200 } },
  ],
] as const) {
  test(`the breaker with ${name} ${expected ? 'trips' : 'does not trip'}`, () => {
    assert.deepEqual(firstTrip(outcomes), expected);
  });
}

test('the breaker agrees with a plain count of the last 200', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 700 }), (refusals) => {
      const breaker = new Breaker();
      for (let i = 0; i < refusals.length; i++) {
        const tripped = breaker.add(refusals[i] ? 'policy' : 'other') !== undefined;
        const last = refusals.slice(Math.max(0, i - 199), i + 1);
        const share = refusals[i] === true && last.length >= 20 && last.filter(Boolean).length * 2 >= last.length;
        const inRow = i >= 19 && refusals.slice(i - 19, i + 1).every(Boolean);
        assert.equal(tripped, share || inRow);
      }
    }),
  );
});
