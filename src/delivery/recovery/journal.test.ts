// The journal as a restarted worker finds it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openJournal, readJournal, traceKey } from './journal.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  path = join(folder, '7');
});
afterEach(() => rmSync(folder, { recursive: true }));

const recipient = (seq: number) => ({ account: 1, campaign: 2, seq, lease: 3 });
const only = () => join(folder, readdirSync(folder)[0]!);

test('a dotted recipient, one with an outcome and one never started are distinguished', () => {
  const journal = openJournal<{ kind: string }>(path, 'boot');
  journal.open();
  journal.dot(recipient(1));
  journal.dot(recipient(2));
  journal.outcome(recipient(2), { kind: 'accepted' });
  const read = readJournal(path, 'boot')!;
  assert.deepEqual(read.traces.get(traceKey(recipient(1))), { kind: 'dotted' });
  assert.deepEqual(read.traces.get(traceKey(recipient(2))), { kind: 'outcome', verdict: { kind: 'accepted' } });
  assert.equal(read.traces.get(traceKey(recipient(3))), undefined);
  assert.equal(read.damaged, false);
});

test('F09 a torn last line is not damage: the dot is sent only after the line is written', () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  journal.dot(recipient(1));
  appendFileSync(only(), 'D 1 2 3');
  const read = readJournal(path, 'boot')!;
  assert.equal(read.damaged, false);
  assert.equal(read.traces.size, 1);
});

test('F09 garbage in the middle is reported as damage, and the lines around it are read', () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  journal.dot(recipient(1));
  appendFileSync(only(), '\u0000\u0001garbage\n');
  journal.dot(recipient(2));
  const read = readJournal(path, 'boot')!;
  assert.equal(read.damaged, true);
  assert.equal(read.traces.size, 2);
});

test('F09 every truncation is read without an error, and never shows more than was written', () => {
  const journal = openJournal<{ kind: string; text: string }>(path, 'boot');
  journal.open();
  for (let seq = 1; seq <= 5; seq++) {
    journal.dot(recipient(seq));
    journal.outcome(recipient(seq), { kind: 'accepted', text: '250 ok' });
  }
  const whole = readFileSync(only());
  for (let length = whole.length; length >= 0; length--) {
    truncateSync(only(), length);
    const read = readJournal(path, 'boot');
    if (read) assert.ok(read.traces.size <= 5 && !read.damaged);
  }
});

test('the journal of another boot of the machine, a missing one and an empty one are not trusted', () => {
  const journal = openJournal(path, 'boot');
  journal.open();
  assert.equal(readJournal(path, 'another'), undefined);
  assert.ok(readJournal(path, 'boot'));
  writeFileSync(only(), '');
  assert.equal(readJournal(path, 'boot'), undefined);
  assert.equal(readJournal(join(folder, '8'), 'boot'), undefined);
});

test('segments of finished groups are removed, those an open group may have written to stay', () => {
  const journal = openJournal<{ text: string }>(path, 'boot');
  const long = journal.open();
  journal.dot(recipient(1));
  const filler = 'x'.repeat(1000);
  for (let round = 0; round < 3; round++) {
    const group = journal.open();
    for (let i = 0; i < 5_000; i++) journal.outcome(recipient(100 + i), { text: filler });
    group.done();
  }
  assert.ok(readdirSync(folder).length >= 3);
  assert.deepEqual(readJournal(path, 'boot')!.traces.get(traceKey(recipient(1))), { kind: 'dotted' });
  long.done();
  assert.equal(readdirSync(folder).length, 1);
});
