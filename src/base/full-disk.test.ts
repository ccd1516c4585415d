// When a disk counts as full.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type Disk, fullHere, isFull, noteFailure, noteSuccess } from './full-disk.ts';

const disks: Disk[] = ['database', 'journal', 'log', 'backup'];
beforeEach(() => disks.forEach(noteSuccess));
after(() => disks.forEach(noteSuccess));
const withCode = (code: string) => Object.assign(new Error('failed'), { code });

test('errors for lack of room are known, in whatever program they occurred', () => {
  for (const code of ['53100', 'ENOSPC', 'EDQUOT']) assert.ok(isFull(withCode(code)), code);
  assert.ok(isFull(new Error('The nightly backup failed: ENOSPC: no space left on device, write')));
  assert.ok(isFull(new Error('tar: write error: No space left on device')));
  for (const error of [withCode('EIO'), withCode('53200'), new Error('the space is left'), undefined, null, 'ENOSPC'])
    assert.ok(!isFull(error), String(error));
});

test('a disk is full as long as writing fails, and a backup until one is written', () => {
  const now = performance.now();
  noteFailure('journal', withCode('EIO'), now);
  assert.deepEqual(fullHere(now), []);
  for (const disk of disks) noteFailure(disk, withCode('ENOSPC'), now);
  assert.deepEqual(fullHere(now), disks);
  noteFailure('journal', withCode('ENOSPC'), now + 6_000);
  assert.deepEqual(fullHere(now + 10_000), ['journal', 'backup']);
  assert.deepEqual(fullHere(now + 20_000), ['backup']);
  noteSuccess('backup');
  assert.deepEqual(fullHere(now + 20_000), []);
});

test('a failure counts for eight seconds, that of a nightly backup for 25 hours', () => {
  noteFailure('log', withCode('ENOSPC'), 0);
  noteFailure('backup', withCode('ENOSPC'), 0);
  assert.deepEqual(fullHere(7_999), ['log', 'backup']);
  assert.deepEqual(fullHere(8_000), ['backup']);
  assert.deepEqual(fullHere(25 * 60 * 60 * 1_000 - 1), ['backup']);
  assert.deepEqual(fullHere(25 * 60 * 60 * 1_000), []);
});
