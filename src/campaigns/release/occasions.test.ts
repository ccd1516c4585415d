// When autoresponders are due: example tables, every clock change, and properties against a plain search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changesOf, zones } from '../../../test/support/judges/zone-changes.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { dayNumber, formatDay, parseDay } from '../../base/calendar.ts';
import { instantOf, wallOf } from '../../base/zones.ts';
import {
  anniversariesToCheck,
  daysToCheck,
  nextOccasion,
  type OccasionFacts,
  type OccasionRule,
  occasionsBetween,
} from './occasions.ts';

const rule = (words: string): OccasionRule => {
  // "2 months after signup"
  const [time, units, dir, event] = words.split(' ');
  return {
    time: Number(time),
    units: units!.replace(/s$/, '') as OccasionRule['units'],
    dir: dir as OccasionRule['dir'],
    event: event as OccasionRule['event'],
  };
};
const stamp = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');
const show = (found: ReturnType<typeof nextOccasion>): string =>
  found ? `${found.key} ${stamp(found.dueAt)}` : 'none';
const long = new Date('1900-01-01T00:00:00Z');

const signups: [string, string, string, string][] = [
  // [rule, signed up (GMT), zone, due (GMT)]
  ['1 day after signup', '2026-03-10 14:15:16', 'UTC', '2026-03-11 14:15:16'],
  ['2 weeks after signup', '2026-03-10 14:15:16', 'UTC', '2026-03-24 14:15:16'],
  ['1 month after signup', '2026-03-10 14:15:16', 'UTC', '2026-04-10 14:15:16'],
  ['1 year after signup', '2026-03-10 14:15:16', 'UTC', '2027-03-10 14:15:16'],
  ['365 days after signup', '2023-12-31 00:00:00', 'UTC', '2024-12-30 00:00:00'],
  ['52 weeks after signup', '2026-01-01 00:00:00', 'UTC', '2026-12-31 00:00:00'],
  ['1 month after signup', '2026-01-31 10:00:00', 'UTC', '2026-02-28 10:00:00'],
  ['1 month after signup', '2024-01-31 10:00:00', 'UTC', '2024-02-29 10:00:00'],
  ['1 month after signup', '2024-01-30 10:00:00', 'UTC', '2024-02-29 10:00:00'],
  ['3 months after signup', '2026-11-30 10:00:00', 'UTC', '2027-02-28 10:00:00'],
  ['12 months after signup', '2024-02-29 10:00:00', 'UTC', '2025-02-28 10:00:00'],
  ['1 year after signup', '2024-02-29 10:00:00', 'UTC', '2025-02-28 10:00:00'],
  ['4 years after signup', '2024-02-29 10:00:00', 'UTC', '2028-02-29 10:00:00'],
  ['4 years after signup', '2096-02-29 10:00:00', 'UTC', '2100-02-28 10:00:00'],
  ['1 day after signup', '2026-12-31 23:59:59', 'UTC', '2027-01-01 23:59:59'],
  // The same time by the contact's clocks, which have been moved in between.
  ['1 day after signup', '2026-03-28 11:00:00', 'Europe/Berlin', '2026-03-29 10:00:00'],
  ['1 day after signup', '2026-10-24 10:00:00', 'Europe/Berlin', '2026-10-25 11:00:00'],
  ['1 day after signup', '2026-03-28 01:30:00', 'Europe/Berlin', '2026-03-29 01:00:00'],
  ['1 day after signup', '2026-10-24 00:30:00', 'Europe/Berlin', '2026-10-25 00:30:00'],
  // Signed up in the second 02:30 of that night.
  ['1 day after signup', '2026-10-25 01:30:00', 'Europe/Berlin', '2026-10-26 01:30:00'],
  // By the contact's clocks it was the 31st already.
  ['1 month after signup', '2026-01-30 20:00:00', 'Asia/Tokyo', '2026-02-27 20:00:00'],
  ['1 month after signup', '2026-02-01 03:00:00', 'America/New_York', '2026-03-01 03:00:00'],
];
test('after a signup the message is due at the same local time of day of the contact', () => {
  for (const [words, signedUp, zone, due] of signups) {
    const facts = { signupAt: new Date(`${signedUp.replace(' ', 'T')}Z`), day: null, zone };
    assert.equal(show(nextOccasion(rule(words), facts, long)), `signup ${due}`, `${words} ${signedUp} ${zone}`);
  }
});

