import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { runs } from '../../../test/support/run/runs.ts';
import { address, addressField, dateText, feedbackId, messageId, phraseOf, textField } from './header.ts';

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        'word',
        ' ',
        '  ',
        'Ünïcödé',
        '😀👩‍👩‍👧',
        '=?utf-8?q?x?=',
        '=?',
        '"',
        '\\',
        '<a@b.example>',
        ',',
        ';',
        '(c)',
        '\r\nBcc: evil@x.example\r\n',
        '\n\nbody',
        '\0',
        '日本語のとても長い件名',
        'a'.repeat(100),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

/** What a reader should see. */
const seen = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+/g, ' ')
    .trim();

/** One field, folded legally: its lines, each but the first beginning with a blank and holding something. */
function assertField(field: string, limit: number): void {
  assert.ok(field.endsWith('\r\n'));
  const lines = field.slice(0, -2).split('\r\n');
  for (const [i, line] of lines.entries()) {
    assert.match(line, /^[ -~]*$/, 'printable ASCII');
    assert.ok(line.length <= limit, `${line.length} characters: ${line}`);
    assert.match(line, i === 0 ? /^[A-Z][A-Za-z-]*:/ : /^ \S/);
    assert.doesNotMatch(line, /\s$/);
  }
}

test('any subject is one field of short lines, and parsers read it back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const field = textField('Subject', text);
      if (seen(text) !== '') assertField(field, /[^ ]{60}/.test(text) ? 998 : 78);
      const parsed = await PostalMime.parse(`${field}X-Next: kept\r\n\r\nbody`);
      assert.equal(parsed.subject ?? '', seen(text));
      assert.deepEqual(
        parsed.headers.map(({ key }) => key),
        ['subject', 'x-next'],
      );
    }),
    { numRuns: runs(2000) },
  );
});

test('any display name stays the name of one address', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const field = addressField('To', text, 'joe@reader.example');
      assertField(field, 78);
      const parsed = await PostalMime.parse(`${field}X-Next: kept\r\n\r\nbody`);
      assert.deepEqual(
        parsed.to?.map((item) => [item.name, item.address]),
        [[seen(text), 'joe@reader.example']],
      );
      assert.equal(parsed.headers.length, 2);
    }),
    { numRuns: runs(2000) },
  );
});

test('a long plain subject is folded at its spaces', () => {
  const text =
    'Sixteen ways to bake bread, and three more that no one has ever written down for anyone but their children';
  assert.equal(textField('Subject', text), `Subject: ${text.slice(0, 63)}\r\n ${text.slice(64)}\r\n`);
});

test('addresses that are safe in a header are taken, others are not', () => {
  const good: [string, boolean, string][] = [
    ['joe@reader.example', false, 'joe@reader.example'],
    ["o'neil+tag=x@sub.reader.example", false, "o'neil+tag=x@sub.reader.example"],
    ['joe@bücher.example', false, 'joe@xn--bcher-kva.example'],
    ['jürgen@reader.example', true, 'jürgen@reader.example'],
    ['jürgen@bücher.example', true, 'jürgen@xn--bcher-kva.example'],
  ];
  for (const [text, utf8, expected] of good) assert.equal(address(text, utf8), expected, text);
  const bad = [
    '',
    '@',
    'joe',
    'joe@',
    '@reader.example',
    'jürgen@reader.example',
    'a b@x.example',
    'a@b@c.example',
    'a@x.example\r\nBcc: e@x.example',
    'a\0@x.example',
    'a@x.example,b@x.example',
    '<a@x.example>',
    'a@x.example> ORCPT=x',
    '"a b"@x.example',
    'a(c)@x.example',
    'a@[127.0.0.1]',
    'a@x example',
    'a@x.example;',
    'a\u2028@x.example',
    `${'a'.repeat(200)}@x.example`,
    'a@\u202ex.example',
    'a@x\u3002example\r\n',
  ];
  for (const text of bad) assert.equal(address(text), null, JSON.stringify(text));
  for (const text of bad.filter((text) => text !== 'jürgen@reader.example'))
    assert.equal(address(text, true), null, JSON.stringify(text));
});

test('no text makes an address that could hold a second one', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        texts,
        texts.map((text) => `${text}@x.example`),
        texts.map((text) => `a@${text}`),
      ),
      fc.boolean(),
      (text, utf8) => {
        const made = address(text, utf8);
        if (made !== null) assert.match(made, /^[^\s<>,;:"()[\]\\\x00-\x20\x7f]+@[A-Za-z0-9.-]+$/);
      },
    ),
    { numRuns: runs(3000) },
  );
});

test('a Message-ID has its angle brackets, and nothing else is one', () => {
  assert.equal(messageId('1.2@mail.example'), '<1.2@mail.example>');
  assert.equal(messageId('<1.2@mail.example>'), '<1.2@mail.example>');
  for (const bad of ['', 'x', 'a@b\r\nX: y', '<a@b> <c@d>', 'a b@c', 'a@b@c', '<a@b', `${'a'.repeat(300)}@b`]) {
    assert.equal(messageId(bad), null, bad);
  }
});

