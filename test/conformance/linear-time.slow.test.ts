// The same as linear-time.test.ts for every byte, and for every pair of the signs that formats are made of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullSize, minCpuMs, readers, signs, slowness, textsOf } from '../support/samples/slow-texts.ts';

/**
 * CPU time, 100 ms on the machine that it was set for. Other programs slow down single calls, so the minimum of five counts for
 * a text that exceeds it.
 */
const limitMs = 100 * (await slowness());
const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const texts = [
  ...textsOf(signs),
  ...bytes.map((byte): [string, string] => [`${JSON.stringify(byte)} repeated`, byte.repeat(fullSize)]),
];

for (const [name, read] of Object.entries(readers))
  test(`${name}: 256 KiB of any byte and any pair of signs is read in linear time`, async (t) => {
    let worst = { what: '', ms: 0 };
    for (const [what, text] of texts) {
      const ms = await minCpuMs(read, text, limitMs);
      assert.ok(ms < limitMs, `${what}: ${Math.round(ms)} ms`);
      if (ms > worst.ms) worst = { what, ms };
    }
    t.diagnostic(`at most ${Math.round(worst.ms)} ms of ${Math.round(limitMs)}, for ${worst.what}`);
  });