test('a send hour moves the message to that hour of its due day', () => {
  const facts: OccasionFacts = {
    signupAt: new Date('2026-06-01T21:30:00Z'),
    day: null,
    zone: 'Europe/Berlin',
    sendHour: 8,
  };
  assert.equal(show(nextOccasion(rule('1 day after signup'), facts, long)), 'signup 2026-06-02 06:00:00');
  const dated = { signupAt: null, day: parseDay('2026-06-01'), zone: 'Europe/Berlin' };
  assert.equal(show(nextOccasion(rule('1 day after date'), dated, long)), '2026-06-01 2026-06-02 07:00:00');
  const midnight = { ...dated, sendHour: 0 };
  assert.equal(show(nextOccasion(rule('1 day after date'), midnight, long)), '2026-06-01 2026-06-01 22:00:00');
});

test('nothing is due before a signup, without a signup, or without a date', () => {
  const facts = { signupAt: new Date('2026-06-01T00:00:00Z'), day: null, zone: 'UTC' };
  assert.equal(nextOccasion(rule('1 day before signup'), facts, long), null);
  assert.equal(nextOccasion(rule('1 day after signup'), { ...facts, signupAt: null }, long), null);
  assert.equal(nextOccasion(rule('1 day after date'), facts, long), null);
  assert.equal(nextOccasion(rule('1 day after annual'), facts, long), null);
});

const dated: [string, string, string][] = [
  // [rule, the field's day, due at 09:00 of]
  ['1 day after date', '2026-03-10', '2026-03-11'],
  ['1 day before date', '2026-03-10', '2026-03-09'],
  ['1 day before date', '2026-01-01', '2025-12-31'],
  ['1 day before date', '2024-03-01', '2024-02-29'],
  ['1 day before date', '2025-03-01', '2025-02-28'],
  ['2 weeks before date', '2026-03-10', '2026-02-24'],
  ['1 month before date', '2026-03-31', '2026-02-28'],
  ['1 month before date', '2024-03-31', '2024-02-29'],
  ['1 month before date', '2026-07-31', '2026-06-30'],
  ['1 month before date', '2026-01-15', '2025-12-15'],
  ['1 month after date', '2026-01-31', '2026-02-28'],
  ['1 month after date', '2026-05-31', '2026-06-30'],
  ['1 year before date', '2024-02-29', '2023-02-28'],
  ['4 years before date', '2024-02-29', '2020-02-29'],
  ['1 year after date', '2024-02-29', '2025-02-28'],
  ['100 days after date', '2026-01-01', '2026-04-11'],
  ['6 months after date', '2025-08-31', '2026-02-28'],
];
test('a message before or after a date is due in the morning of the resulting day', () => {
  for (const [words, day, due] of dated) {
    const facts = { signupAt: null, day: parseDay(day), zone: 'UTC' };
    assert.equal(show(nextOccasion(rule(words), facts, long)), `${day} ${due} 09:00:00`, `${words} ${day}`);
  }
});

const annual: [string, string, string, string][] = [
  // [rule, the field's day, asked on, anniversary and day due]
  ['1 day before annual', '1990-05-20', '2026-01-01', '2026-05-20 2026-05-19'],
  ['1 day before annual', '1990-05-20', '2026-05-19', '2026-05-20 2026-05-19'],
  ['1 day before annual', '1990-05-20', '2026-05-20', '2027-05-20 2027-05-19'],
  ['1 day after annual', '1990-05-20', '2026-05-20', '2026-05-20 2026-05-21'],
  ['1 day after annual', '1990-05-20', '2026-05-22', '2027-05-20 2027-05-21'],
  ['1 day before annual', '1990-01-01', '2026-06-01', '2027-01-01 2026-12-31'],
  ['1 day after annual', '1990-12-31', '2027-01-01', '2026-12-31 2027-01-01'],
  ['1 day after annual', '1990-12-31', '2027-01-02', '2027-12-31 2028-01-01'],
  // 29 February is 28 February in common years, in name too.
  ['1 day before annual', '1992-02-29', '2026-01-01', '2026-02-28 2026-02-27'],
  ['1 day before annual', '1992-02-29', '2028-01-01', '2028-02-29 2028-02-28'],
  ['1 day after annual', '1992-02-29', '2027-01-01', '2027-02-28 2027-03-01'],
  ['1 day after annual', '1992-02-29', '2028-01-01', '2028-02-29 2028-03-01'],
  ['1 month after annual', '1992-02-29', '2027-01-01', '2027-02-28 2027-03-28'],
  ['1 day after annual', '2096-02-29', '2100-01-01', '2100-02-28 2100-03-01'],
  // The date itself is the first anniversary, and there is none before it.
  ['1 day after annual', '2030-05-20', '2026-01-01', '2030-05-20 2030-05-21'],
  ['1 week before annual', '2030-05-20', '2026-01-01', '2030-05-20 2030-05-13'],
  ['1 year before annual', '2030-05-20', '2026-01-01', '2030-05-20 2029-05-20'],
  ['1 year after annual', '2020-05-20', '2026-01-01', '2025-05-20 2026-05-20'],
  ['10 years after annual', '2020-05-20', '2026-01-01', '2020-05-20 2030-05-20'],
  ['10 years before annual', '1990-05-20', '2026-01-01', '2036-05-20 2026-05-20'],
  ['18 months after annual', '2020-05-31', '2026-01-01', '2025-05-31 2026-11-30'],
  ['1 month before annual', '1985-03-31', '2026-01-01', '2026-03-31 2026-02-28'],
  ['400 days before annual', '1985-01-10', '2026-01-01', '2028-01-10 2026-12-06'],
];
test('an anniversary is due every year on its day', () => {
  for (const [words, day, asked, expected] of annual) {
    const facts = { signupAt: null, day: parseDay(day), zone: 'UTC' };
    const found = show(nextOccasion(rule(words), facts, new Date(`${asked}T00:00:00Z`)));
    assert.equal(found, `${expected} 09:00:00`, `${words} ${day} asked ${asked}`);
  }
});

