import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs, sample } from '../../../../test/support/run/runs.ts';
import { bunzip2 } from './bzip2.ts';
import { ArchiveRefusal } from './limits.ts';

function unpacked(packed: Uint8Array): Buffer {
  const pieces: Buffer[] = [];
  for (const piece of bunzip2(packed)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Python's bz2 is the C library; one process packs all samples. */
function packed(samples: readonly Buffer[], level: number): Buffer[] {
  const script = `import sys, json, bz2, base64
print(json.dumps([base64.b64encode(bz2.compress(base64.b64decode(s), ${level})).decode() for s in json.load(sys.stdin)]))`;
  const input = JSON.stringify(samples.map((sample) => sample.toString('base64')));
  const output = execFileSync('python3', ['-c', script], { input, maxBuffer: 200_000_000 });
  return (JSON.parse(output.toString()) as string[]).map((text) => Buffer.from(text, 'base64'));
}

const samples = [
  Buffer.alloc(0),
  Buffer.from('a'),
  ...[3, 4, 5, 8, 9, 255, 258, 259, 260, 263, 264, 1000].map((times) => Buffer.alloc(times, 'a')),
  Buffer.from('abababababab'.repeat(20_000)),
  Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  randomBytes(300_000),
  Buffer.alloc(2_000_000),
  Buffer.concat([Buffer.alloc(900_000, 'x'), randomBytes(1000), Buffer.alloc(300_000, 'xxxxy')]),
  Buffer.from(JSON.stringify(Object.entries(process.config)).repeat(60)),
];

test('data compressed by the C library is unpacked unchanged, at every level', () => {
  for (const level of sample([9, 1], 2)) {
    packed(samples, level).forEach((bytes, i) => {
      assert.ok(unpacked(bytes).equals(samples[i]!), `sample ${i}, level ${level}`);
    });
  }
});

test('concatenated streams are one, and trailing data is ignored', () => {
  const [a, b] = packed([Buffer.from('first '), Buffer.from('second')], 9);
  assert.equal(unpacked(Buffer.concat([a!, b!])).toString(), 'first second');
  assert.equal(unpacked(Buffer.concat([a!, Buffer.from('garbage')])).toString(), 'first ');
  assert.equal(unpacked(Buffer.concat([a!, Buffer.alloc(600)])).toString(), 'first ');
});

test('every truncation and every flipped bit is refused or changes nothing', () => {
  const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(40));
  const [bytes] = packed([text], 1);
  for (const length of sample([...bytes!.keys()], 5)) {
    assert.throws(() => unpacked(bytes!.subarray(0, length)), ArchiveRefusal, `cut at ${length}`);
  }
  for (const bit of sample([...Array(bytes!.length * 8).keys()], 11)) {
    const changed = Buffer.from(bytes!);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    try {
      // The level in the header, and the padding at the end, may change without harm.
      assert.ok(unpacked(changed).equals(text), `bit ${bit}`);
    } catch (error) {
      assert.ok(error instanceof ArchiveRefusal, `bit ${bit}: ${error}`);
    }
  }
});

test('garbage after a valid beginning ends soon, whatever it is', () => {
  const begin = Buffer.from('425a6831314159265359', 'hex');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4000 }), fc.boolean(), (noise, sparse) => {
      const tail = sparse ? noise.map((byte) => byte & 0x11) : noise;
      const begun = process.cpuUsage();
      assert.throws(() => unpacked(Buffer.concat([begin, tail])), ArchiveRefusal);
      assert.ok(process.cpuUsage(begun).user < 2_000_000);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a run that would overflow a counter is refused, not followed', () => {
  // One code of two symbols, RUNA and RUNB of one bit each: 40 bits of RUNA would be a run of 2^40 bytes.
  const bits =
    '0'.repeat(32) + // checksum
    '0' + // not randomised
    '0'.repeat(24) + // origin
    `1${'0'.repeat(15)}1${'0'.repeat(15)}` + // one byte value, 0
    '010' + // two codes
    '000000000000010' + // two selectors
    '00' + // both the first
    // Lengths 1, 2, 2 for the three symbols, twice.
    '00001'.concat('0', '100', '0').repeat(2) +
    '0'.repeat(4_000);
  const body = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  const bytes = Buffer.from((body.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const stream = Buffer.concat([Buffer.from('425a6839314159265359', 'hex'), bytes]);
  assert.throws(() => unpacked(stream), /a block is too long/);
});
