// The file of a backup: what goes in comes out, and nothing that was changed does.
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { decrypting, encrypting } from './encryption.ts';

const passphrase = 'a passphrase of the test';
const cost = 4;
/** Pieces of odd sizes, as they come from a network. */
const pieces = (content: Buffer): Readable =>
  Readable.from(
    (function* () {
      for (let from = 0, size = 0; from < content.length; from += size) {
        size = randomInt(1, 200_000);
        yield content.subarray(from, from + size);
      }
    })(),
  );
const encrypted = async (content: Buffer) => buffer(pieces(content).pipe(await encrypting(passphrase, cost)));
const decrypted = (file: Buffer, word = passphrase) =>
  new Promise<Buffer>((resolve, reject) => {
    const stream = decrypting(word);
    stream.on('error', reject);
    buffer(pieces(file).pipe(stream)).then(resolve, reject);
  });

test('contents of all sizes come back', async () => {
  for (const size of [0, 1, 262_143, 262_144, 262_145, 1_000_000]) {
    const content = randomBytes(size);
    assert.deepEqual(await decrypted(await encrypted(content)), content, `${size}`);
  }
});

test('two files of the same content differ, and neither contains it', async () => {
  const content = Buffer.from('an address: reader@example.com '.repeat(100));
  const [one, two] = [await encrypted(content), await encrypted(content)];
  assert.notDeepEqual(one, two);
  assert.ok(!one.includes('reader'));
});

test('another passphrase is reported', async () => {
  await assert.rejects(decrypted(await encrypted(randomBytes(500_000)), 'another passphrase'), /passphrase is wrong/);
});

test('a changed octet anywhere is found', async () => {
  const file = await encrypted(randomBytes(600_000));
  const places = [0, 18, 20, 30, 36, 37, 39, 45, 300_000, file.length - 1];
  for (const at of [...places, ...Array.from({ length: 10 }, () => randomInt(file.length))]) {
    // The cost is next to the mark: a higher one would only take longer to be refused.
    if (at === 19) continue;
    const changed = Buffer.from(file);
    changed[at]! ^= 1;
    await assert.rejects(
      decrypted(changed),
      /passphrase is wrong|damaged|changed|not a backup|newer|end is missing/,
      `${at}`,
    );
  }
});

test('a file that was cut anywhere is incomplete', async () => {
  const file = await encrypted(randomBytes(600_000));
  // After whole frames, too.
  const frame = 4 + 262_144 + 16;
  const header = 36;
  for (const length of [0, 10, header, header + 3, header + frame, header + 2 * frame, file.length - 1])
    await assert.rejects(decrypted(file.subarray(0, length)), /incomplete|not a backup/, `${length}`);
});

test('frames that were swapped, left out, doubled or added are found', async () => {
  const file = await encrypted(randomBytes(800_000));
  const frame = 4 + 262_144 + 16;
  const header = file.subarray(0, 36);
  const [one, two, rest] = [
    file.subarray(36, 36 + frame),
    file.subarray(36 + frame, 36 + 2 * frame),
    file.subarray(36 + 2 * frame),
  ];
  const whole = (...parts: Buffer[]) => Buffer.concat([header, ...parts]);
  assert.equal((await decrypted(whole(one, two, rest))).length, 800_000);
  for (const changed of [
    whole(two, one, rest),
    whole(one, rest),
    whole(one, one, two, rest),
    whole(one, two, rest, rest),
  ])
    await assert.rejects(decrypted(changed), /passphrase is wrong|damaged|changed/);
});

test('a file of something else is refused', async () => {
  await assert.rejects(decrypted(Buffer.from('-- PostgreSQL database dump\n'.repeat(10))), /not a backup/);
  await assert.rejects(decrypted(Buffer.from(`postrider backup 2\n${'x'.repeat(100)}`)), /newer/);
});
