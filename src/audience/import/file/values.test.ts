// Numbers and websites of files, in the form in which fields store them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecimalLook, numberOf, websiteOf } from './values.ts';

function hasCommas(...cells: string[]): boolean {
  const look = new DecimalLook();
  for (const cell of cells) look.add(cell);
  return look.hasCommas;
}

test('a column has decimal commas when a value shows it and none shows a point', () => {
  for (const cells of [['12,5'], ['1.234,5'], ['1,2345'], ['€ 3,50', '1.234'], ['-0,5']])
    assert.equal(hasCommas(...cells), true, cells.join(' '));
  for (const cells of [[], ['12'], ['1,234'], ['1.234'], ['12.5'], ['1,234.5'], ['12,5', '12.5'], ['12.5', '12,5']])
    assert.equal(hasCommas(...cells), false, cells.join(' '));
});

test('a number loses its separators and its currency', () => {
  for (const [text, number] of [
    ['12', '12'],
    ['-1.50', '-1.50'],
    ['1.234', '1.234'],
    ['1,234', '1234'],
    ['1,234.50', '1234.5'],
    ['1.234,50', '1234.5'],
    ["1'234.5", '1234.5'],
    ['1’234,5', '1234.5'],
    ['1 234 567,25', '1234567.25'],
    ['1 234.5', '1234.5'],
    ['1\u202f234,5', '1234.5'],
    ['1\u00a0234', '1234'],
    ['12,5', '12.5'],
    ['$100', '100'],
    ['$100.00', '100'],
    ['0,00 €', '0'],
    ['99 kr.', '99'],
    ['CHF 1’200.–', 'CHF 1’200.–'],
    ['15 %', '15'],
    ['€ -5,5', '-5.5'],
    ['−5,5', '-5.5'],
    ['+5,5', '5.5'],
    ['1,23,4', '1,23,4'],
    ['twelve', 'twelve'],
    ['', ''],
  ] as const)
    assert.equal(numberOf(text), number, text);
});

test('in a column with decimal commas, a dot is a thousands separator', () => {
  for (const [text, number] of [
    ['1.234', '1234'],
    ['-1.234', '-1234'],
    ['1,234', '1.234'],
    ['1.234,5', '1234.5'],
    ["1'234,5", '1234.5'],
    ['12', '12'],
    ['12.5', '12.5'],
    ['1234.567', '1234.567'],
    ['1,234.5', '1234.5'],
    ['1’234.5', '1234.5'],
    ['$12.50', '12.5'],
  ] as const)
    assert.equal(numberOf(text, true), number, text);
});

test('a web address without a scheme gets one, other text stays', () => {
  for (const [text, website] of [
    ['HTTPS://e.example/a', 'HTTPS://e.example/a'],
    ['e.example', 'http://e.example'],
    ['//e.example/a?b#c', 'http://e.example/a?b#c'],
    ['e.example:8080', 'http://e.example:8080'],
    ['bücher.example', 'http://bücher.example'],
    ['example', 'example'],
    ['//example', '//example'],
    ['ann@e.example', 'ann@e.example'],
    ['e.example and more', 'e.example and more'],
    ['', ''],
  ] as const)
    assert.equal(websiteOf(text), website, text);
});