test('occasions before the start are not made up for, one at the very start is sent', () => {
  const facts = { signupAt: new Date('2026-06-01T10:00:00Z'), day: null, zone: 'UTC' };
  const day = rule('1 day after signup');
  assert.equal(show(nextOccasion(day, facts, new Date('2026-06-02T10:00:00.000Z'))), 'signup 2026-06-02 10:00:00');
  assert.equal(show(nextOccasion(day, facts, new Date('2026-06-02T10:00:00.001Z'))), 'none');
});

test('a time span contains each anniversary once, its end excluded', () => {
  const facts = { signupAt: null, day: parseDay('1992-02-29'), zone: 'Europe/Berlin' };
  const found = occasionsBetween(
    rule('1 day before annual'),
    facts,
    new Date('2026-01-01T00:00:00Z'),
    new Date('2031-02-27T08:00:00Z'),
  );
  assert.deepEqual(
    found.map((item) => item.key),
    ['2026-02-28', '2027-02-28', '2028-02-29', '2029-02-28', '2030-02-28'],
  );
  const signup = { signupAt: new Date('2026-06-01T10:00:00Z'), day: null, zone: 'UTC' };
  assert.equal(occasionsBetween(rule('1 day after signup'), signup, long, new Date('2099-01-01T00:00:00Z')).length, 1);
});

test('offsets beyond the calendar are never due and never throw', () => {
  const facts = { signupAt: new Date('2026-06-01T10:00:00Z'), day: parseDay('2026-06-01'), zone: 'Europe/Berlin' };
  for (const words of [
    '8000 years after',
    '1e15 years after',
    '1e15 days after',
    '3000000 days after',
    '99999999 months after',
  ]) {
    for (const event of ['signup', 'date', 'annual']) {
      const found = nextOccasion(rule(`${words} ${event}`), facts, new Date('2026-06-01T00:00:00Z'));
      assert.equal(found, null, `${words} ${event}`);
      assert.doesNotThrow(() => anniversariesToCheck(rule(`${words} ${event}`), long, new Date()));
    }
  }
  assert.equal(nextOccasion(rule('2100 years before date'), facts, new Date(-8.64e15)), null);
  assert.equal(
    show(nextOccasion(rule('2025 years before date'), facts, new Date(-8.64e15))).startsWith('2026-06-01'),
    true,
  );
});

