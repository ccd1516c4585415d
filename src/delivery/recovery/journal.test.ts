// The journal as a restarted worker finds it.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openJournal, readFiles, readJournal, removeJournal, strayJournals, traceKey } from './journal.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, '7');
});
afterEach(() => rmSync(folder, { recursive: true }));

const attempt = (seq: number) => ({ account: 1, campaign: 2, seq, lease: 3, attempts: 1, resent: 0, contact: 4 });
const only = () => join(folder, readdirSync(folder)[0]!);

test('a dotted recipient, one with an outcome and one never started are distinguished', async () => {
  const journal = openJournal<{ kind: string }>(path, 'boot');
  journal.open();
  journal.dot(attempt(1));
  journal.dot(attempt(2));
  journal.outcome(attempt(2), { kind: 'accepted' });
  const read = (await readJournal(path, 'boot'))!;
  assert.deepEqual(read.traces.get(traceKey(attempt(1))), { kind: 'dotted' });
  assert.deepEqual(read.traces.get(traceKey(attempt(2))), { kind: 'outcome', verdict: { kind: 'accepted' } });
  assert.equal(read.traces.get(traceKey(attempt(3))), undefined);
  assert.equal(read.damaged, false);
});

test('an attempt is started until it waits, and again after that; neither is a trace', async () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  journal.start(attempt(1));
  journal.start(attempt(2));
  journal.wait(attempt(2));
  journal.start(attempt(3));
  journal.wait(attempt(3));
  journal.start(attempt(3));
  const read = (await readJournal(path, 'boot'))!;
  assert.deepEqual([...read.started].sort(), [traceKey(attempt(1)), traceKey(attempt(3))]);
  assert.equal(read.traces.size, 0);
  assert.equal(read.damaged, false);
});

test('F09 a torn last line is not damage: the dot is sent only after the line is written', async () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  journal.dot(attempt(1));
  appendFileSync(only(), 'D 1 2 3');
  const read = (await readJournal(path, 'boot'))!;
  assert.equal(read.damaged, false);
  assert.equal(read.traces.size, 1);
});

test('F09 garbage in the middle is reported as damage, and the lines around it are read', async () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  journal.dot(attempt(1));
  appendFileSync(only(), '\u0000\u0001garbage\n');
  journal.dot(attempt(2));
  const read = (await readJournal(path, 'boot'))!;
  assert.equal(read.damaged, true);
  assert.equal(read.traces.size, 2);
});

test('F09 every truncation is read without an error, and never shows more than was written', async () => {
  const journal = openJournal<{ kind: string; text: string }>(path, 'boot');
  journal.open();
  for (let seq = 1; seq <= 5; seq++) {
    journal.dot(attempt(seq));
    journal.outcome(attempt(seq), { kind: 'accepted', text: '250 ok' });
  }
  const whole = readFileSync(only());
  for (let length = whole.length; length >= 0; length--) {
    truncateSync(only(), length);
    const read = await readJournal(path, 'boot');
    if (read) assert.ok(read.traces.size <= 5 && !read.damaged);
  }
});

test('the journal of another boot of the machine, a missing one and an empty one are not trusted', async () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  assert.equal(await readJournal(path, 'another'), undefined);
  assert.ok(await readJournal(path, 'boot'));
  writeFileSync(only(), '');
  assert.equal(await readJournal(path, 'boot'), undefined);
  assert.equal(await readJournal(join(folder, '8'), 'boot'), undefined);
});

test('segments of finished groups are removed after the time to keep them, those an open group may have written to stay', async () => {
  let now = 0;
  const journal = openJournal<{ text: string }>(path, 'boot', { keepMs: 1_000, now: () => now });
  const long = journal.open();
  journal.dot(attempt(1));
  const filler = 'x'.repeat(1000);
  for (let round = 0; round < 3; round++) {
    const group = journal.open();
    for (let i = 0; i < 5_000; i++) journal.outcome(attempt(100 + i), { text: filler });
    group.done();
  }
  now = 5_000;
  journal.open().done();
  assert.ok(readdirSync(folder).length >= 3);
  assert.deepEqual((await readJournal(path, 'boot'))!.traces.get(traceKey(attempt(1))), { kind: 'dotted' });
  long.done();
  now = 5_999;
  journal.open().done();
  assert.ok(readdirSync(folder).length >= 3, 'a replica that takes over may lack what is committed');
  now = 6_000;
  journal.open().done();
  assert.equal(readdirSync(folder).length, 1);
});

/** Fills the current segment, so that the next group starts another one. */
function fill(journal: ReturnType<typeof openJournal<{ text: string }>>): void {
  const text = 'x'.repeat(500_000);
  for (let i = 0; i < 9; i++) journal.outcome(attempt(1_000 + i), { text });
}

test('closing leaves the files: they are removed some minutes after the worker has ended', () => {
  const journal = openJournal<{ text: string }>(path, 'boot');
  journal.open();
  fill(journal);
  journal.open().done();
  journal.close();
  assert.deepEqual(readdirSync(folder).sort(), ['7.1.log', '7.2.log']);
});