test('the date is that of RFC 5322', () => {
  assert.equal(dateText(new Date('2026-03-04T05:06:07Z')), 'Wed, 04 Mar 2026 05:06:07 +0000');
});

test('a plain subject is folded as soon as its line would have more than 76 characters', () => {
  for (const length of [66, 67, 68, 69]) {
    const text = `${'a'.repeat(30)} ${'b'.repeat(length - 31)}`;
    const expected = length <= 67 ? `Subject: ${text}\r\n` : `Subject: ${text.replace(' ', '\r\n ')}\r\n`;
    assert.equal(textField('Subject', text), expected, String(length));
  }
  const words = (count: number) => Array.from({ length: count }, () => 'w'.repeat(24));
  const [a, b, c] = words(3);
  // The lines after the first hold 76 characters with their leading space.
  assert.equal(textField('S', [...words(3), ...words(3)].join(' ')), `S: ${a} ${b}\r\n ${c} ${a} ${b}\r\n ${c}\r\n`);
  assert.equal(
    textField('Subject', `${'a'.repeat(67)} ${'b'.repeat(37)} ${'c'.repeat(37)} ${'d'.repeat(37)}x`),
    `Subject: ${'a'.repeat(67)}\r\n ${'b'.repeat(37)} ${'c'.repeat(37)}\r\n ${'d'.repeat(37)}x\r\n`,
  );
  assert.equal(
    textField('Subject', `${'a'.repeat(67)} ${'b'.repeat(37)} ${'c'.repeat(38)}`),
    `Subject: ${'a'.repeat(67)}\r\n ${'b'.repeat(37)}\r\n ${'c'.repeat(38)}\r\n`,
  );
});

test('a plain text that cannot be folded at spaces becomes encoded-words', () => {
  assert.equal(textField('S', 'x'.repeat(199)), `S: ${'x'.repeat(199)}\r\n`);
  assert.match(textField('S', 'x'.repeat(200)), /^S: =\?UTF-8\?Q\?x+\?=\r\n /);
  assert.match(textField('S', `${'x '.repeat(50)} x`), /^S: =\?UTF-8\?Q\?/);
  assert.equal(textField('S', 'a =? b'), 'S: =?UTF-8?Q?a_=3D=3F_b?=\r\n');
});

test('a name is an atom, a quoted string or encoded-words', () => {
  const table: [name: string, column: number, expected: string][] = [
    ['Joe', 4, 'Joe'],
    ['Joe M. Reader', 4, '"Joe M. Reader"'],
    ['Joe "X" \\', 4, '"Joe \\"X\\" \\\\"'],
    ['Jürgen', 4, '=?UTF-8?Q?J=C3=BCrgen?='],
    ['a?=_ü', 4, '=?UTF-8?Q?a=3F=3D=5F=C3=BC?='],
    ['日本', 4, '=?UTF-8?B?5pel5pys?='],
    // A third of foreign characters is still quoted, more is base64.
    ['aaü', 4, '=?UTF-8?Q?aa=C3=BC?='],
    ['aü', 4, '=?UTF-8?B?YcO8?='],
    ['x'.repeat(68), 4, 'x'.repeat(68)],
    ['x'.repeat(69), 4, `=?UTF-8?Q?${'x'.repeat(59)}?=\r\n =?UTF-8?Q?${'x'.repeat(10)}?=`],
  ];
  for (const [name, column, expected] of table) assert.equal(phraseOf(name, column), expected, name);
});

test('encoded-words fill their lines without going beyond 76 characters', () => {
  const lines = (field: string) => field.trimEnd().split('\r\n');
  const quoted = lines(textField('Subject', `ü${'x'.repeat(300)}`));
  assert.deepEqual([...new Set(quoted.slice(1, -1).map((line) => line.length))], [75]);
  assert.equal(quoted[0]!.length, 75);
  const base64 = lines(textField('Subject', 'я'.repeat(100)));
  assert.deepEqual(
    base64.map((line) => line.length),
    [73, 73, 73, 73, 53],
  );
  // A long field name shortens the first word by at most 40 characters.
  assert.equal(lines(textField('X'.repeat(60), `ü${'x'.repeat(300)}`))[0]!.length, 97);
});

test('an address moves to the next line when its line would have more than 76 characters', () => {
  const field = (length: number) => addressField('To', 'Joe', `${'a'.repeat(length - 10)}@x.example`);
  // "To: Joe <" and ">" are 10 characters.
  assert.equal(field(66), `To: Joe <${'a'.repeat(56)}@x.example>\r\n`);
  assert.equal(field(67), `To: Joe\r\n <${'a'.repeat(57)}@x.example>\r\n`);
  assert.equal(addressField('To', ' ', 'a@x.example'), 'To: <a@x.example>\r\n');
  const folded = addressField('To', `ü${'x'.repeat(70)}`, 'a@x.example').split('\r\n');
  assert.equal(folded[1]!.endsWith(' <a@x.example>'), true, 'behind a last line that has room');
});