test('F42: over every clock change of 2024 to 2032 in every zone an autoresponder is due once, at its time', () => {
  let checked = 0;
  for (const { zone, atMs, oldMs, newMs } of zones.flatMap((zone) => changesOf(zone, 2024, 2032))) {
    const dayMs = 86_400_000;
    // Signed up two days before, at the wall time that is skipped or comes twice now.
    const wallMs = Math.min(oldMs, newMs) + 60_000;
    const before = new Date(wallMs - 2 * dayMs);
    const wall = {
      year: before.getUTCFullYear(),
      month: before.getUTCMonth() + 1,
      day: before.getUTCDate(),
      hour: before.getUTCHours(),
      minute: before.getUTCMinutes(),
      second: before.getUTCSeconds(),
    };
    const facts = { signupAt: instantOf(wall, zone), day: null, zone };
    const expected = newMs > oldMs ? atMs : atMs - (oldMs - newMs) + 60_000;
    // A change two days earlier would have moved the signup itself.
    if (JSON.stringify(wallOf(facts.signupAt, zone)) !== JSON.stringify(wall)) continue;
    const twoDays = rule('2 days after signup');
    assert.equal(nextOccasion(twoDays, facts, long)?.dueAt.getTime(), expected, `${zone} ${stamp(new Date(atMs))}`);
    const around = [new Date(expected - 1), new Date(expected), new Date(expected + 1), new Date(expected + 7_200_000)];
    const counts = around.slice(0, 3).map((from, i) => occasionsBetween(twoDays, facts, from, around[i + 1]!).length);
    assert.deepEqual(counts, [0, 1, 0]);
    checked++;
  }
  assert.ok(checked > 2_000);
});

const anyRule = fc.record({
  units: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
  time: fc.integer({ min: 1, max: 15 }),
  dir: fc.constantFrom('before' as const, 'after' as const),
  event: fc.constantFrom('signup' as const, 'date' as const, 'annual' as const),
});
const anyDay = fc
  .tuple(fc.integer({ min: 1930, max: 2040 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
  .map(([year, month, day]) => parseDay(`${month}/${day}/${year}`))
  .filter((day) => day !== null);
const anyInstant = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }).map((ms) => new Date(ms));
const anyFacts = fc.record({
  signupAt: anyInstant,
  day: anyDay,
  zone: fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Australia/Lord_Howe',
  ),
  sendHour: fc.integer({ min: 0, max: 23 }),
});

test('the next occasion is the earliest one that a search through all years finds', () => {
  fc.assert(
    fc.property(anyRule, anyFacts, anyInstant, (one, facts, from) => {
      const found = nextOccasion({ ...one, event: 'annual' }, facts, from);
      let earliest: number | null = null;
      const nearby = from.getUTCFullYear();
      for (let year = Math.max(facts.day.year, nearby - 20); year <= Math.max(facts.day.year, nearby + 20); year++) {
        const last =
          facts.day.month === 2 && facts.day.day === 29 && new Date(Date.UTC(year, 1, 29)).getUTCDate() !== 29;
        const day = { ...facts.day, year, day: last ? 28 : facts.day.day };
        const due = nextOccasion({ ...one, event: 'date' }, { ...facts, day }, new Date(-8e14))!.dueAt.getTime();
        if (due >= from.getTime() && (earliest === null || due < earliest)) earliest = due;
      }
      assert.equal(found?.dueAt.getTime(), earliest);
    }),
    { numRuns: runs(1000) },
  );
});

test('consecutive time spans contain every occasion once', () => {
  fc.assert(
    fc.property(anyRule, anyFacts, anyInstant, fc.array(fc.nat(400), { maxLength: 12 }), (one, facts, from, steps) => {
      const bounds = [from.getTime()];
      for (const step of steps) bounds.push(bounds.at(-1)! + step * 86_400_000);
      const pieces = bounds
        .slice(1)
        .flatMap((to, i) => occasionsBetween(one, facts, new Date(bounds[i]!), new Date(to)));
      const whole = occasionsBetween(one, facts, from, new Date(bounds.at(-1)!));
      assert.deepEqual(pieces, whole);
      assert.equal(new Set(whole.map((each) => each.key)).size, whole.length);
    }),
    { numRuns: runs(1000) },
  );
});

test('the days that the query checks include every contact that is due', () => {
  const hits = { signup: 0, date: 0, annual: 0 };
  fc.assert(
    fc.property(anyRule, anyFacts, fc.integer({ min: 0, max: 40 * 24 }), fc.nat(72), (one, facts, hours, length) => {
      // A window around something that is really due, so that the property says something each time.
      const due = nextOccasion(one, facts, new Date('2024-01-01T00:00:00Z'))?.dueAt;
      if (!due) return;
      const from = new Date(due.getTime() - Math.min(hours, length) * 3_600_000);
      const to = new Date(from.getTime() + (length + 1) * 3_600_000);
      const { first, last } = daysToCheck(one, from, to);
      for (const occasion of occasionsBetween(one, facts, from, to)) {
        const signup = wallOf(facts.signupAt, 'UTC');
        const counted = one.event === 'signup' ? signup : parseDay(occasion.key)!;
        assert.ok(dayNumber(counted) >= dayNumber(first) && dayNumber(counted) <= dayNumber(last));
        if (one.event === 'annual') {
          assert.ok(anniversariesToCheck(one, from, to).includes(formatDay(facts.day).slice(5)));
        }
        hits[one.event]++;
      }
    }),
    { numRuns: runs(3000) },
  );
  assert.ok(hits.signup > 5 && hits.date > 5 && hits.annual > 5, JSON.stringify(hits));
});