test('a group that is done twice does not release another group of its segment', () => {
  const journal = openJournal<{ text: string }>(path, 'boot', { keepMs: 0 });
  const one = journal.open();
  const other = journal.open();
  fill(journal);
  journal.open();
  one.done();
  one.done();
  journal.open();
  assert.deepEqual(readdirSync(folder).sort(), ['7.1.log', '7.2.log']);
  other.done();
  journal.open();
  assert.deepEqual(readdirSync(folder), ['7.2.log']);
  journal.close();
});

test('a journal is read newest file first, without lines that are not wanted', async () => {
  const journal = openJournal<{ text: string }>(path, 'boot');
  journal.open();
  fill(journal);
  journal.open();
  journal.dot(attempt(1));
  journal.dot(attempt(2));
  const read: number[][] = [];
  for await (const { entries } of readFiles(path, ({ seq }) => seq !== 2))
    read.push(entries.map((entry) => entry.attempt.seq));
  assert.deepEqual(read, [[1], [1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006, 1_007, 1_008]]);
});

test('while a long file is read, other work of the process runs every 2,000 lines', async () => {
  const lines = Array.from({ length: 10_001 }, (_, seq) => `D 1 2 ${seq} 3 1 0 4\n`);
  writeFileSync(`${path}.1.log`, `B boot\n${lines.join('')}`);
  let inRow = 0;
  let longest = 0;
  const reset = () => {
    inRow = 0;
    turn = setImmediate(reset);
  };
  let turn = setImmediate(reset);
  const read = await readJournal(path, 'boot', () => {
    longest = Math.max(longest, ++inRow);
    return true;
  });
  clearImmediate(turn);
  assert.deepEqual([read!.traces.size, read!.damaged, longest], [10_001, false, 2_000]);
});

test('a worker whose journal was removed while it had nothing to send starts a new file', async () => {
  const journal = openJournal(path, 'boot');
  removeJournal(path);
  journal.open();
  journal.dot(attempt(1));
  const read = await readJournal(path, 'boot');
  assert.deepEqual(read && [...read.traces.keys()], [traceKey(attempt(1))]);
});

test('journals without a row of their worker are found when they were not written to for a while', () => {
  openJournal(path, 'boot').close();
  assert.deepEqual(strayJournals(folder, 60_000), []);
  assert.deepEqual(strayJournals(folder, -1), [path]);
  assert.deepEqual(strayJournals(join(folder, 'missing'), 0), []);
});

test('a new file starts only when the present one is larger than 4 MiB', async () => {
  const journal = openJournal<{ text: string }>(path, 'boot');
  journal.open();
  const room = 4 * 1024 * 1024 - 'R 1 2 1 3 1 0 4 {"text":""}\n'.length;
  journal.outcome(attempt(1), { text: 'x'.repeat(room) });
  journal.open();
  assert.equal(readdirSync(folder).length, 1);
  journal.dot(attempt(2));
  journal.open();
  assert.equal(readdirSync(folder).length, 2);
  journal.dot(attempt(3));
  journal.open();
  assert.equal(readdirSync(folder).length, 2, 'the count of bytes starts again');
  assert.equal(statSync(join(folder, '7.1.log')).mode & 0o777, 0o600);
});

test('segments are read in the order of their numbers: a later outcome wins', async () => {
  for (const [segment, lines] of [
    [10, 'R 1 2 1 3 1 0 4 {"kind":"accepted"}\n'],
    [9, 'D 1 2 1 3 1 0 4\n'],
  ] as const)
    writeFileSync(`${path}.${segment}.log`, `B boot\n${lines}`);
  assert.deepEqual((await readJournal(path, 'boot'))!.traces.get('1 2 1 3 1'), {
    kind: 'outcome',
    verdict: { kind: 'accepted' },
  });
});

test('a file that cannot be read, or an outcome that is not JSON, is damage', async () => {
  writeFileSync(`${path}.1.log`, 'B boot\nR 1 2 1 3 1 0 4 {x}\nD 1 2 2 3 1 0 4\n');
  const garbled = (await readJournal(path, 'boot'))!;
  assert.equal(garbled.damaged, true);
  assert.deepEqual([...garbled.traces], [['1 2 2 3 1', { kind: 'dotted' }]]);
  writeFileSync(`${path}.1.log`, 'B boot\nD 1 2 2 3 1 0 4\n');
  mkdirSync(`${path}.2.log`);
  const unreadable = (await readJournal(path, 'boot'))!;
  assert.equal(unreadable.damaged, true);
  assert.equal(unreadable.traces.size, 1);
});

test('removing a journal leaves those of other workers and other files', async () => {
  for (const name of ['7.1.log', '7.2.log', '70.1.log', '7.txt', '17.1.log'])
    writeFileSync(join(folder, name), 'B boot\n');
  assert.ok(await readJournal(path, 'boot'), 'files of others are not read');
  removeJournal(path);
  assert.deepEqual(readdirSync(folder).sort(), ['17.1.log', '7.txt', '70.1.log']);
  assert.equal(await readJournal(path, 'boot'), undefined);
  removeJournal(path);
  removeJournal(join(folder, 'missing', '7'));
  assert.equal(await readJournal(join(folder, 'missing', '7'), 'boot'), undefined);
});

test('the folder of a journal is made when it is missing', async () => {
  const journal = openJournal(join(folder, 'new', 'deep', '7'), 'boot');
  journal.close();
  assert.deepEqual(readdirSync(join(folder, 'new', 'deep')), ['7.1.log']);
});
