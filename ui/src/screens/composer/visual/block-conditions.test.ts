// Conditions of rows, as comments in an email and as attributes in the editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  attributesToConditions,
  type BlockCondition,
  conditionAttribute,
  conditionsToAttributes,
  decodeCondition,
  encodeCondition,
  usableValue,
} from './block-conditions.ts';

const row = '<tr class="a"><td><table><tr><td>x</td></tr></table></td></tr>';
const other = '<tr><td>y</td></tr>';

for (const [name, tag, condition] of [
  ['filled in', 'IF:FNAME', { field: 'FNAME', operator: 'set', value: '' }],
  ['empty', 'IFNOT:FNAME', { field: 'FNAME', operator: 'empty', value: '' }],
  ['equal', 'IF:CITY=New York', { field: 'CITY', operator: '=', value: 'New York' }],
  ['not equal', 'IF:CITY!=Köln & co', { field: 'CITY', operator: '!=', value: 'Köln & co' }],
  ['greater', 'IF:AGE>17', { field: 'AGE', operator: '>', value: '17' }],
] as const)
  test(`a condition around a row is an attribute in the editor, and comes back as it was: ${name}`, () => {
    const html = `<table>${other}<!--*|${tag}|*-->${row}<!--*|END:IF|*-->${other}</table>`;
    const shown = conditionsToAttributes(html);
    assert.ok(!shown.includes('<!--'), shown);
    const value = new RegExp(`<tr ${conditionAttribute}="([^"]*)" class="a">`).exec(shown)![1];
    assert.deepEqual(decodeCondition(value), condition);
    assert.equal(attributesToConditions(shown), html);
  });

for (const [name, html] of [
  ['with a second branch', `<!--*|IF:FNAME|*-->${row}<!--*|ELSE:|*-->${other}<!--*|END:IF|*-->`],
  ['around two rows', `<!--*|IF:FNAME|*-->${row}${other}<!--*|END:IF|*-->`],
  ['without an end', `<!--*|IF:FNAME|*-->${row}`],
  ['without the end of the row', '<!--*|IF:FNAME|*--><tr><td>x</td><!--*|END:IF|*-->'],
  ['that cannot be read', `<!--*|IF:A or B|*-->${row}<!--*|END:IF|*-->`],
  ['that is negated and compared', `<!--*|IFNOT:CITY=Rome|*-->${row}<!--*|END:IF|*-->`],
  ['around a paragraph', '<!--*|IF:FNAME|*--><p>x</p><!--*|END:IF|*-->'],
  ['as text', '<td>*|IF:FNAME|*x*|END:IF|*</td>'],
  ["of the author's own attribute", `<tr ${conditionAttribute}="seats > 1"><td>x</td></tr>`],
] as const)
  test(`a condition ${name} stays as it is`, () => {
    assert.equal(conditionsToAttributes(html), html);
    assert.equal(attributesToConditions(html), html);
  });

test('conditions within conditions come back as they were', () => {
  const inner = `<tr><td><table><!--*|IF:B|*-->${other}<!--*|END:IF|*--></table></td></tr>`;
  const html = `<!--*|IF:A|*-->${inner}<!--*|END:IF|*-->`;
  assert.equal(attributesToConditions(conditionsToAttributes(html)), html);
});

test('any value comes back from the attribute and from the email', () => {
  const operator = fc.constantFrom('=' as const, '!=' as const, '>' as const, '<' as const);
  fc.assert(
    fc.property(operator, fc.string({ unit: 'grapheme' }), (operator, typed) => {
      const value = usableValue(typed).trim();
      if (value.startsWith('=')) return;
      const condition: BlockCondition = { field: 'CITY', operator, value };
      assert.deepEqual(decodeCondition(encodeCondition(condition)), condition);
      const shown = `<tr ${conditionAttribute}="${encodeCondition(condition)}"><td></td></tr>`;
      assert.equal(conditionsToAttributes(attributesToConditions(shown)), shown);
    }),
  );
});
