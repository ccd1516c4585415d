// Rows that are repeated, as comments in an email and as attributes in the editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesToConditions, conditionsToAttributes } from './block-conditions.ts';
import {
  attributesToLoops,
  decodeList,
  encodeList,
  loopAttribute,
  loopsToAttributes,
  usableList,
} from './block-loops.ts';

const row = '<tr class="a"><td><table><tr><td>*|ITEM:name|*</td></tr></table></td></tr>';
const other = '<tr><td>y</td></tr>';

for (const list of ['EVENT:items', 'ITEMS', 'EVENT:cart.line items', 'EVENT:größe'])
  test(`a loop around a row is an attribute in the editor, and comes back as it was: ${list}`, () => {
    const html = `<table>${other}<!--*|EACH:${list}|*-->${row}<!--*|END:EACH|*-->${other}</table>`;
    const shown = loopsToAttributes(html);
    assert.ok(!shown.includes('<!--'), shown);
    const value = new RegExp(`<tr ${loopAttribute}="([^"]*)" class="a">`).exec(shown)![1];
    assert.equal(decodeList(value), list);
    assert.equal(attributesToLoops(shown), html);
  });

for (const [name, html] of [
  ['around two rows', `<!--*|EACH:EVENT:items|*-->${row}${other}<!--*|END:EACH|*-->`],
  ['without an end', `<!--*|EACH:EVENT:items|*-->${row}`],
  ['without the end of the row', '<!--*|EACH:EVENT:items|*--><tr><td>x</td><!--*|END:EACH|*-->'],
  ['with another name than ours', `<!--*|EACH: event : items|*-->${row}<!--*|END:EACH|*-->`],
  ['without comments', `*|EACH:EVENT:items|*${row}*|END:EACH|*`],
] as const)
  test(`a loop stays as it is: ${name}`, () => assert.equal(loopsToAttributes(html), html));

test('a row may have a condition too, which is around its loop', () => {
  const html = `<table><!--*|IF:EVENT|*--><!--*|EACH:EVENT:items|*-->${row}<!--*|END:EACH|*--><!--*|END:IF|*--></table>`;
  const shown = conditionsToAttributes(loopsToAttributes(html));
  assert.ok(!shown.includes('<!--'), shown);
  assert.equal(attributesToLoops(attributesToConditions(shown)), html);
});

test('a name of a list is as the tag takes it', () => {
  for (const [text, list] of [
    [' event : items ', 'EVENT:items'],
    ['items', 'ITEMS'],
    ['EVENT:a . b', 'EVENT:a.b'],
    ['EVENT:', undefined],
    ['EVENT:a..b', undefined],
    ['EVENT:a:b', undefined],
    ['', undefined],
    ['1', undefined],
    ['EVENT:a|b', undefined],
    ['EVENT:a--b', undefined],
    ['EVENT:<b>', undefined],
  ] as const)
    assert.equal(usableList(text), list, text);
});

test('an attribute that is no list stays', () => {
  for (const value of ['', '%', '%zz', encodeList('a:b:c'), encodeList('x--y'), '%E0%A4%A'])
    assert.equal(attributesToLoops(`<tr ${loopAttribute}="${value}"></tr>`), `<tr ${loopAttribute}="${value}"></tr>`);
});
