// The fast reader of records against csv-parse: the same cells on the same lines, however the text is split.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { runs } from '../../../../test/support/run/runs.ts';
import type { Format } from '../plan.ts';
import { type FileRecord, firstLine, readRecords } from './records.ts';
import type { ImportRefusal } from './refusal.ts';

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

test('a backslash in a quoted cell takes the next character as it is, and lines are counted on', async () => {
  const text = 'sep=,\nname,note\nplain,\\N\n"A \\"x\\" B","C:\\\\new"\n"two\\\nlines","\\", y"\nC:\\new,\\N\n';
  const shape: Format = { ...format, header: true, separatorLine: true, backslash: true };
  for (const cut of [1, 7, 65_536])
    assert.deepEqual(await all(text, shape, cut), [
      { cells: ['plain', '\\N'], line: 3 },
      { cells: ['A "x" B', 'C:\\new'], line: 4 },
      { cells: ['two\nlines', '", y'], line: 6 },
      { cells: ['C:\\new', '\\N'], line: 7 },
    ]);
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

test('each record has its line, whatever ends the lines', async () => {
  for (const end of ['\n', '\r', '\r\n'])
    for (const cut of [1, 2, 65_536])
      assert.deepEqual(
        await all(`a${end}${end}"b",c${end}d${end}`, format, cut),
        [
          { cells: ['a'], line: 1 },
          { cells: ['b', 'c'], line: 3 },
          { cells: ['d'], line: 4 },
        ],
        `${JSON.stringify(end)} ${cut}`,
      );
});

test('a quoted cell of several lines counts all of them', async () => {
  for (const [cell, line] of [
    ['x\ny', 2],
    ['x\r\ny', 2],
    ['x\ry\n', 3],
  ] as const)
    assert.deepEqual(await all(`"${cell}","z"\nb\n`, format, 65_536), [
      { cells: [cell, 'z'], line },
      { cells: ['b'], line: line + 1 },
    ]);
});

test('doubled quotation marks are read, and records after an odd one continue with its line', async () => {
  assert.deepEqual(await all('"a ""b"" c",d\n', format, 65_536), [{ cells: ['a "b" c', 'd'], line: 1 }]);
  assert.deepEqual(await all('a\n"b" c,"e"\nf\n', format, 65_536), [
    { cells: ['a'], line: 1 },
    { cells: ['"b" c', 'e'], line: 2 },
    { cells: ['f'], line: 3 },
  ]);
});

test('the heading is skipped in a group of its own and before odd records', async () => {
  const withHeading = { ...format, header: true };
  assert.deepEqual(await all('a\n', withHeading, 65_536), []);
  assert.deepEqual(await all('"odd" heading\nb\n', withHeading, 65_536), [{ cells: ['b'], line: 2 }]);
  assert.deepEqual(await all('', withHeading, 65_536), []);
});

/** The records of pieces of text, cut as given. */
async function ofPieces(pieces: string[], size = 64): Promise<FileRecord[][]> {
  const groups: FileRecord[][] = [];
  const bytes = async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  };
  for await (const group of readRecords(bytes(), format, size)) groups.push(group);
  return groups;
}

test('a quoted record is read only when it is all there', async () => {
  assert.deepEqual(await ofPieces(['"a\nb",c', 'd\ne\n']), [
    [
      { cells: ['a\nb', 'cd'], line: 2 },
      { cells: ['e'], line: 3 },
    ],
  ]);
  assert.deepEqual((await ofPieces(['"a\nb"\r', '\nc\n'])).flat(), [
    { cells: ['a\nb'], line: 2 },
    { cells: ['c'], line: 3 },
  ]);
  assert.deepEqual((await ofPieces(['"a\nb"', '"c"\n'])).flat(), [{ cells: ['a\nb"c'], line: 2 }]);
});

test('groups have the given size', async () => {
  const sizes = async (pieces: string[], size: number) => (await ofPieces(pieces, size)).map((group) => group.length);
  assert.deepEqual(await sizes(['a\n'.repeat(5)], 2), [2, 2, 1]);
  assert.deepEqual(await sizes(['"a" b\n'.repeat(5)], 2), [2, 2, 1]);
});

test('a record that is too long is reported with or without quotation marks, and an error of the source is passed on', async () => {
  await assert.rejects(
    ofPieces(['x'.repeat(300_000)]),
    (error: ImportRefusal) => error.reason.key === 'import.record_too_long',
  );
  await assert.rejects(
    ofPieces([`"${'x'.repeat(300_000)}`]),
    (error: ImportRefusal) => error.reason.key === 'import.quoted_record_too_long',
  );
  const broken = async function* () {
    yield Buffer.from('"a" b\n');
    throw new Error('no more');
  };
  await assert.rejects(async () => {
    for await (const group of readRecords(broken(), format, 4)) assert.ok(group);
  }, /no more/);
});