test('the days to check are few for a short time, and 29 February is among them only when its turn comes', () => {
  const oneHour = (at: string) => [new Date(at), new Date(Date.parse(at) + 3_600_000)] as const;
  const short = anniversariesToCheck(rule('1 day before annual'), ...oneHour('2026-06-10T09:00:00Z'));
  assert.ok(short.length <= 9 && short.includes('06-11'));
  assert.ok(anniversariesToCheck(rule('1 day after annual'), ...oneHour('2027-03-01T09:00:00Z')).includes('02-29'));
  assert.ok(!anniversariesToCheck(rule('1 day after annual'), ...oneHour('2028-03-15T09:00:00Z')).includes('02-29'));
});

test('the days to check for an hour: two days around, three more at the end, moved back by the offset', () => {
  const table: [words: string, first: string, last: string][] = [
    ['1 day after date', '2026-06-07', '2026-06-14'],
    ['1 day before date', '2026-06-09', '2026-06-16'],
    ['2 weeks after date', '2026-05-25', '2026-06-01'],
    ['2 weeks before date', '2026-06-22', '2026-06-29'],
    ['1 month after date', '2026-05-08', '2026-05-15'],
    ['1 month before date', '2026-07-08', '2026-07-15'],
    ['1 year after date', '2025-06-08', '2025-06-15'],
    ['1 year before date', '2027-06-08', '2027-06-15'],
    // Offsets beyond the calendar: all of it, on the side that is left.
    ['9000 years after date', '0001-01-01', '0001-01-01'],
    ['9000 years before date', '9999-12-31', '9999-12-31'],
    ['99999 years after date', '0001-01-01', '0001-01-01'],
  ];
  for (const [words, first, last] of table) {
    const found = daysToCheck(rule(words), new Date('2026-06-10T09:00:00Z'), new Date('2026-06-10T10:00:00Z'));
    assert.deepEqual([formatDay(found.first), formatDay(found.last)], [first, last], words);
  }
});

test('the anniversaries to check, in order, with 29 February in common years only behind the 28th', () => {
  const short = (at: string) =>
    anniversariesToCheck(rule('1 day after annual'), new Date(at), new Date(Date.parse(at) + 3_600_000)).join(' ');
  assert.equal(short('2026-06-10T09:00:00Z'), '06-07 06-08 06-09 06-10 06-11 06-12 06-13 06-14');
  assert.equal(short('2027-02-26T09:00:00Z'), '02-23 02-24 02-25 02-26 02-27 02-28 02-29 03-01 03-02');
  assert.equal(short('2028-02-26T09:00:00Z'), '02-23 02-24 02-25 02-26 02-27 02-28 02-29 03-01');
  assert.equal(short('2026-12-31T09:00:00Z'), '01-01 01-02 01-03 01-04 12-28 12-29 12-30 12-31');
  assert.equal(anniversariesToCheck(rule('1 day after annual'), long, new Date()).length, 366);
});

test('a signup within a second counts from the next whole second, a send hour on the hour', () => {
  const signed = (at: string) => ({ signupAt: new Date(at), day: null, zone: 'UTC' });
  const day = rule('1 day after signup');
  assert.equal(show(nextOccasion(day, signed('2026-06-01T10:00:00.001Z'), long)), 'signup 2026-06-02 10:00:01');
  assert.equal(show(nextOccasion(day, signed('2026-06-01T10:00:00.999Z'), long)), 'signup 2026-06-02 10:00:01');
  const due = nextOccasion(day, { ...signed('2026-06-01T10:20:30.5Z'), sendHour: 0 }, long);
  assert.equal(due?.dueAt.toISOString(), '2026-06-02T00:00:00.000Z');
});

test('the last years of the calendar are still due, the next one is not', () => {
  const facts = { signupAt: null, day: parseDay('2026-06-01'), zone: 'UTC' };
  assert.equal(show(nextOccasion(rule('7973 years after date'), facts, long)), '2026-06-01 9999-06-01 09:00:00');
  assert.equal(show(nextOccasion(rule('7974 years after date'), facts, long)), 'none');
});
