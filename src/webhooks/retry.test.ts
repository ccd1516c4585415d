import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attemptOffsetsMs, maxInvalidAttempts, nextStep, type Request, switchOffAfterMs } from './retry.ts';

const now = new Date('2026-01-15T12:00:00Z');
const hour = 3_600_000;
const request: Request = { events: 100, failures: 0, failedAlone: 0, narrowed: false, failingMs: 0 };
const step = (status: number, failures: number, chance = 0.5, retryAfter?: string) =>
  nextStep({ status, retryAfter }, { ...request, failures }, chance, now);
/** The statuses that may concern the events rather than the receiver. */
const isAboutEvents = (status: number) =>
  status >= 400 && ![401, 403, 404, 405, 408, 410, 429, 502, 503, 504].includes(status);

test('attempts are made at 0, 5 s, 5 min, 30 min, 1 h, 2 h, 3 h and then every 3 h up to 72 h', () => {
  const offsets = [0];
  for (let failures = 0; ; failures++) {
    const next = step(503, failures);
    if (next.kind !== 'again') {
      assert.equal(next.kind, 'given_up');
      break;
    }
    offsets.push(offsets.at(-1)! + next.afterMs);
  }
  assert.deepEqual(offsets.slice(0, 9), [0, 5_000, 300_000, 1_800_000, hour, 2 * hour, 3 * hour, 6 * hour, 9 * hour]);
  assert.equal(offsets.at(-1), 72 * hour);
  assert.equal(offsets.length, attemptOffsetsMs.length);
});

test('F73: of all statuses from 100 to 599 the 2xx are successes, 410 disables the webhook, and all others are retried', () => {
  for (let status = 100; status <= 599; status++) {
    if (isAboutEvents(status)) {
      for (const failures of [1, 3, 30]) assert.equal(step(status, failures).kind, 'split', String(status));
      continue;
    }
    const expected = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'off' : 'again';
    for (const failures of [0, 3, 28]) {
      assert.equal(step(status, failures).kind, expected, `${status} after ${failures} failures`);
      // A receiver that asks for time gets it, whatever it answers, up to the pause after the coming one.
      const asked = step(status, failures, 0.5, '100000000');
      assert.equal(asked.kind, expected);
      const [coming, after] = [failures + 1, failures + 2].map(
        (n) => (attemptOffsetsMs[n] ?? 0) - attemptOffsetsMs[n - 1]!,
      );
      if (asked.kind === 'again') assert.equal(asked.afterMs, after! > 0 ? after : coming, String(status));
    }
    const last = step(status, attemptOffsetsMs.length - 1).kind;
    assert.equal(last, expected === 'again' ? 'given_up' : expected, `${status} to the last attempt`);
  }
});

test('every 2xx is a success; redirects, 4xx and 5xx are failures, and 410 disables the webhook', () => {
  for (const status of [200, 201, 204, 299]) assert.deepEqual(step(status, 3), { kind: 'delivered' });
  for (const status of [301, 302, 307, 401, 404, 429, 502, 503]) assert.equal(step(status, 3).kind, 'again');
  assert.deepEqual(step(410, 0), { kind: 'off', because: 'gone' });
});

test('five days of only failures disable a webhook, a moment less does not', () => {
  const failing = (failingMs: number) => ({ ...request, failures: 3, failingMs });
  assert.deepEqual(nextStep({ unreached: true }, failing(switchOffAfterMs), 0.5, now), {
    kind: 'off',
    because: 'failing',
  });
  assert.equal(nextStep({ unreached: true }, failing(switchOffAfterMs - 1), 0.5, now).kind, 'again');
  assert.equal(nextStep({ status: 200 }, failing(switchOffAfterMs), 0.5, now).kind, 'delivered');
});

test('a wait varies by at most 20 %, and Retry-After extends it at most to the end of the next one', () => {
  const failures = fc.integer({ min: 0, max: attemptOffsetsMs.length - 3 });
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(failures, chance, fc.integer({ min: 0, max: 1e8 }), (failed, of, seconds) => {
      const pause = (n: number) => attemptOffsetsMs[n]! - attemptOffsetsMs[n - 1]!;
      const plain = step(503, failed, of);
      const asked = step(503, failed, of, String(seconds));
      assert.ok(plain.kind === 'again' && asked.kind === 'again');
      assert.ok(Math.abs(plain.afterMs / pause(failed + 1) - 1) <= 0.2001);
      assert.ok(asked.afterMs >= plain.afterMs);
      assert.equal(asked.afterMs, Math.max(plain.afterMs, Math.min(seconds * 1000, pause(failed + 2))));
    }),
  );
});

test('Retry-After may be a date, and is ignored when it is neither number nor date', () => {
  const at = (text: string) => step(503, 0, 0.5, text);
  assert.deepEqual(at('Thu, 15 Jan 2026 12:01:00 GMT'), { kind: 'again', afterMs: 60_000 });
  assert.deepEqual(at('soon'), { kind: 'again', afterMs: 5_000 });
  assert.deepEqual(at('-5'), { kind: 'again', afterMs: 5_000 });
});

test('a request that is rejected twice is halved after five seconds, one that is too large at once', () => {
  const of = (status: number, given: Partial<Request>) => nextStep({ status }, { ...request, ...given }, 0.5, now);
  assert.deepEqual(of(400, {}), { kind: 'again', afterMs: 5_000 });
  assert.deepEqual(of(400, { failures: 1 }), { kind: 'split', maxEvents: 50, afterMs: 5_000 });
  assert.deepEqual(of(500, { narrowed: true, events: 3 }), { kind: 'split', maxEvents: 1, afterMs: 5_000 });
  assert.deepEqual(of(413, {}), { kind: 'split', maxEvents: 50, afterMs: 5_000 });
  // Nothing could come of asking an overloaded receiver more often.
  assert.equal(of(503, { failures: 1 }).kind, 'again');
});

test('an event that is rejected alone waits while the others go on, and is given up alone', () => {
  const alone = (status: number, given: Partial<Request>) =>
    nextStep({ status }, { ...request, events: 1, narrowed: true, ...given }, 0.5, now);
  assert.deepEqual(alone(500, {}), { kind: 'aside', eventAfterMs: 5_000, afterMs: 5_000 });
  assert.deepEqual(alone(500, { failures: 1, failedAlone: 1 }), { kind: 'aside', eventAfterMs: 295_000, afterMs: 0 });
  const attempts = (status: number) => {
    for (let failedAlone = 0; ; failedAlone++)
      if (alone(status, { failedAlone }).kind === 'given_up') return failedAlone + 1;
  };
  for (const status of [400, 413, 422]) assert.equal(attempts(status), maxInvalidAttempts);
  assert.equal(attempts(500), attemptOffsetsMs.length);
});

test('the limits are five days of failures and four attempts with an invalid event', () => {
  assert.equal(switchOffAfterMs, 5 * 24 * hour);
  assert.equal(maxInvalidAttempts, 4);
});

test('chance shortens or lengthens a pause by a fifth', () => {
  assert.deepEqual(step(503, 0, 0), { kind: 'again', afterMs: 4_000 });
  assert.deepEqual(step(503, 0, 1), { kind: 'again', afterMs: 6_000 });
});

test('an event that is rejected alone for the first time at the last attempt waits, and the others wait for three hours', () => {
  const last = { ...request, events: 1, failures: attemptOffsetsMs.length - 1 };
  assert.deepEqual(nextStep({ status: 500 }, last, 0.5, now), {
    kind: 'aside',
    eventAfterMs: 5_000,
    afterMs: 3 * hour,
  });
});
