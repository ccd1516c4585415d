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
  ['a tab after the code', '250\tok\r\n', undefined],
  ['a refusal with a tab after the code', '550\tno such user\r\n', undefined],
  ['a refusal with four digits', '5501 no such user\r\n', undefined],
  ['a refusal without a blank', '550No such user\r\n', undefined],
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
  assert.equal(of(500, '5.1.1'), '5.1.1');
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

test('a reply may have exactly as many octets as the cap, whatever came before it', () => {
  const cases: [what: string, pieces: string[], flaw: Flaw['flaw'] | undefined][] = [
    ['one line', [`250 ${'x'.repeat(replyCapBytes - 6)}\r\n`], undefined],
    ['one octet more', [`250 ${'x'.repeat(replyCapBytes - 5)}\r\n`], 'too_long'],
    ['two lines', ['250-ok\r\n', `250 ${'x'.repeat(replyCapBytes - 14)}\r\n`], undefined],
    ['two lines, one octet more', ['250-ok\r\n', `250 ${'x'.repeat(replyCapBytes - 13)}\r\n`], 'too_long'],
    ['the second of two replies', ['250 ok\r\n', `250 ${'x'.repeat(replyCapBytes - 6)}\r\n`], undefined],
    ['a line that has not ended', [`250 ${'x'.repeat(replyCapBytes - 4)}`], undefined],
    ['one octet more that has not ended', [`250 ${'x'.repeat(replyCapBytes - 3)}`], 'too_long'],
    ['a line feed alone', ['\n'], 'garbage'],
  ];
  for (const [what, pieces, flaw] of cases)
    assert.equal(read(pieces.map((piece) => Buffer.from(piece))).flaw?.flaw, flaw, what);
});

test('a reader has pending bytes while a reply is incomplete', () => {
  const reader = new ReplyReader();
  const pendingAfter = (wire: string) => {
    reader.push(Buffer.from(wire), () => true);
    return reader.pending;
  };
  assert.equal(reader.pending, false);
  assert.deepEqual(['250', '-a\r\n', '250 b\r\n'].map(pendingAfter), [true, true, false]);
});

test('a flaw quotes at most 200 characters and names both codes', () => {
  const flaw = (wire: string) => read([Buffer.from(wire)]).flaw?.text;
  assert.equal(flaw(`${'x'.repeat(300)}\r\n`), `not a reply: ${'x'.repeat(200)}`);
  assert.equal(flaw('250-ok\r\n550 no\r\n'), 'one reply with both 250 and 550');
  assert.equal(flaw(`250 ${'x'.repeat(replyCapBytes)}`), 'a reply of more than 65536 octets');
});

test('a reply becomes an outcome of its stage', () => {
  const lines = ['5.1.1 no', 'such user'];
  assert.deepEqual(replied({ code: 550, lines }, 'rcpt', false), {
    ...{ kind: 'reply', stage: 'rcpt', code: 550, enhanced: '5.1.1', text: '5.1.1 no such user', dotted: false },
  });
  assert.deepEqual(replied({ code: 250, lines: ['ok'] }, 'dot', true), {
    ...{ kind: 'reply', stage: 'dot', code: 250, text: 'ok', dotted: true },
  });
  const foreign = Buffer.from('Grüße').toString('latin1');
  assert.equal(replied({ code: 250, lines: [foreign] }, 'dot', true).text, 'Grüße');
});

test('a refusal is read by its code, whatever separates it from the text', () => {
  const of = (wire: string) => {
    const reply = read([Buffer.from(wire)]).replies[0]!;
    const { code, enhanced, text } = replied(reply, 'rcpt', false);
    return { code, enhanced, text };
  };
  assert.deepEqual(of('550\t5.1.1 gone\r\n'), { code: 550, enhanced: '5.1.1', text: '5.1.1 gone' });
  assert.deepEqual(of('550No such user\r\n'), { code: 550, enhanced: undefined, text: 'No such user' });
  assert.deepEqual(of('550:No such user\r\n').code, 550);
  assert.deepEqual(of('5501 no such user\r\n').code, 550);
  assert.deepEqual(of('550-5.1.1\tgone\r\n550\t5.1.1 really\r\n').code, 550);
});

test('the text of a reply is shown readable, whatever its encoding', () => {
  const line = Buffer.from('d3c3bba7b2bbb4e6d4da', 'hex').toString('latin1');
  assert.equal(replied({ code: 550, lines: [line] }, 'rcpt', false).text, '用户不存在');
});
