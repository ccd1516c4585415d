import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseBatch, maxBytes, maxEvents, type Waiting, writeBody } from './batch.ts';

const event = (id: number, type = 'contact.subscribe', bytes = 2): Waiting => ({
  id,
  eventId: `evt_${id}`,
  type,
  payload: JSON.stringify({ id: `evt_${id}`, text: 'é'.repeat(bytes / 2) }),
  failures: 0,
});

test('the body has exactly the members of the specification, with the events as stored', () => {
  const body = writeBody([event(1), event(2, 'email.open')], 'standard', 1_700_000_000).toString();
  assert.deepEqual(JSON.parse(body), {
    timestamp: 1_700_000_000,
    events: [
      { type: 'contact.subscribe', data: { id: 'evt_1', text: 'é' } },
      { type: 'email.open', data: { id: 'evt_2', text: 'é' } },
    ],
  });
});

test('times are seconds since 1970 in the classic format, and text in the format of the specification', () => {
  const data = {
    id: 'evt_1',
    ts: '2026-01-15 09:30:00',
    optin_ts: '2026-02-01 08:00:00',
    confirm_ts: '',
    fields: { ts: 'x' },
  };
  const stored = { ...event(1), payload: JSON.stringify(data) };
  const read = (format: 'classic' | 'standard') => JSON.parse(writeBody([stored], format, 1).toString());
  assert.deepEqual(read('classic').data, [{ ...data, ts: 1_768_469_400, optin_ts: 1_769_932_800 }]);
  assert.deepEqual(read('standard').events[0].data, data);
});

test('the classic format names one type and lists the data', () => {
  const body = writeBody([event(1), event(2)], 'classic', 1_700_000_000).toString();
  assert.deepEqual(JSON.parse(body), {
    hook: 'contact.subscribe',
    timestamp: 1_700_000_000,
    data: [
      { id: 'evt_1', text: 'é' },
      { id: 'evt_2', text: 'é' },
    ],
  });
  const mixed = [event(1), event(2), event(3, 'email.open'), event(4)];
  assert.deepEqual(
    chooseBatch(mixed, 'classic').map(({ id }) => id),
    [1, 2],
  );
  assert.equal(chooseBatch(mixed, 'standard').length, 4);
});

test('a request takes as many events as fit both limits, and at least one', () => {
  const sizes = fc.array(fc.integer({ min: 2, max: 60_000 }), { minLength: 1, maxLength: 150 });
  fc.assert(
    fc.property(sizes, fc.constantFrom('standard' as const, 'classic' as const), (bytes, format) => {
      const waiting = bytes.map((size, i) => event(i, 'email.click', size));
      const chosen = chooseBatch(waiting, format);
      assert.ok(chosen.length >= 1 && chosen.length <= maxEvents);
      assert.deepEqual(chosen, waiting.slice(0, chosen.length));
      assert.ok(chosen.length === 1 || writeBody(chosen, format, 1_700_000_000).length <= maxBytes);
      // Nothing that would have fitted easily is left behind.
      const next = waiting[chosen.length];
      if (next && chosen.length < maxEvents)
        assert.ok(writeBody([...chosen, next], format, 1_700_000_000).length > maxBytes - 5_000);
    }),
    { numRuns: 60 },
  );
  assert.equal(chooseBatch([event(1, 'email.click', 400_000), event(2)], 'standard').length, 1);
  assert.deepEqual(chooseBatch([], 'standard'), []);
});

test('an event that failed is sent alone, after those before it', () => {
  const failed = { ...event(2), failures: 1 };
  const idsOf = (waiting: Waiting[], limit?: number) => chooseBatch(waiting, 'standard', limit).map(({ id }) => id);
  assert.deepEqual(idsOf([event(1), failed, event(3)]), [1]);
  assert.deepEqual(idsOf([failed, event(3)]), [2]);
  assert.deepEqual(idsOf([event(1), event(3), event(4)], 2), [1, 3]);
});

test('a request has at most 256 KiB and 100 events', () => {
  assert.deepEqual([maxBytes, maxEvents], [262_144, 100]);
  const of = (bytes: number): Waiting => ({ ...event(1, 'a'), payload: 'x'.repeat(bytes) });
  const count = (bytes: number) => chooseBatch([of(0), of(bytes)], 'standard').length;
  // 200 bytes around the events, and 24 with the type for each of the two.
  assert.deepEqual([count(262_144 - 250), count(262_144 - 249)], [2, 1]);
});

test('only texts with the name of a time become seconds in the classic format', () => {
  const data = { ts: 5, open_ts: 'never', note: '2026-01-15 09:30:00', tsx: '2026-01-15 09:30:00', x_ts: null };
  const stored = { ...event(1), payload: JSON.stringify(data) };
  assert.deepEqual(JSON.parse(writeBody([stored], 'classic', 1).toString()).data, [data]);
});
