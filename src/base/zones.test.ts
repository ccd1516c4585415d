// F42: every clock change from 2024 to 2032 in every zone of Intl, computed here independently with Intl.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changesOf, clockOf, wallFrom, zones } from '../../test/support/judges/zone-changes.ts';
import { runs, sample, slowTest } from '../../test/support/run/runs.ts';
import { instantOf, isZone, timeMatchedAt, wallOf } from './zones.ts';

const secondMs = 1000;
const hourMs = 3_600_000;

const changesIn = (some: readonly string[]) => {
  const changes = some.flatMap((zone) => changesOf(zone, 2024, 2032));
  const gaps = changes.filter((change) => change.newMs > change.oldMs);
  const overlaps = changes.filter((change) => change.newMs < change.oldMs);
  return { changes, gaps, overlaps };
};
const { changes, gaps, overlaps } = changesIn(sample(zones, 8));

slowTest('F42: the zones and their changes of 2024 to 2032 are the expected ones', (t) => {
  const { changes, gaps, overlaps } = changesIn(zones);
  t.diagnostic(`${zones.length} zones, ${changes.length} changes, ${gaps.length} gaps, ${overlaps.length} overlaps`);
  assert.ok(zones.length >= 400);
  assert.ok(gaps.length > 1_000 && overlaps.length > 1_000);
  assert.equal(gaps.length + overlaps.length, changes.length);
});

test('F42: around every change the clocks show what Intl shows', () => {
  for (const { zone, atMs, oldMs, newMs } of changes) {
    assert.deepEqual(wallOf(new Date(atMs - secondMs), zone), wallFrom(oldMs - secondMs), zone);
    assert.deepEqual(wallOf(new Date(atMs), zone), wallFrom(newMs), zone);
    assert.deepEqual(wallOf(new Date(atMs + secondMs), zone), wallFrom(newMs + secondMs), zone);
    assert.deepEqual(wallOf(new Date(atMs + 999), zone), wallFrom(newMs), zone);
  }
});

test('F42: a wall time inside a gap stands for the first instant after it, to the second', () => {
  for (const { zone, atMs, oldMs, newMs } of gaps) {
    const middle = oldMs + Math.floor((newMs - oldMs) / 2 / secondMs) * secondMs;
    const expected: [number, number][] = [
      [oldMs - secondMs, atMs - secondMs],
      [oldMs, atMs],
      [oldMs + secondMs, atMs],
      [middle, atMs],
      [newMs - secondMs, atMs],
      [newMs, atMs],
      [newMs + secondMs, atMs + secondMs],
    ];
    for (const [wall, at] of expected) {
      assert.equal(instantOf(wallFrom(wall), zone).getTime(), at, `${zone} ${new Date(wall).toISOString()}`);
    }
  }
});

test('F42: a wall time inside an overlap stands for its first occurrence, to the second', () => {
  for (const { zone, atMs, oldMs, newMs } of overlaps) {
    const length = oldMs - newMs;
    const expected: [number, number][] = [
      [newMs - secondMs, atMs - length - secondMs],
      [newMs, atMs - length],
      [newMs + secondMs, atMs - length + secondMs],
      [oldMs - secondMs, atMs - secondMs],
      // The first second after the overlap exists once only.
      [oldMs, atMs + length],
      [oldMs + secondMs, atMs + length + secondMs],
    ];
    for (const [wall, at] of expected) {
      assert.equal(instantOf(wallFrom(wall), zone).getTime(), at, `${zone} ${new Date(wall).toISOString()}`);
    }
  }
});

test('F42: time-matched delivery around every change is due once, at the wall time or right after the gap', () => {
  for (const { zone, atMs, oldMs, newMs } of changes) {
    const wall = Math.min(oldMs, newMs) + 60 * secondMs;
    // The account's clocks are GMT, so the schedule is the wall time itself.
    const due = timeMatchedAt({
      scheduledAt: new Date(wall),
      accountZone: 'UTC',
      contactZone: zone,
      now: new Date(atMs - 48 * hourMs),
      whenPast: 'next-day',
    });
    const expected = newMs > oldMs ? atMs : atMs - (oldMs - newMs) + 60 * secondMs;
    assert.equal(due.getTime(), expected, zone);
  }
});

