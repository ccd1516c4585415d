// No text from outside keeps a process busy: four times the text takes about four times the time, whatever it consists of. A ratio
// holds on every machine. 256 KiB of every byte and of all pairs of signs are in linear-time.slow.test.ts.
import { test } from 'node:test';
import { needLinear } from '../support/run/linear-time.ts';
import { readers, textsOf } from '../support/samples/slow-texts.ts';

const pairs = [['\r', ' '], [',', '('], ['<', '"'], ['T']];
const texts = pairs.flatMap((pair) => textsOf(pair));

for (const [name, read] of Object.entries(readers))
  test(`${name}: 64 KiB of anything is read in linear time`, async () => {
    for (const [what, text] of texts) await needLinear(what, 64 * 1024, (size) => read(text(size)));
  });
