// Shares of a relay: what all workers may do together.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseSmtpUrl } from '../../base/relay/relay.ts';
import { shareOf } from './worker-share.ts';

const sharesOf = (url: string, count: number) =>
  Array.from({ length: count }, (_, place) => shareOf(parseSmtpUrl(url), { count, place }));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

test('the workers share all connections and the whole rate of a relay, as evenly as whole numbers allow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 1, max: 200 }),
      fc.domain(),
      (connections, count, host) => {
        const shares = sharesOf(`smtp://${host}?connections=${connections}&rate=90`, count);
        const each = shares.map((share) => share?.connections ?? 0);
        assert.equal(sum(each), connections);
        assert.ok(Math.max(...each) - Math.min(...each) <= 1);
        assert.ok(Math.abs(sum(shares.map((share) => share?.ratePerSecond ?? 0)) - 90) < 1e-6);
      },
    ),
  );
});

test('a single worker has the whole relay', () => {
  const relay = parseSmtpUrl('smtp://mail.example:25?connections=7&rate=3');
  assert.deepEqual(shareOf(relay, { count: 1, place: 0 }), relay);
});

test('a relay with fewer connections than workers is used by as many workers as it has connections', () => {
  const shares = sharesOf('smtp://mail.example:25?connections=2&rate=10', 5);
  assert.deepEqual(
    shares.flatMap((share) => (share ? [[share.connections, share.ratePerSecond]] : [])),
    [
      [1, 5],
      [1, 5],
    ],
  );
});

test('relays with a single connection are not all used by the same worker', () => {
  const ports = Array.from({ length: 30 }, (_, n) => 2_500 + n);
  const users = ports.map((port) => sharesOf(`smtp://mail.example:${port}?connections=1`, 3).findIndex(Boolean));
  assert.deepEqual(new Set(users), new Set([0, 1, 2]));
});
