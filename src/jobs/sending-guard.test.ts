// When a database and a data directory do not match, as a table.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderMessage } from '../base/messages.ts';
import { type Heartbeat, holdReason, type Memory, readMemory } from './sending-guard.ts';

const heartbeat = (given: Partial<Heartbeat>): Heartbeat => ({
  instance: 'ours',
  beat: 5_000,
  quietSeconds: 5,
  samePlace: true,
  ...given,
});
const hour = 3_600;

const cases: [what: string, heartbeat: Partial<Heartbeat>, memory: Memory | undefined, held: RegExp | ''][] = [
  ['the first start', { beat: 0, quietSeconds: 0 }, undefined, ''],
  ['another host joins while others work', {}, undefined, ''],
  ['a restart within the hour', { quietSeconds: hour - 1 }, { instance: 'ours', beat: 5_000 }, ''],
  ['a weekend off', { quietSeconds: 62 * hour }, { instance: 'ours', beat: 5_000 }, ''],
  [
    'a weekend off, on a host that stopped before the others',
    { quietSeconds: 62 * hour },
    { instance: 'ours', beat: 4_900 },
    '',
  ],
  ['a crash that lost the last heartbeat', { quietSeconds: 62 * hour }, { instance: 'ours', beat: 5_002 }, ''],
  ['a crash that lost as much as may be lost', {}, { instance: 'ours', beat: 5_003 }, ''],
  ['a crash that lost more', {}, { instance: 'ours', beat: 5_004 }, /restored from a backup/],
  ['a host that is as far behind as may be', { quietSeconds: 2 * hour }, { instance: 'ours', beat: 4_800 }, ''],
  ['a host further behind', { quietSeconds: 2 * hour }, { instance: 'ours', beat: 4_799 }, /more than an hour/],
  ['an hour without a heartbeat', { quietSeconds: hour }, undefined, ''],
  ['a clock set back', { quietSeconds: 0 }, { instance: 'ours', beat: 5_000 }, ''],
  ['a quiet database and a new directory', { quietSeconds: hour + 1 }, undefined, /more than an hour/],
  [
    'a quiet database and the directory of another installation',
    { quietSeconds: 2 * hour },
    { instance: 'theirs', beat: 5_000 },
    /more than an hour/,
  ],
  [
    'a host that was off for a long time, and a quiet database',
    { quietSeconds: 2 * hour },
    { instance: 'ours', beat: 4_000 },
    /more than an hour/,
  ],
  [
    "yesterday's backup in place of the database",
    { quietSeconds: 24 * hour },
    { instance: 'ours', beat: 9_320 },
    /restored from a backup/,
  ],
  ['a backup from ten minutes ago', { quietSeconds: 600 }, { instance: 'ours', beat: 5_030 }, /restored from a backup/],
  ['a copy in another database, however recent', { samePlace: false }, undefined, /is a copy/],
  [
    'a copy in another database, with the directory',
    { samePlace: false },
    { instance: 'ours', beat: 5_000 },
    /is a copy/,
  ],
];

for (const [what, given, memory, held] of cases)
  test(`F45 ${held === '' ? 'sends' : 'is held'}: ${what}`, () => {
    const reason = holdReason(heartbeat(given), memory);
    if (held === '') assert.equal(reason, undefined);
    else assert.match(renderMessage(reason!), held);
  });

test('a heartbeat file that is missing or damaged counts as none', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'guard-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'heartbeat.json');
  assert.equal(readMemory(file), undefined);
  const table: [content: string, memory: Memory | undefined][] = [
    ['{"instance":"ours","beat":7}', { instance: 'ours', beat: 7 }],
    ['{"instance":"ours"}', undefined],
    ['{"instance":7,"beat":7}', undefined],
    ['{"instance":"ours","beat":"7"}', undefined],
    ['{"inst', undefined],
    ['', undefined],
  ];
  for (const [content, memory] of table) {
    writeFileSync(file, content);
    assert.deepEqual(readMemory(file), memory, content);
  }
});
