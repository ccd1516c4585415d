// No text from outside keeps a process busy: reading 64 KiB takes some milliseconds, whatever the text. A reader that
// needs quadratic time takes half a second and more. 256 KiB of all pairs of signs are in linear-time.slow.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs, readers, textsOf } from '../support/samples/slow-texts.ts';

/** Every reader takes below 30 ms; the rest is for machines that are slow or busy. */
const limitMs = 300;
const pairs = [['\r', ' '], [',', '('], ['<', '"'], ['T']];
const texts = pairs.flatMap((pair) => textsOf(pair, 64 * 1024));

for (const [name, read] of Object.entries(readers))
  test(`${name}: 64 KiB of anything is read in linear time`, async () => {
    for (const [what, text] of texts) {
      const ms = await cpuMs(read, text);
      assert.ok(ms < limitMs, `${what}: ${Math.round(ms)} ms`);
    }
  });