test('the longest addresses and identifiers', () => {
  const at = (local: number, letter: string, domain = 'x.example') => `${letter.repeat(local)}@${domain}`;
  for (const [text, utf8, expected] of [
    [at(64, 'a'), false, at(64, 'a')],
    [at(128, 'ü'), true, at(128, 'ü')],
    [at(129, 'ü'), true, null],
    [at(1, 'a', `${'d'.repeat(63)}.example`), false, at(1, 'a', `${'d'.repeat(63)}.example`)],
    [at(1, 'a', 'd'.repeat(253)), false, at(1, 'a', 'd'.repeat(253))],
    [at(1, 'a', 'd'.repeat(254)), false, null],
    ['ü@x.example', true, 'ü@x.example'],
  ] as const)
    assert.equal(address(text, utf8), expected, text);
  assert.equal(messageId(`${'a'.repeat(240)}@${'b'.repeat(240)}`)?.length, 483);
  assert.equal(messageId(`${'a'.repeat(241)}@b`), null);
  assert.equal(messageId(`a@${'b'.repeat(241)}`), null);
  assert.equal(messageId('a@b>'), null);
  assert.equal(messageId('<a@b>'), '<a@b>');
});

test('an address begins a new line exactly when it does not fit the line of the display name', () => {
  for (const letter of ['A', 'é', '日'])
    for (let length = 1; length <= 110; length++)
      for (const addressLength of [12, 40, 58]) {
        const target = `${'a'.repeat(addressLength - 10)}@x.example`;
        const lines = addressField('Reply-To', letter.repeat(length), target).slice(0, -2).split('\r\n');
        const last = lines.at(-1)!;
        assert.ok(last.endsWith(` <${target}>`));
        if (last === ` <${target}>`)
          assert.ok(lines.at(-2)!.length + 1 + target.length + 2 > 76, `${letter} ${length}`);
        else assert.ok(last.length <= 76, `${letter} ${length}: ${last}`);
      }
});

test('a plain display name is quoted or encoded only where it has to be', () => {
  const cases: [name: string, column: number, phrase: string][] = [
    ['A'.repeat(62), 10, 'A'.repeat(62)],
    ['A'.repeat(63), 10, `=?UTF-8?Q?${'A'.repeat(53)}?=\r\n =?UTF-8?Q?${'A'.repeat(10)}?=`],
    ['Joe, "the" \\', 4, '"Joe, \\"the\\" \\\\"'],
    ['é~~~', 4, '=?UTF-8?Q?=C3=A9=7E=7E=7E?='],
    ['éab', 4, '=?UTF-8?Q?=C3=A9ab?='],
    ['éa', 4, '=?UTF-8?B?w6lh?='],
    ['\x7f', 4, '=?UTF-8?B?fw==?='],
    ['\x01ab', 4, '=?UTF-8?Q?=01ab?='],
    ['a b\u0080', 4, '=?UTF-8?Q?a_b=C2=80?='],
  ];
  for (const [name, column, phrase] of cases) assert.equal(phraseOf(name, column), phrase, name);
});

test('a plain display name may fill the line of its field', () => {
  const field = (length: number) => addressField('To', 'A'.repeat(length), 'a@b.example');
  assert.equal(field(68), `To: ${'A'.repeat(68)}\r\n <a@b.example>\r\n`);
  assert.match(field(69), /^To: =\?UTF-8\?Q\?A/);
});

test('encoded words are as long as their line allows', () => {
  const lengths = (text: string) =>
    [...textField('Subject', text).matchAll(/\?[BQ]\?([^?]*)\?=/g)].map(([, word]) => word!.length);
  assert.deepEqual(lengths('日'.repeat(36)), [52, 60, 32]);
  assert.deepEqual(lengths(`=?${'a'.repeat(150)}`), [54, 62, 40]);
});

test('a message id has both angle brackets or none', () => {
  assert.deepEqual(['<a@b.example>', 'a@b.example'].map(messageId), ['<a@b.example>', '<a@b.example>']);
  assert.deepEqual(['<a@b.example', 'ab@b.example>', 'a@b@c', '<>', ''].map(messageId), [null, null, null, null, null]);
});

test('the sender in Feedback-ID is short, the same for all campaigns of an account and domain, and another for others', () => {
  const of = { campaign: 'c1', account: 'a2', kind: 'campaign', fromEmail: 'News@Very-Long-Name.news.example.com' };
  const sender = (value: string) => value.split(':')[3]!;
  const id = feedbackId(of);
  assert.match(id, /^c1:a2:campaign:[0-9a-f]{12}$/);
  const same = feedbackId({
    ...of,
    campaign: 'c2',
    kind: 'welcome',
    fromEmail: 'desk@very-long-name.news.example.com',
  });
  assert.equal(sender(same), sender(id));
  for (const other of [{ account: 'a3' }, { fromEmail: 'news@example.com' }])
    assert.notEqual(sender(feedbackId({ ...of, ...other })), sender(id));
});
