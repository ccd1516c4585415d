// Contrast of colours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contrast, isColour, readable, readableOn, textOn } from './colour.ts';

test('black on white has 21, equal colours 1, and the order does not matter', () => {
  assert.equal(Math.round(contrast('#000000', '#ffffff')), 21);
  assert.equal(contrast('#123456', '#123456'), 1);
  assert.equal(contrast('#ffffff', '#777777'), contrast('#777777', '#ffffff'));
  assert.equal(contrast('#ffffff', '#777777').toFixed(2), '4.48');
});

test('text on any colour can be read, and any colour is made readable on any ground', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, colour, (one, ground) => {
      assert.ok(contrast(textOn(one), one) >= 4.5, one);
      const made = readableOn(one, ground);
      assert.ok(isColour(made) && contrast(made, ground) >= Math.min(readable, contrast(textOn(ground), ground)), made);
    }),
  );
});

test('a colour that reads already stays as it is', () => {
  assert.equal(readableOn('#1f5fbf', '#ffffff'), '#1f5fbf');
  assert.equal(textOn('#1f5fbf'), '#ffffff');
  assert.equal(textOn('#ffd400'), '#10131a');
});

test('only six hexadecimal digits are a colour', () => {
  assert.deepEqual(['#1f5FBF', '#fff', 'red', '#1f5fbf;'].map(isColour), [true, false, false, false]);
});

test('the contrast of primaries and of dark greys is that of WCAG', () => {
  const ratio = (a: string, b: string) => contrast(a, b).toFixed(2);
  assert.equal(ratio('#ff0000', '#ffffff'), '4.00');
  assert.equal(ratio('#00ff00', '#000000'), '15.30');
  assert.equal(ratio('#0000ff', '#ffffff'), '8.59');
  assert.equal(contrast('#0a0a0a', '#000000').toFixed(4), '1.0607');
  assert.equal(contrast('#0b0b0b', '#000000').toFixed(4), '1.0669');
});

test('a colour becomes darker on a light ground and lighter on a dark one, no more than needed', () => {
  const lightest = readableOn('#ffd400', '#ffffff');
  assert.ok(contrast(lightest, '#ffffff') < 5, lightest);
  assert.match(lightest, /^#[0-9a-f]{6}$/);
  assert.ok(contrast(readableOn('#333333', '#000000'), '#333333') > 1.5);
  assert.equal(readableOn('#ffffff', '#ffffff'), '#707070');
});