test('an instant comes back through its wall time, unless it is in the second half of an overlap', () => {
  const span = fc.integer({ min: 0, max: Date.UTC(2099, 11, 31) / secondMs });
  fc.assert(
    fc.property(fc.constantFrom(...zones), span, (zone, seconds) => {
      const ms = seconds * secondMs;
      const wall = wallOf(new Date(ms), zone);
      const back = instantOf(wall, zone).getTime();
      assert.ok(back <= ms);
      assert.deepEqual(wallOf(new Date(back), zone), wall);
      assert.equal(wallFrom(clockOf(zone)(ms)).minute, wall.minute);
    }),
    { numRuns: runs(1500) },
  );
});

test('the order of wall times is the order of their instants', () => {
  const wallMs = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2033, 0, 1) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), wallMs, fc.nat(3 * 24 * hourMs), (zone, ms, more) => {
      assert.ok(instantOf(wallFrom(ms), zone) <= instantOf(wallFrom(ms + more), zone));
    }),
    { numRuns: runs(5000) },
  );
});

const byHand: [string, string, string][] = [
  // [zone, wall, instant]
  ['Europe/Berlin', '2026-07-01 12:00:00', '2026-07-01T10:00:00Z'],
  ['Europe/Berlin', '2026-01-01 12:00:00', '2026-01-01T11:00:00Z'],
  ['Europe/Berlin', '2026-03-29 02:30:00', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25 02:30:00', '2026-10-25T00:30:00Z'],
  ['America/New_York', '2026-03-08 02:00:00', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01 01:59:59', '2026-11-01T05:59:59Z'],
  ['Australia/Lord_Howe', '2026-10-04 02:15:00', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-05 01:45:00', '2026-04-04T14:45:00Z'],
  ['Africa/Cairo', '2026-04-24 00:00:00', '2026-04-23T22:00:00Z'],
  ['America/Santiago', '2026-09-06 00:00:00', '2026-09-06T04:00:00Z'],
  ['Asia/Kolkata', '2026-01-01 00:00:00', '2025-12-31T18:30:00Z'],
  ['Asia/Kathmandu', '2026-01-01 00:00:00', '2025-12-31T18:15:00Z'],
  ['Pacific/Kiritimati', '2026-01-01 00:00:00', '2025-12-31T10:00:00Z'],
  ['Pacific/Pago_Pago', '2026-01-01 00:00:00', '2026-01-01T11:00:00Z'],
  ['Etc/GMT+12', '2025-12-31 23:59:59', '2026-01-01T11:59:59Z'],
  ['UTC', '2026-12-31 23:59:59', '2026-12-31T23:59:59Z'],
  // Samoa had no 30 December 2011, Liberia an offset with seconds until 1972.
  ['Pacific/Apia', '2011-12-30 12:00:00', '2011-12-30T10:00:00Z'],
  ['Africa/Monrovia', '1971-06-01 00:00:00', '1971-06-01T00:44:30Z'],
  ['europe/berlin', '2026-07-01 12:00:00', '2026-07-01T10:00:00Z'],
];
test('examples of wall times, in zones with half hours, quarter hours, a lost day and seconds', () => {
  for (const [zone, wall, instant] of byHand) {
    const at = instantOf(wallFrom(Date.parse(`${wall.replace(' ', 'T')}Z`)), zone);
    assert.equal(at.toISOString().replace('.000', ''), instant, `${zone} ${wall}`);
  }
});

test('zone names are accepted in any case; offsets and unknown names are not', () => {
  for (const name of [...zones, 'UTC', 'GMT', 'EST5EDT', 'Etc/GMT+5', 'Asia/Calcutta', 'europe/berlin']) {
    assert.equal(isZone(name), true, name);
  }
  const others = [
    '',
    ' ',
    '+01:00',
    '-0500',
    'GMT+1',
    'Z',
    'CEST?',
    'Europe/Nope',
    'Europe/Berlin ',
    'Europe/Berlin\n',
  ];
  for (const name of [
    ...others,
    '__proto__',
    'constructor',
    '../etc/passwd',
    'E'.repeat(10_000),
    '欧/柏林',
    '1',
    'Mars/Base',
  ]) {
    assert.equal(isZone(name), false, JSON.stringify(name.slice(0, 40)));
    assert.throws(() => wallOf(new Date(0), name), RangeError);
  }
});

const schedule = { scheduledAt: new Date('2026-10-01T08:00:00Z'), accountZone: 'Europe/Berlin' } as const; // 10:00 there
const dueIn = (contactZone: string, now: string, whenPast: 'at-once' | 'next-day'): string =>
  timeMatchedAt({ ...schedule, contactZone, now: new Date(now), whenPast })
    .toISOString()
    .slice(0, 19);

test('time-matched delivery comes at 10:00 by the clocks of each contact', () => {
  const now = '2026-09-28T00:00:00Z';
  assert.equal(dueIn('Europe/Berlin', now, 'at-once'), '2026-10-01T08:00:00');
  assert.equal(dueIn('America/Los_Angeles', now, 'at-once'), '2026-10-01T17:00:00');
  assert.equal(dueIn('Asia/Tokyo', now, 'at-once'), '2026-10-01T01:00:00');
  assert.equal(dueIn('Pacific/Kiritimati', now, 'at-once'), '2026-09-30T20:00:00');
  assert.equal(dueIn('Pacific/Pago_Pago', now, 'at-once'), '2026-10-01T21:00:00');
});

test('a contact whose 10:00 has passed gets the message at once or the next day, by the setting', () => {
  const now = '2026-10-01T07:00:00Z'; // 16:00 in Tokyo
  assert.equal(dueIn('Asia/Tokyo', now, 'at-once'), '2026-10-01T07:00:00');
  assert.equal(dueIn('Asia/Tokyo', now, 'next-day'), '2026-10-02T01:00:00');
  assert.equal(dueIn('Asia/Tokyo', '2026-10-01T01:00:00Z', 'next-day'), '2026-10-01T01:00:00');
  assert.equal(dueIn('Asia/Tokyo', '2026-10-01T01:00:01Z', 'next-day'), '2026-10-02T01:00:00');
  // Found days late, the next 10:00 still counts from now.
  assert.equal(dueIn('Asia/Tokyo', '2026-10-05T00:30:00Z', 'next-day'), '2026-10-05T01:00:00');
});

test('no zone is due before the Line Islands, and none later than 26 hours after them', () => {
  const wall = wallOf(schedule.scheduledAt, schedule.accountZone);
  const earliest = instantOf(wall, 'Pacific/Kiritimati').getTime();
  const dues = zones.map((zone) => Date.parse(`${dueIn(zone, '2026-09-28T00:00:00Z', 'at-once')}Z`));
  assert.equal(Math.min(...dues), earliest);
  assert.ok(Math.max(...dues) <= earliest + 26 * hourMs);
});

slowTest('100,000 due times in all zones take less than a second of CPU', () => {
  const now = new Date('2026-09-28T00:00:00Z');
  for (const zone of zones) instantOf(wallOf(schedule.scheduledAt, schedule.accountZone), zone);
  const begin = process.cpuUsage();
  for (let i = 0; i < 100_000; i++) {
    timeMatchedAt({ ...schedule, contactZone: zones[i % zones.length]!, now, whenPast: 'at-once' });
  }
  assert.ok(process.cpuUsage(begin).user < 3_000_000);
});
