import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveRefusal, archiveLimits, codedTooLarge, maxPageBytes, shown, Tally } from './limits.ts';

const mebibyte = 1024 * 1024;
const limits = { ...archiveLimits, entries: 2, unpackedBytes: 3 * mebibyte, ratio: 10 };

/** '' or the reason of the refusal. */
function refusal(count: () => void): string {
  try {
    count();
    return '';
  } catch (error) {
    assert.ok(error instanceof ArchiveRefusal);
    return error.message;
  }
}

const tooLarge = 'Unpacked, the archive is larger than 3 MiB.';

test('an archive has at most 20 MiB, 2,000 entries and 50 MiB unpacked', () => {
  assert.deepEqual(archiveLimits, {
    ...{
      codedBytes: 20_971_520,
      unpackedBytes: 52_428_800,
      entries: 2_000,
      ratio: 200,
      pathBytes: 255,
      totalMs: 10_000,
    },
  });
  assert.equal(maxPageBytes, 2_097_152);
  assert.equal(codedTooLarge(archiveLimits).message, 'The archive is larger than 20 MiB.');
  assert.equal(codedTooLarge({ ...limits, codedBytes: 2 * mebibyte - 1 }).reason.values['count'], 1);
});

test('entries are counted, and three times as many headers are allowed', () => {
  const reason = 'The archive has more than 2 entries.';
  const entries = new Tally(limits, 1);
  assert.deepEqual(
    [1, 2, 3].map(() => refusal(() => entries.countEntry())),
    ['', '', reason],
  );
  const headers = new Tally(limits, 1);
  const answers = Array.from({ length: 7 }, () => refusal(() => headers.countHeader()));
  assert.deepEqual(answers, ['', '', '', '', '', '', reason]);
});

test('unpacked bytes are counted up to the limit', () => {
  const tally = new Tally(limits, 3 * mebibyte);
  const answers = [2 * mebibyte, mebibyte, 1].map((bytes) => refusal(() => tally.countBytes(bytes)));
  assert.deepEqual(answers, ['', '', tooLarge]);
});

test('the ratio counts once more than a megabyte has come out', () => {
  const answers = (codedBytes: number, ...unpacked: number[]) => {
    const tally = new Tally(limits, codedBytes);
    return unpacked.map((bytes) => refusal(() => tally.countBytes(bytes)));
  };
  const ratio = 'The archive unpacks to too many times its size.';
  assert.deepEqual(answers(1, mebibyte, 1), ['', ratio]);
  assert.deepEqual(answers(200_000, 2_000_000, 1), ['', ratio]);
});

test('an entry is refused by the size it declares, with its name', () => {
  const tally = new Tally(limits, 3 * mebibyte);
  const declared = (unpacked: number, coded: number) => refusal(() => tally.declare('a.png', unpacked, coded));
  const tooLargeAt = 'Unpacked, the archive is larger than 3 MiB (at "a.png").';
  const ratioAt = 'The archive unpacks to too many times its size (at "a.png").';
  assert.equal(declared(3 * mebibyte, mebibyte), '');
  assert.equal(declared(3 * mebibyte + 1, mebibyte), tooLargeAt);
  assert.equal(declared(mebibyte, 1), '');
  assert.equal(declared(mebibyte + 1, 1), ratioAt);
  assert.equal(declared(2_000_000, 200_000), '');
  assert.equal(declared(2_000_001, 200_000), ratioAt);
  tally.countBytes(mebibyte);
  assert.equal(declared(2 * mebibyte, mebibyte), '');
  assert.equal(declared(2 * mebibyte + 1, mebibyte), tooLargeAt);
});

test('a name is shown with at most 80 characters and without invisible ones', () => {
  assert.equal(shown('a.png'), '"a.png"');
  assert.equal(shown('x'.repeat(80)), `"${'x'.repeat(80)}"`);
  assert.equal(shown('x'.repeat(81)), `"${'x'.repeat(80)}…"`);
  assert.equal(shown('a\nb\u202ec\u2028d\ud800'), '"a\ufffdb\ufffdc\ufffdd\ufffd"');
});
