import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { address, addressField, dateText, messageId, textField } from './header.ts';

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

test('V26 any subject is one field of short lines, and is read as it was meant', async () => {
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
    { numRuns: 2000 },
  );
});

test('V26 any display name stays one name of one address', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const field = addressField('To', text, 'joe@reader.example');
      assertField(field, 78);
      const parsed = await PostalMime.parse(`${field}X-Next: kept\r\n\r\nbody`);
      assert.deepEqual(
        parsed.to?.map((one) => [one.name, one.address]),
        [[seen(text), 'joe@reader.example']],
      );
      assert.equal(parsed.headers.length, 2);
    }),
    { numRuns: 2000 },
  );
});

test('a long plain subject is folded at its spaces', () => {
  const text =
    'Sixteen ways to bake bread, and three more that nobody has ever written down for anyone but their children';
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
    { numRuns: 3000 },
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
