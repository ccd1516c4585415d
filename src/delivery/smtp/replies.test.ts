// Reading replies: independent of how the bytes are split, bounded, and honest about invalid ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { enhancedOf, type Flaw, type Reply, ReplyReader, replied, replyCapBytes } from './replies.ts';

function read(pieces: Buffer[]): { replies: Reply[]; flaw: Flaw | undefined } {
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  for (const piece of pieces) {
    const flaw = reader.push(piece, (reply) => replies.push(reply) > 0);
    if (flaw) return { replies, flaw };
  }
  return { replies, flaw: undefined };
}

const line = fc.string({ unit: fc.constantFrom('a', ' ', '-', '.', '5', '\u00e4', '\t'), maxLength: 20 });
const reply = fc.record({
  code: fc.integer({ min: 200, max: 599 }),
  lines: fc.array(line, { minLength: 1, maxLength: 5 }),
});

test('replies are the same however their bytes are split', () => {
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(400)), (given, cuts) => {
      const wire = Buffer.from(
        given
          .map(({ code, lines }) =>
            lines.map((text, i) => `${code}${i === lines.length - 1 ? ' ' : '-'}${text}\r\n`).join(''),
          )
          .join(''),
      );
      const at = [0, ...cuts.map((cut) => cut % (wire.length + 1)).sort((a, b) => a - b), wire.length];
      const pieces = at.slice(1).map((end, i) => wire.subarray(at[i], end));
      const { replies, flaw } = read(pieces);
      assert.equal(flaw, undefined);
      assert.deepEqual(
        replies.map(({ code, lines }) => ({
          code,
          lines: lines.map((text) => Buffer.from(text, 'latin1').toString()),
        })),
        given.map(({ code, lines }) => ({ code, lines })),
      );
    }),
  );
});

test('whatever a server sends, the reader neither throws nor holds more than the cap', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (pieces) => {
      const { flaw } = read(pieces.map((piece) => Buffer.from(piece)));
      return flaw === undefined || flaw.flaw === 'garbage' || flaw.flaw === 'too_long';
    }),
  );
});

const flaws: [name: string, wire: string, flaw: Flaw['flaw'] | undefined][] = [
  ['a bare code', '250\r\n', undefined],
  ['a line ended by LF alone', '250 ok\n', undefined],
  ['a NUL in the text', '250 o\0k\r\n', undefined],
  ['a NUL in the code', '2\x0050 ok\r\n', 'garbage'],
  ['a code of the class 1', '100 go\r\n', 'garbage'],
  ['a code of the class 6', '600 go\r\n', 'garbage'],
  ['a word', 'hello\r\n', 'garbage'],
  ['an empty line', '\r\n', 'garbage'],
  ['a code of four digits', '2500 ok\r\n', 'garbage'],
  ['one reply of two classes', '250-ok\r\n550 no\r\n', 'garbage'],
  ['one reply of two codes in a class', '250-ok\r\n251 ok\r\n', undefined],
  ['a line longer than the cap', `250 ${'x'.repeat(replyCapBytes)}\r\n`, 'too_long'],
  ['a line longer than the cap that never ends', `250 ${'x'.repeat(replyCapBytes)}`, 'too_long'],
  ['lines that together are longer than the cap', '250-xxxxxxxx\r\n'.repeat(replyCapBytes / 14 + 1), 'too_long'],
  ['many short replies that together are longer than the cap', '250 ok\r\n'.repeat(replyCapBytes), undefined],
];
for (const [name, wire, flaw] of flaws)
  test(`${name} is ${flaw ?? 'read'}`, () => {
    assert.equal(read([Buffer.from(wire)]).flaw?.flaw, flaw);
  });

test('the enhanced code is used if it comes first and matches the class', () => {
  const of = (code: number, text: string) => enhancedOf({ code, lines: [text] });
  assert.equal(of(550, '5.1.1 no such user'), '5.1.1');
  assert.equal(of(550, '5.1.1'), '5.1.1');
  assert.equal(of(550, '5.1.1: no'), '5.1.1');
  assert.equal(of(250, '5.1.1 no'), undefined);
  assert.equal(of(550, '5.1.1.2 no'), undefined);
  assert.equal(of(550, 'see 5.1.1'), undefined);
  assert.equal(of(550, '192.0.2.1 is listed'), undefined);
});

test('the stored text of a reply is one clean line of at most 1,000 characters', () => {
  const { text } = replied({ code: 550, lines: ['5.1.1 a\x00\x1b[31mb', 'c\u0000d', 'x'.repeat(5000)] }, 'rcpt', false);
  assert.match(text, /^5\.1\.1 a \[31mb c d x+$/);
  assert.equal(text.length, 1000);
});
