// Addresses that were copied from an email program: which texts are such, and the address and name of each record.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressHeadings, addressRecords, addressRows, addressShape } from './address-lines.ts';

/** Address and name of each record, as "address=name". */
const rows = (text: string) => addressRows(text, true, false, 100).map((cells) => cells.join('='));

/** The records of a text that arrives in pieces of so many bytes, in groups. */
async function records(text: string, { header = false, size = 1_000, pieceBytes = 1 << 20 } = {}) {
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const groups: { cells: string[]; line: number }[][] = [];
  for await (const group of addressRecords(pieces(), header, size)) groups.push(group);
  return groups;
}

const lists: [text: string, heading?: string][] = [
  ['a@x.example, b@x.example'],
  ['a@x.example;b@x.example\nc@x.example'],
  ['Ann <a@x.example>'],
  ['"Lee, Ann" <a@x.example>\nb@x.example'],
  ['Lee, Ann <a@x.example>; Roe, Bo <b@x.example>'],
  ['Lee, Ann <a@x.example>;'],
  ['Lee, Ann <a@x.example>, b@x.example'],
  ['Email\na@x.example b@x.example', 'Email'],
  [' My contacts \r\rAnn <a@x.example>\r\n', 'My contacts'],
  [`${'x'.repeat(201)}\nAnn <a@x.example>`, 'x'.repeat(200)],
  ['\ufeffAnn <a@x.example>'],
  ['Ann <a@x.example>, bad@@x.example'],
  ['Unsubscribed: a@x.example, b@x.example'],
  ['Ann <a@x.example>\nlost words\nBob <b@x.example>'],
];
for (const [text, heading = ''] of lists)
  test(`a list of addresses: ${JSON.stringify(text.slice(0, 60))}`, () =>
    assert.deepEqual(addressShape(text, true), { isAddresses: true, heading }));

const tables = [
  '',
  ' \n\t',
  'a@x.example\nb@x.example',
  'Email\na@x.example',
  'Email,Name\na@x.example;b@x.example',
  'Email\tName\nAnn <a@x.example>',
  'Email|Name\nAnn <a@x.example>',
  'a@x.example,Ann\nb@x.example,Bob',
  'Lee, Ann <a@x.example>',
  'Ann;a@x.example',
  'a@x.example, b@x.example\nlost words',
  'Some text\nwithout\naddresses',
];
for (const text of tables)
  test(`no list of addresses: ${JSON.stringify(text)}`, () =>
    assert.deepEqual(addressShape(text, true), { isAddresses: false, heading: '' }));

test('the last line of a sample may be cut, so it decides nothing unless it is the only one', () => {
  assert.equal(addressShape('Ann <a@x.example>\nBob Mill', false).isAddresses, true);
  assert.equal(addressShape('Ann <a@x.example>\nBob Mill', true).isAddresses, false);
  assert.equal(addressShape('Ann <a@x.example>, Bob Mill', false).isAddresses, false);
  assert.equal(addressShape('Ann <a@x.example>', false).isAddresses, true);
  assert.deepEqual(addressRows('a@x.example\nb@x.exam', false, false, 9), [['a@x.example', '']]);
  assert.deepEqual(addressRows('a@x.example, b@x.exam', false, false, 9), [
    ['a@x.example', ''],
    ['b@x.exam', ''],
  ]);
});

test('the first rows leave out the heading and empty lines', () => {
  const text = '\ufeff\nContacts\n\na@x.example;b@x.example\rc@x.example';
  const addresses = (count: number) => addressRows(text, true, true, count).map(([address]) => address);
  assert.deepEqual(addresses(9), ['a@x.example', 'b@x.example', 'c@x.example']);
  assert.deepEqual(addresses(1), ['a@x.example']);
  assert.deepEqual(addresses(2), ['a@x.example', 'b@x.example']);
  assert.equal(addressRows(text, true, false, 9)[0]?.[0], 'Contacts');
  assert.deepEqual(addressHeadings, ['Email', 'Name']);
});

