// Choosing among relays: weights, pauses, reserves.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Choosable, firstRestMs, maxRestMs, RelayChoice } from './relay-choice.ts';

const relays = (...weights: number[]): Choosable[] => weights.map((weight, i) => ({ id: 'abcdefgh'[i]!, weight }));

function chosen(choice: RelayChoice<Choosable>, times: number, now = 0): string {
  return Array.from({ length: times }, () => {
    const found = choice.choose(now);
    return 'relay' in found ? found.relay.id : '-';
  }).join('');
}

test('relays are mixed evenly by weight', () => {
  assert.equal(chosen(new RelayChoice(relays(5, 1, 1)), 14), 'aabacaaaabacaa');
  assert.equal(chosen(new RelayChoice(relays(1, 1)), 6), 'ababab');
});

test('every full round gives each relay exactly its weight', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), (weights) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const letters = chosen(new RelayChoice(relays(...weights)), total * 3);
      for (const [i, weight] of weights.entries()) {
        assert.equal([...letters].filter((letter) => letter === 'abcdefgh'[i]).length, weight * 3);
      }
    }),
  );
});

test('a relay that cannot be reached rests, and the others take everything', () => {
  const choice = new RelayChoice(relays(1, 1, 1));
  choice.failed('b', 0);
  assert.equal(chosen(choice, 4, 1), 'acac');
  assert.equal(choice.restMs('b', 1000), firstRestMs - 1000);
});

test('each failure in a row doubles the rest up to the maximum; a success ends it', () => {
  const choice = new RelayChoice(relays(1));
  let now = 0;
  const rests = Array.from({ length: 8 }, () => {
    choice.failed('a', now);
    const ms = choice.restMs('a', now);
    now += ms;
    return ms / 1000;
  });
  assert.deepEqual(rests, [30, 60, 120, 240, 480, 600, 600, 600]);
  assert.equal(maxRestMs, 600_000);
  choice.worked('a');
  assert.equal(chosen(choice, 3, now), 'aaa');
  choice.failed('a', now);
  assert.equal(choice.restMs('a', now), firstRestMs);
});

test('twenty connections that fail together are one failure', () => {
  const choice = new RelayChoice(relays(1, 1));
  for (let i = 0; i < 20; i++) choice.failed('a', i);
  assert.equal(choice.restMs('a', 0), firstRestMs);
});

test('after a rest there is one attempt, and more only when it succeeds', () => {
  const choice = new RelayChoice(relays(1, 1));
  choice.failed('a', 0);
  assert.equal([...chosen(choice, 10, firstRestMs)].filter((letter) => letter === 'a').length, 1);
  choice.worked('a');
  assert.equal([...chosen(choice, 10, firstRestMs)].filter((letter) => letter === 'a').length, 5);
});

test('a relay of weight 0 is used only while all others rest', () => {
  const choice = new RelayChoice(relays(3, 0, 1));
  assert.doesNotMatch(chosen(choice, 100), /b/);
  choice.failed('a', 0);
  assert.equal(chosen(choice, 3, 1), 'ccc');
  choice.failed('c', 0);
  assert.equal(chosen(choice, 3, 1), 'bbb');
  // One try of each; until then, the reserve.
  assert.match(chosen(choice, 6, firstRestMs), /^(acbbbb|cabbbb)$/);
  choice.worked('a');
  assert.equal(chosen(choice, 3, firstRestMs), 'aaa');
});

test('a single relay that failed rests as well', () => {
  const choice = new RelayChoice(relays(1));
  choice.failed('a', 0);
  assert.deepEqual(choice.choose(0), { waitMs: firstRestMs });
  assert.equal(chosen(choice, 2, firstRestMs), 'a-');
});

test('a busy relay does not bring in the reserve', () => {
  const choice = new RelayChoice(relays(1, 0));
  assert.deepEqual(
    choice.choose(0, (relay) => relay.id !== 'a'),
    { waitMs: 100 },
  );
});

test('when all rest, the wait is the shortest rest', () => {
  const choice = new RelayChoice(relays(1, 1));
  choice.failed('a', 0);
  choice.failed('b', 10_000);
  assert.deepEqual(choice.choose(12_000), { waitMs: firstRestMs - 12_000 });
});

