// The same as linear-time.test.ts for every byte, and for every pair of the signs that formats are made of.
import { test } from 'node:test';
import { needLinear } from '../support/run/linear-time.ts';
import { readers, signs, textsOf } from '../support/samples/slow-texts.ts';

const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
const texts = [...textsOf(signs), ...bytes.flatMap((byte) => textsOf([byte]))];

for (const [name, read] of Object.entries(readers))
  test(`${name}: 256 KiB of any byte and any pair of signs is read in linear time`, async () => {
    for (const [what, text] of texts) await needLinear(what, 256 * 1024, (size) => read(text(size)));
  });
