// The fast reader of records against csv-parse: the same cells on the same lines, however the text is split.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { runs } from '../../../../test/support/run/runs.ts';
import type { Format } from '../plan.ts';
import { type FileRecord, firstLine, readRecords } from './records.ts';

const format: Format = {
  packing: 'none',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  header: false,
  separatorLine: false,
};

test('records are read as csv-parse reads them, however the text is cut into pieces', async () => {
  const signs = fc.constantFrom('a', 'é', '😀', ' ', ',', ',', '"', '"', '""', '\n', '\r\n', '\r', '"x"', ',"y",');
  await fc.assert(
    fc.asyncProperty(
      fc.array(signs, { maxLength: 25 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (list, cut, quoting) => {
        const text = list.join('');
        const shape = quoting ? format : { ...format, quote: '' };
        const read = await all(text, shape, cut).catch((error: Error) => error.message.includes('not closed'));
        let expected: FileRecord[] | true;
        try {
          expected = byCsvParse(text, shape);
        } catch {
          expected = true;
        }
        // Within quotes csv-parse counts a carriage return and its line feed as two lines.
        const returned = (result: FileRecord[] | boolean) =>
          typeof result !== 'boolean' && text.includes('\r') ? result.map((record) => record.cells) : result;
        assert.deepEqual(returned(read), returned(expected), JSON.stringify(text));
      },
    ),
    { numRuns: runs(1_500) },
  );
});

test('the header line and the line that names the separator are skipped', async () => {
  const read = await all(
    'sep=;\na;b\n1;"2;\n3"\n',
    { ...format, delimiter: ';', header: true, separatorLine: true },
    3,
  );
  assert.deepEqual(read, [{ cells: ['1', '2;\n3'], line: 4 }]);
});

test('records after a misplaced quotation mark come in groups of the given size as well', async () => {
  assert.equal((await all('"odd" one,b\n'.repeat(10), format, 64)).length, 10);
});

test('a line without an end and a quotation mark without an end are refused', async () => {
  await assert.rejects(all('x'.repeat(600_000), format, 65_536), /record on line 1 is longer than 256 KiB/);
  await assert.rejects(all(`a,"${'x\n'.repeat(300_000)}`, format, 65_536), /record on line 1 is longer than 256 KiB/);
});

test('a record that is too long is reported with the line it begins on, whatever precedes it', async () => {
  const plain = 'a,b\n"c\nd",e\n\n\n';
  const long = 'x'.repeat(10_000_000);
  for (const before of [plain, `${plain}a "odd" one,b\nf,g\n\n`]) {
    const line = before.split('\n').length;
    for (const record of [long, `"${long}"`, `y,"${'x\n'.repeat(300_000)}`])
      await assert.rejects(
        all(`${before}${record}\nz,z\n`, format, 65_536),
        new RegExp(`record on line ${line} is longer than 256 KiB`),
        `${JSON.stringify(before)} and ${record.slice(0, 5)}`,
      );
    await assert.rejects(all(`${before}y,"z\nz\n`, format, 65_536), new RegExp(`mark on line ${line} is not closed`));
  }
});

test('a record of the maximum size is read, one character more is refused', async () => {
  const max = 256 * 1024;
  const reads = async (text: string, shape = format) => (await all(text, shape, 65_536)).flatMap(({ cells }) => cells);
  const longest = 'x'.repeat(max);
  for (const end of ['', '\n', '\r', '\r\n']) {
    assert.deepEqual(await reads(`${longest}${end}`), [longest]);
    await assert.rejects(reads(`${longest}x${end}`), /record on line 1 is longer/);
  }
  assert.deepEqual(await reads(`"${'x'.repeat(max - 1)}"\n`), ['x'.repeat(max - 1)]);
  const quotes = `"${'x'.repeat(max)}`;
  await assert.rejects(reads(quotes, { ...format, quote: '' }), /record on line 1 is longer/);
});

test('the first line of a record is that of its first cell', () => {
  assert.equal(firstLine({ cells: ['a', 'b'], line: 7 }), 7);
  assert.equal(firstLine({ cells: ['a\nb', 'c\r\nd\re'], line: 7 }), 4);
});

async function all(text: string, shape: Format, cut: number): Promise<FileRecord[]> {
  const bytes = Buffer.from(text);
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut);
  };
  const records: FileRecord[] = [];
  for await (const group of readRecords(pieces(), shape, 4)) {
    assert.ok(group.length <= 4);
    records.push(...group);
  }
  return records;
}

function byCsvParse(text: string, shape: Format): FileRecord[] {
  const records = parse(text, {
    delimiter: shape.delimiter,
    quote: shape.quote === '' ? null : shape.quote,
    escape: shape.quote === '' ? null : shape.quote,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
  }) as unknown as { record: string[]; info: { lines: number } }[];
  return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
}
