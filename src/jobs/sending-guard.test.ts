// When a database and a data directory do not fit together, as a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Heart, type Memory, whyHeld } from './sending-guard.ts';

const heart = (given: Partial<Heart>): Heart => ({
  instance: 'ours',
  beat: 5_000,
  quietSeconds: 5,
  samePlace: true,
  ...given,
});
const hour = 3_600;

const cases: [what: string, heart: Partial<Heart>, memory: Memory | undefined, held: RegExp | ''][] = [
  ['the first start', { beat: 0, quietSeconds: 0 }, undefined, ''],
  ['a further host while others work', {}, undefined, ''],
  ['a restart within the hour', { quietSeconds: hour - 1 }, { instance: 'ours', beat: 5_000 }, ''],
  ['a weekend off', { quietSeconds: 62 * hour }, { instance: 'ours', beat: 5_000 }, ''],
  [
    'a weekend off, by a host that went before the others',
    { quietSeconds: 62 * hour },
    { instance: 'ours', beat: 4_900 },
    '',
  ],
  ['a crash that lost the last beat', { quietSeconds: 62 * hour }, { instance: 'ours', beat: 5_002 }, ''],
  ['a clock set back', { quietSeconds: 0 }, { instance: 'ours', beat: 5_000 }, ''],
  ['a quiet database and a new directory', { quietSeconds: hour + 1 }, undefined, /more than an hour/],
  [
    'a quiet database and the directory of another',
    { quietSeconds: 2 * hour },
    { instance: 'theirs', beat: 5_000 },
    /more than an hour/,
  ],
  [
    'a host that was off for long, and a quiet database',
    { quietSeconds: 2 * hour },
    { instance: 'ours', beat: 4_000 },
    /more than an hour/,
  ],
  [
    'the backup of yesterday in the place of the database',
    { quietSeconds: 24 * hour },
    { instance: 'ours', beat: 9_320 },
    /restored from a backup/,
  ],
  ['the backup of ten minutes ago', { quietSeconds: 600 }, { instance: 'ours', beat: 5_030 }, /restored from a backup/],
  ['a copy in another database, however fresh', { samePlace: false }, undefined, /is a copy/],
  [
    'a copy in another database, with the directory',
    { samePlace: false },
    { instance: 'ours', beat: 5_000 },
    /is a copy/,
  ],
];

for (const [what, given, memory, held] of cases)
  test(`F45 ${held === '' ? 'sends' : 'is held'}: ${what}`, () => {
    const why = whyHeld(heart(given), memory);
    if (held === '') assert.equal(why, '');
    else assert.match(why, held);
  });
