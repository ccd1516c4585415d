import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { encodeText, encodeValue, roomFor, softBreak } from './quoted-printable.ts';

/** A decoder written from RFC 2045 6.7, which knows nothing of the encoder. */
function decode(encoded: string): string {
  const bytes: number[] = [];
  const text = encoded.replace(/[ \t]+(?=\r\n|$)/g, '').replace(/=\r\n/g, '');
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '=') {
      const code = text.slice(i + 1, i + 3);
      assert.match(code, /^[0-9A-F]{2}$/, encoded);
      bytes.push(Number.parseInt(code, 16));
      i += 2;
    } else bytes.push(text.charCodeAt(i));
  }
  return Buffer.from(bytes).toString('utf8');
}

const canonical = (text: string) => text.toWellFormed().replace(/\r\n?|\n/g, '\r\n');

/** The rules that every line must keep; the text may end in the middle of a line. */
function assertLegal(encoded: string): void {
  for (const line of encoded.split('\r\n')) {
    assert.ok(line.length <= 76, `${line.length} characters`);
    assert.match(line, /^[\t -~]*$/, 'only printable ASCII, no bare CR or LF');
    assert.doesNotMatch(line, /[ \t]$/, 'no white space at the end');
    assert.doesNotMatch(line, /^\.|^From /, 'no dot or From at the start');
    assert.match(line, /^(?:[^=]|=[0-9A-F]{2})*=?$/, 'legal escapes');
  }
}

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '.',
        'From ',
        ' ',
        '\t',
        '\r\n',
        '\n',
        '\r',
        '=',
        'é',
        '😀',
        '\0',
        '--=_a',
        'a'.repeat(74),
        ' '.repeat(76),
      ),
      fc.string({ unit: 'binary' }),
      fc.string(),
    ),
  )
  .map((parts) => parts.join(''));

test('any text comes back, and its encoding keeps the rules of the line', () => {
  fc.assert(
    fc.property(words, (text) => {
      const { text: encoded } = encodeText(text.toWellFormed());
      // What follows ends the last line; then the text is a whole.
      assertLegal(encoded.replace(/[ \t]+$/, ''));
      assert.equal(decode(`${encoded}${softBreak}`), canonical(text));
    }),
    { numRuns: runs(5000) },
  );
});

test('static text, values and tokens joined as in a message decode to what they were and obey the rules', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9_-]{32}$/);
  const part = fc.oneof(
    words.map((text) => ({ kind: 'text' as const, text: text.toWellFormed() })),
    words.map((text) => ({ kind: 'value' as const, text: text.toWellFormed() })),
    fc.constant({ kind: 'value' as const, text: '' }),
    token.map((text) => ({ kind: 'token' as const, text })),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      let encoded = '';
      let column = 0;
      let pending = '';
      const flush = () => {
        const made = encodeText(pending, column);
        encoded += made.text;
        column = made.column;
        pending = '';
      };
      for (const { kind, text } of parts) {
        if (kind === 'text') {
          pending += text;
          continue;
        }
        flush();
        if (kind === 'token') {
          const room = roomFor(text.length, column);
          encoded += room.text + text;
          column = room.column;
        } else {
          encoded += `${column > 0 ? softBreak : ''}${encodeValue(text)}${softBreak}`;
          column = 0;
        }
      }
      flush();
      encoded += softBreak;
      assertLegal(encoded);
      assert.equal(decode(encoded), partsText(parts));
    }),
    { numRuns: runs(3000) },
  );
});

/** Line ends are made CRLF within each run, as neighbouring texts are one. */
function partsText(parts: readonly { kind: string; text: string }[]): string {
  let whole = '';
  let run = '';
  for (const { kind, text } of parts) {
    if (kind === 'text') run += text;
    else {
      whole += canonical(run) + canonical(text);
      run = '';
    }
  }
  return whole + canonical(run);
}

test('every character comes back from UTF-8, and half of a surrogate pair as U+FFFD', () => {
  for (let point = 0; point < 0x10ffff; point += point < 0x10000 ? 1 : 0x1001) {
    const text = `a${String.fromCodePoint(point)}b`;
    if (decode(encodeText(text).text) !== canonical(text)) assert.fail(`U+${point.toString(16)}`);
  }
});

test('characters of several bytes are never torn by a soft break', () => {
  const { text } = encodeText('ä😀'.repeat(200));
  for (const line of text.split('=\r\n')) assert.doesNotThrow(() => decodeURIComponent(line.replaceAll('=', '%')));
});

test('a short plain value goes in as it is', () => {
  assert.equal(encodeValue('Anna Maria'), 'Anna Maria');
  assert.equal(encodeValue('.hidden'), '=2Ehidden');
  assert.equal(encodeValue('From here'), '=46rom here');
  assert.equal(encodeValue('a=b'), 'a=3Db');
  assert.equal(encodeValue('Zoë'), 'Zo=C3=AB');
});

test('a blank at the end of a full line goes to the next line as a code', () => {
  for (const length of [72, 73, 74, 75, 76]) {
    for (const blank of [' ', '\t']) {
      const { text } = encodeText(`${'a'.repeat(length)}${blank}\nb`);
      assertLegal(text);
      assert.equal(decode(text), `${'a'.repeat(length)}${blank}\r\nb`);
    }
  }
});

test('a long line is encoded in linear time', () =>
  needLinear('a line', 20_000, (times) => encodeText('abc def é '.repeat(times))));

test('a piece goes on a new line when it does not fit into 75 characters', () => {
  assert.deepEqual(roomFor(10, 65), { text: '', column: 75 });
  assert.deepEqual(roomFor(10, 66), { text: softBreak, column: 10 });
});