test('reserves are used in their order', () => {
  const choice = new RelayChoice(relays(1, 0, 0));
  choice.failed('a', 0);
  assert.equal(chosen(choice, 3, 1), 'bbb');
  choice.failed('b', 1);
  assert.equal(chosen(choice, 3, 2), 'ccc');
});

test('relays are replaced; those that are kept keep their rest, and others begin without one', () => {
  const choice = new RelayChoice(relays(1, 1));
  choice.failed('a', 0);
  choice.failed('b', 0);
  choice.replace(relays(1, 2, 1), new Set(['a']));
  assert.deepEqual([choice.restMs('a', 1), choice.restMs('b', 1)], [firstRestMs - 1, 0]);
  assert.equal(chosen(choice, 6, 1), 'bcbbcb');
  choice.replace([], new Set());
  assert.deepEqual(choice.choose(1), { waitMs: 100 });
});

test('the choice can be among some of the relays', () => {
  const choice = new RelayChoice(relays(1, 1, 0));
  const among = (...ids: string[]) => {
    const found = choice.choose(1, () => true, new Set(ids));
    return 'relay' in found ? found.relay.id : found.waitMs;
  };
  assert.deepEqual([among('b'), among('b', 'c'), among('c')], ['b', 'b', 'c']);
  choice.failed('b', 0);
  assert.deepEqual([among('b', 'c'), among('b')], ['c', firstRestMs - 1]);
});

test('unknown relays are bugs of the caller', () => {
  assert.throws(() => new RelayChoice(relays(1)).failed('z', 0), /unknown relay/);
});

test('a relay is doubtful after a failure until it works, and its rest counts down to 0', () => {
  const choice = new RelayChoice(relays(1));
  assert.equal(choice.isDoubtful('a'), false);
  choice.failed('a', 0);
  assert.equal(choice.isDoubtful('a'), true);
  assert.deepEqual(
    [0, 29_999, 30_000, 30_001].map((now) => choice.restMs('a', now)),
    [30_000, 1, 0, 0],
  );
  choice.worked('a');
  assert.deepEqual([choice.isDoubtful('a'), choice.restMs('a', 0)], [false, 0]);
});

test('a rest has at least the given length, and doubles however often it is repeated', () => {
  const rest = { firstMs: 1, maxMs: Number.MAX_VALUE };
  const choice = new RelayChoice(relays(1), rest);
  choice.failed('a', 0, 5_000);
  assert.equal(choice.restMs('a', 0), 5_000);
  choice.failed('a', 5_000);
  assert.equal(choice.restMs('a', 5_000), 2);
  let now = 10_000;
  let ms = 0;
  for (let i = 0; i < 40; i++) {
    choice.failed('a', now);
    ms = choice.restMs('a', now);
    now += ms;
  }
  assert.equal(ms, 2 ** 30);
});

test('the wait is short while a relay is tried after its rest', () => {
  const choice = new RelayChoice(relays(1, 1));
  for (const id of ['a', 'b']) choice.failed(id, 0);
  assert.equal(chosen(choice, 2, firstRestMs), 'ab');
  assert.deepEqual(choice.choose(firstRestMs), { waitMs: 100 });
  choice.failed('a', firstRestMs);
  assert.deepEqual(choice.choose(firstRestMs), { waitMs: 100 });
});

test('a relay that was tried after its rest and failed again is tried again after the next one', () => {
  const choice = new RelayChoice(relays(1));
  choice.failed('a', 0);
  assert.equal(chosen(choice, 1, firstRestMs), 'a');
  choice.failed('a', firstRestMs + 1);
  assert.equal(chosen(choice, 1, firstRestMs + 2), '-');
  assert.equal(chosen(choice, 1, firstRestMs * 3 + 1), 'a');
  choice.rest('a', firstRestMs * 4, 1_000);
  assert.equal(chosen(choice, 1, firstRestMs * 4 + 999), '-');
  assert.equal(chosen(choice, 1, firstRestMs * 4 + 1_000), 'a');
});
