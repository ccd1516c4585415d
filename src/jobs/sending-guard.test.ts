// When a database and a data directory do not match, as a table.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { message, packMessage, renderMessage } from '../base/messages.ts';
import type { Database } from '../db/connect.ts';
import {
  beatSeconds,
  confirmSending,
  type Heartbeat,
  holdReason,
  type Memory,
  predictHold,
  readMemory,
  recordHeartbeat,
} from './sending-guard.ts';

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

/** A database that returns these rows, one after the other, and keeps the values of its statements. */
function databaseOf(...rows: unknown[]) {
  const written: unknown[][] = [];
  const queries = {
    row: async () => rows.shift(),
    run: async ({ values }: { values: unknown[] }) => void written.push(values),
    transaction: async (work: (tx: unknown) => unknown) => work(queries),
  };
  return { db: queries as unknown as Database, written };
}
const place = [{ oid: '7' }, { id: '1' }];

/** A data directory that does not exist yet. */
function newDataDir(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-guard-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'data');
}

test('a heartbeat is remembered in the data directory, and the first mismatch holds sending', async (t) => {
  const dataDir = newDataDir(t);
  const file = join(dataDir, 'heartbeat.json');
  const record = (held: string, given: Partial<Heartbeat>, ...counted: unknown[]) =>
    recordHeartbeat(databaseOf(...place, { ...heartbeat(given), held }, ...counted).db, dataDir);
  assert.equal(await record('', { beat: 5 }, { beat: 6 }), '');
  assert.deepEqual(readMemory(file), { instance: 'ours', beat: 6 });
  assert.equal(await record('', { beat: 8 }, undefined), '');
  assert.deepEqual(readMemory(file), { instance: 'ours', beat: 8 });
  assert.equal(await record('', { instance: 'new', beat: 8 }, undefined), '');
  assert.deepEqual(readMemory(file), { instance: 'new', beat: 8 });
  assert.equal(await record('Copied.', { beat: 9 }, { beat: 10 }), 'Copied.');
  assert.match(await record('', { samePlace: false }, { beat: 10 }), /./);
  assert.deepEqual(readMemory(file), { instance: 'new', beat: 8 }, 'unchanged while sending is held');
});

test('a hold is predicted from the heartbeat and the data directory, in the language asked for', async (t) => {
  const dataDir = newDataDir(t);
  const predict = (row: unknown, language?: 'en' | 'de') =>
    predictHold(databaseOf(...place, row).db, dataDir, language);
  const copy = { ...heartbeat({ samePlace: false }), held: '' };
  assert.equal(await predict(undefined), '');
  assert.equal(await predict({ ...heartbeat({}), held: '' }), '');
  assert.equal(
    await predict({ ...heartbeat({}), held: packMessage(message('hold.older')) }),
    renderMessage(message('hold.older')),
  );
  assert.equal(await predict(copy), renderMessage(message('hold.copy')));
  assert.equal(await predict(copy, 'de'), renderMessage(message('hold.copy'), 'de'));
  await recordHeartbeat(databaseOf(...place, { ...heartbeat({ beat: 50 }), held: '' }, { beat: 51 }).db, dataDir);
  assert.equal(await predict({ ...heartbeat({ beat: 40 }), held: '' }), renderMessage(message('hold.older')));
});

test('sending is confirmed only when it is held, with the reason', async (t) => {
  const dataDir = newDataDir(t);
  const confirm = async (row: unknown) => {
    const reasons: string[] = [];
    const { db, written } = databaseOf(...place, row, ...place);
    const reason = await confirmSending(db, dataDir, async (_tx, noted) => void reasons.push(noted));
    return { reason, reasons, writes: written.length };
  };
  assert.deepEqual(await confirm({ ...heartbeat({}), held: '' }), { reason: '', reasons: [], writes: 0 });
  const held = await confirm({ ...heartbeat({}), held: 'Copied.' });
  assert.deepEqual(held, { reason: 'Copied.', reasons: ['Copied.'], writes: 1 });
});

test('workers of an installation record a heartbeat every 20 seconds', () => {
  assert.equal(beatSeconds, 20);
});