const scanned: [text: string, ...records: string[]][] = [
  ['a@x.example', 'a@x.example='],
  ['<a@x.example>', 'a@x.example='],
  ['Ann Lee <a@x.example>', 'a@x.example=Ann Lee'],
  ['Ann < mailto:a@x.example >', 'a@x.example=Ann'],
  ['Ann [mailto:a@x.example]', 'a@x.example=Ann'],
  ['Ann <>', '=Ann'],
  ['"Lee, Ann" <a@x.example>', 'a@x.example=Lee, Ann'],
  ["'Ann' <a@x.example>", 'a@x.example=Ann'],
  ['"Ann \\"A\\" Lee" <a@x.example>, b@x.example', 'a@x.example=Ann "A" Lee', 'b@x.example='],
  ['"A \\\\ B" <a@x.example>', 'a@x.example=A \\ B'],
  ['"Ann" Lee <a@x.example>', 'a@x.example="Ann" Lee'],
  ['Lee, Ann <a@x.example>', 'a@x.example=Lee, Ann'],
  ['Lee, Ann <a@x.example>, Roe, Bo <b@x.example>', 'a@x.example=Lee, Ann', 'b@x.example=Roe, Bo'],
  ['Ann <a@x.example> Bob <b@x.example>', 'a@x.example=Ann', 'b@x.example=Bob'],
  ['"A@X.example" <a@x.example>', 'a@x.example='],
  ['a@x.example b@x.example', 'a@x.example=', 'b@x.example='],
  ['a@x.example\tb@x.example', 'a@x.example=', 'b@x.example='],
  [
    'a@x.example，b@x.example；c@x.example、d@x.example',
    'a@x.example=',
    'b@x.example=',
    'c@x.example=',
    'd@x.example=',
  ],
  ['Ann，a＠x.example', 'Ann=', 'a@x.example='],
  ['Lee，Ann <a﹫x.example>', 'a@x.example=Lee, Ann'],
  ['lost; Ann <a@x.example>', 'lost=', 'a@x.example=Ann'],
  ['lost, words', 'lost, words='],
  ['lost words, a@x.example', 'lost words=', 'a@x.example='],
  ['lost a@x.example', 'lost a@x.example='],
  ['a@x.example;; ;b@x.example;', 'a@x.example=', 'b@x.example='],
  ['<a,b;c@x.example>, b@x.example', 'a,b;c@x.example=', 'b@x.example='],
  ['Ann "Lee <a@x.example>, b@x.example', 'a@x.example=Ann "Lee', 'b@x.example='],
  ['"A; B" <a@x.example>; "C" <c@x.example>', 'a@x.example=A; B', 'c@x.example=C'],
  ['<"a b"@x.example>; c@x.example', '"a b"@x.example=', 'c@x.example='],
  ['"A \\"; B\\"" <a@x.example>; c@x.example', 'a@x.example=A "; B"', 'c@x.example='],
  ['lost,; Ann <a@x.example>', 'lost=', 'a@x.example=Ann'],
  ['lost，； Ann <a@x.example>', 'lost=', 'a@x.example=Ann'],
  ['lost,、Ann <a@x.example>', 'lost=', 'a@x.example=Ann'],
  ['lost,\tAnn <a@x.example>', 'lost=', 'a@x.example=Ann'],
  ['To: Ann <a@x.example>', 'a@x.example=Ann'],
  ['Bcc:  a@x.example', 'a@x.example='],
  ['Re:a@x.example', 'Re:a@x.example='],
  ['Unsubscribed: a@x.example, b@x.example', 'Unsubscribed:=', 'a@x.example=', 'b@x.example='],
  ['  Opt-outs: Ann <a@x.example>', 'Opt-outs:=', 'a@x.example=Ann'],
];
for (const [text, ...expected] of scanned)
  test(`records of: ${JSON.stringify(text)}`, () => assert.deepEqual(rows(text), expected));

test('a record has the number of its line, with any line ends, however the text is cut into pieces', async () => {
  const text = 'Ann Zoë <a@x.example>\r\nb@x.example; c@x.example\r\rd@x.example\n\ne@x.example\r';
  const expected = [
    ['a@x.example', 1],
    ['b@x.example', 2],
    ['c@x.example', 2],
    ['d@x.example', 4],
    ['e@x.example', 6],
  ];
  for (const pieceBytes of [1, 2, 3, 1_000]) {
    const found = (await records(text, { pieceBytes })).flat();
    assert.deepEqual(
      found.map(({ cells, line }) => [cells[0], line]),
      expected,
      `${pieceBytes} bytes`,
    );
    assert.equal(found[0]!.cells[1], 'Ann Zoë');
  }
});

test('records come in groups of the size, the last one smaller, without the heading', async () => {
  const sizes = async (text: string, size: number) =>
    (await records(text, { header: true, size })).map((group) => group.map(({ cells }) => cells[0]));
  assert.deepEqual(await sizes('\nContacts\na;b;c\nd', 2), [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(await sizes('Contacts\na;b;c', 2), [['a', 'b'], ['c']]);
  assert.deepEqual(await sizes('Contacts\n', 2), []);
});

test('a long line is read in parts, and no address is cut or lost', async () => {
  const forms: ((n: number) => string)[] = [
    (n) => `Person ${n} <p${n}@x.example>; `,
    (n) => `Person ${n} <p${n}@x.example>,`,
    (n) => `Person ${n} <p${n}@x.example>\t`,
    (n) => `"Last ${n}, First" <p${n}@x.example> `,
    (n) => `p${n}@x.example,`,
    (n) => `p${n}@x.example `,
  ];
  for (const form of forms) {
    const text = Array.from({ length: 6_000 }, (_, n) => form(n)).join('');
    for (const pieceBytes of [10_000, 1 << 20]) {
      const found = (await records(text, { pieceBytes })).flat();
      assert.deepEqual(
        found.map(({ cells }) => cells[0]),
        Array.from({ length: 6_000 }, (_, n) => `p${n}@x.example`),
        `${form(1)}, ${pieceBytes}`,
      );
      assert.ok(found.every(({ line }) => line === 1));
    }
  }
});

test('a line whose addresses cannot be divided is refused above 256 kB', async () => {
  const kilobyte = 1024;
  const one = (length: number) => `${'a'.repeat(length - 10)}@x.example`;
  const longest = await records(one(256 * kilobyte), { pieceBytes: kilobyte });
  assert.equal(longest.flat()[0]!.cells[0]!.length, 256 * kilobyte);
  await assert.rejects(records(one(256 * kilobyte + 1), { pieceBytes: kilobyte }), {
    name: 'ImportRefusal',
    message: /more than 256 KiB without an address/,
  });
});
