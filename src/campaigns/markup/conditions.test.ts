// Conditions alone: reading a tag, nesting what is between the tags, and deciding for a value.
// src/delivery/message/conditions.test.ts has them as recipients get them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Choice, Condition, Piece, When } from './compiled.ts';
import { allBlocks, allPieces, chosen, type Draft, holds, isMet, mapPieces, markOf, nest } from './conditions.ts';
import { findTags } from './merge-tags.ts';

const fields = ['FNAME', 'CITY', 'AGE'].map((tag) => ({ tag, type: 'text', default: '' }));
const mark = (text: string, known = fields) =>
  markOf(findTags(text)[0]!, known) as { mark: string; when: Condition | null; text: string } | undefined;

test('a tag is read as the mark it makes', () => {
  const set = { tag: 'FNAME', operator: 'set', value: '', negated: false };
  assert.deepEqual(mark('*|IF:FNAME|*'), { mark: 'if', when: set, text: '*|IF:FNAME|*' });
  assert.deepEqual(mark('*|IFNOT:FNAME|*')?.when, { ...set, negated: true });
  assert.deepEqual(mark('*|ELSEIF:MERGE2|*'), {
    mark: 'elseif',
    when: { ...set, tag: 'CITY' },
    text: '*|ELSEIF:MERGE2|*',
  });
  for (const text of ['*|ELSE:|*', '*|ELSE|*']) assert.equal(mark(text)?.mark, 'else');
  for (const text of ['*|END:IF|*', '*|ENDIF|*']) assert.equal(mark(text)?.mark, 'end');
  for (const text of ['*|FNAME|*', '*|IF|*', '*|END|*', '*|ELSE:x|*', '*|GIF:FNAME|*'])
    assert.equal(mark(text), undefined);
  assert.equal(mark('*|IF:FNAME and CITY|*')?.when, null);
  assert.equal(mark('*|IF:FNAME|*', [{ tag: 'IF', type: 'text', default: '' }]), undefined);
  const end = [{ tag: 'END', type: 'text', default: '' }];
  assert.equal(mark('*|END:IF|*', end)?.mark, 'end');
  assert.equal(mark('*|ENDIF|*', [{ ...end[0]!, tag: 'ENDIF' }]), undefined);
});

test('operators and values are read, with quotes and references', () => {
  const compared = (text: string) => {
    const { operator, value } = mark(`*|IF:CITY${text}|*`)!.when!;
    return [operator, value];
  };
  assert.deepEqual(compared('=Berlin'), ['=', 'Berlin']);
  assert.deepEqual(compared(' == "New York" '), ['=', 'New York']);
  assert.deepEqual(compared("!='a'"), ['!=', 'a']);
  assert.deepEqual(compared('&gt;=5'), ['>=', '5']);
  assert.deepEqual(compared(' < 5'), ['<', '5']);
  assert.deepEqual(compared('="a'), ['=', '"a']);
  assert.deepEqual(compared('='), ['=', '']);
});

test('AND and OR join tests, and are part of a value that no known field follows', () => {
  const data = [...fields, { tag: 'CART', type: 'data', default: '' }];
  const read = (text: string) => {
    const found = mark(`*|IF:${text}|*`, data)?.when as When | null | undefined;
    if (!found) return found;
    const one = ({ tag, operator, value }: Condition) => (operator === 'set' ? tag : `${tag}${operator}${value}`);
    return ('tag' in found ? [[found]] : found.any).map((group) => group.map(one));
  };
  for (const [text, expected] of [
    ['FNAME', [['FNAME']]],
    ['FNAME AND CITY', [['FNAME', 'CITY']]],
    ['FNAME  OR\tNOPE', [['FNAME'], ['NOPE']]],
    ['FNAME AND CITY OR AGE', [['FNAME', 'CITY'], ['AGE']]],
    ['FNAME OR CITY AND AGE', [['FNAME'], ['CITY', 'AGE']]],
    ['FNAME and CITY', null],
    ['FNAME AND', null],
    ['FNAME AND AND CITY', null],
    ['FNAMEAND CITY', null],
    ['AND AND OR', [['AND', 'OR']]],
    ['AGE>=5 AND AGE<9', [['AGE>=5', 'AGE<9']]],
    ['CITY=Rome AND Oslo', [['CITY=Rome AND Oslo']]],
    ['CITY=Rome AND FNAME', [['CITY=Rome AND FNAME']]],
    ['AGE>18 AND FNAME', [['AGE>18', 'FNAME']]],
    ['AGE<=18 OR NOPE', [['AGE<=18 OR NOPE']]],
    ['CITY=Rome AND NOPE=1', [['CITY=Rome AND NOPE=1']]],
    ['CITY=Rome AND Oslo OR FNAME=x', [['CITY=Rome AND Oslo'], ['FNAME=x']]],
    ['CITY=Rome and FNAME=x', [['CITY=Rome and FNAME=x']]],
    ['CITY="Rome" AND FNAME', [['CITY=Rome', 'FNAME']]],
    ['CITY="Rome" AND NOPE', [['CITY="Rome" AND NOPE']]],
    ['CITY="Rome" AND Oslo"', [['CITY=Rome" AND Oslo']]],
    ['CITY="Rome AND AGE=5"', [['CITY=Rome AND AGE=5']]],
    ['CITY="Rome AND AGE=5" AND AGE=5', [['CITY=Rome AND AGE=5', 'AGE=5']]],
    ["CITY='Rome' OR CITY='Oslo'", [['CITY=Rome'], ['CITY=Oslo']]],
    ['CITY="Rome AND AGE=5', [['CITY="Rome', 'AGE=5']]],
    ['CITY= AND AGE=5', [['CITY=AND AGE=5']]],
    ['CITY=x AND EMAIL=y OR EMAIL_TYPE=z', [['CITY=x', 'EMAIL=y'], ['EMAIL_TYPE=z']]],
    ['CITY=x AND MERGE1=y', [['CITY=x', 'FNAME=y']]],
    ['CITY=x AND MERGE9=y', [['CITY=x AND MERGE9=y']]],
    ['CART:a.b>1 AND CART:c', [['CART:a.b>1', 'CART:c']]],
    ['CITY=x AND CART:a=1', [['CITY=x', 'CART:a=1']]],
    ['CITY=x AND CART:c', [['CITY=x', 'CART:c']]],
    ['CITY=x AND NOPE:a=1', [['CITY=x AND NOPE:a=1']]],
    ['CART : a . b = 1', null],
    ['CART: a = 1', [['CART:a=1']]],
    ['CART:größe!=x', [['CART:größe!=x']]],
    ['ITEM:a AND ITEM=b', [['ITEM:a', 'ITEM=b']]],
    ['CITY:a=1', null],
    ['CART:a..b', null],
    ['CART', [['CART']]],
  ] as [string, string[][] | null][])
    assert.deepEqual(read(text), expected, text);
  const negated = mark('*|IFNOT:FNAME AND CITY|*')!.when as When;
  assert.equal(negated.negated, true);
  const met = (values: Record<string, string>) => isMet(negated, (tag) => values[tag] ?? '');
  assert.deepEqual([met({}), met({ FNAME: 'a' }), met({ FNAME: 'a', CITY: 'b' })], [true, true, false]);
});

const when = (operator: Condition['operator'], value: string, negated = false): Condition => ({
  tag: 'CITY',
  operator,
  value,
  negated,
});

test('a condition holds as documented', () => {
  const cases: [Condition, string, boolean][] = [
    [when('set', ''), 'x', true],
    [when('set', ''), ' ', false],
    [when('set', '', true), '', true],
    [when('=', 'Berlin'), ' berlin ', true],
    [when('=', 'Berlin', true), 'berlin', false],
    [when('=', '9'), '9.0', true],
    [when('=', '9'), '9x', false],
    [when('!=', 'Berlin'), '', true],
    [when('!=', 'Berlin'), 'Berlin', false],
    [when('>', '9'), '10', true],
    [when('>', '10'), '10', false],
    [when('>', '9'), '', false],
    [when('<', '9'), '', false],
    [when('<', '-2'), '-10', true],
    [when('<', '10'), '10', false],
    [when('>=', '10'), '10', true],
    [when('>=', '10'), '9', false],
    [when('<=', '10'), '+10', true],
    [when('<=', '9'), '10', false],
    [when('>', 'a'), 'B', true],
    [when('<', 'b'), 'A', true],
    [when('<', '2026-01-01'), '2025-12-31', true],
  ];
  for (const [condition, actual, expected] of cases)
    assert.equal(holds(condition, actual), expected, `${actual} ${condition.operator} ${condition.value}`);
});

/** The pieces of a text, nested, and the marks that were reported. */
function nested(text: string): { pieces: Piece[]; bad: string[] } {
  const drafts: Draft[] = [];
  let from = 0;
  for (const tag of findTags(text)) {
    drafts.push(text.slice(from, tag.start), markOf(tag, fields)!);
    from = tag.end;
  }
  drafts.push(text.slice(from));
  const bad = new Set<string>();
  return {
    pieces: nest(
      drafts.filter((draft) => draft !== ''),
      bad,
    ),
    bad: [...bad],
  };
}

const shown = (pieces: readonly Piece[], values: Record<string, string>): string =>
  pieces
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : shown(
            chosen(piece as Choice, (tag) => values[tag] ?? ''),
            values,
          ),
    )
    .join('');

test('branches nest, and the first that holds is chosen', () => {
  const { pieces, bad } = nested(
    'a*|IF:FNAME|*b*|IF:CITY=x|*c*|ELSEIF:CITY=y|*d*|ELSE:|*e*|END:IF|**|ELSE:|*f*|END:IF|*g',
  );
  assert.deepEqual(bad, []);
  assert.equal(shown(pieces, { FNAME: '1', CITY: 'x' }), 'abcg');
  assert.equal(shown(pieces, { FNAME: '1', CITY: 'y' }), 'abdg');
  assert.equal(shown(pieces, { FNAME: '1' }), 'abeg');
  assert.equal(shown(pieces, {}), 'afg');
  assert.deepEqual([...allPieces(pieces)], ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const changed = mapPieces(pieces, (piece) => (piece === 'c' ? null : `${String(piece)}.`));
  assert.equal(shown(changed, { FNAME: '1', CITY: 'x' }), 'a.b.g.');
});

test('what is incomplete is reported, and its content is kept for everyone', () => {
  const cases: [string, string, string[]][] = [
    ['a*|IF:FNAME|*b', 'ab', ['*|IF:FNAME|*']],
    ['a*|IF:FNAME|*b*|ELSE:|*c', 'abc', ['*|IF:FNAME|*']],
    ['a*|END:IF|*b', 'ab', ['*|END:IF|*']],
    ['a*|ELSE:|*b*|ELSEIF:FNAME|*c', 'abc', ['*|ELSE:|*', '*|ELSEIF:FNAME|*']],
    ['*|IF:a b|*x*|ELSE:|*y*|END:IF|*', 'xy', ['*|IF:a b|*', '*|ELSE:|*']],
    ['*|IF:FNAME|*x*|ELSE:|*y*|ELSEIF:CITY|*z*|END:IF|*', 'yz', ['*|ELSEIF:CITY|*']],
    ['*|IF:FNAME|*x*|ELSEIF:a b|*y*|END:IF|*', 'y', ['*|ELSEIF:a b|*']],
  ];
  for (const [text, expected, reported] of cases) {
    const { pieces, bad } = nested(text);
    assert.equal(shown(pieces, {}), expected, text);
    assert.deepEqual(bad, reported, text);
  }
});

test('conditions within conditions are reported beyond 20 levels', () => {
  const levels = (count: number) => '*|IF:FNAME|*'.repeat(count) + '*|END:IF|*'.repeat(count);
  assert.deepEqual(nested(levels(20)).bad, []);
  assert.deepEqual(nested(levels(21)).bad, ['*|IF:FNAME|*']);
});

test('slots are pieces like texts: read, replaced and removed', () => {
  const slot: Piece = { slot: 'pixel' };
  const choice: Choice = { slot: 'choice', branches: [{ when: null, pieces: [slot, 'a'] }] };
  assert.deepEqual([...allPieces([slot, choice])], [slot, slot, 'a']);
  const changed = mapPieces([slot, choice, 'b'], (piece) => (typeof piece === 'string' ? piece : null));
  assert.deepEqual(changed, [{ slot: 'choice', branches: [{ when: null, pieces: ['a'] }] }, 'b']);
  assert.deepEqual(nest([slot, 'x'], new Set()), [slot, 'x']);
});

test('whether there is a value is asked differently from what it is', () => {
  const asked: boolean[] = [];
  const when = (operator: 'set' | '='): When => ({ tag: 'FNAME', operator, value: 'a', negated: false });
  const value = (_tag: string, isSet: boolean) => {
    asked.push(isSet);
    return 'a';
  };
  for (const operator of ['set', '='] as const) isMet(when(operator), value);
  assert.deepEqual(asked, [true, false]);
});

test('all choices and loops are found, also those within others', () => {
  const field: Piece = { slot: 'field', tag: 'FNAME', fallback: '', place: 'text' };
  const choice = (pieces: Piece[]): Piece => ({ slot: 'choice', branches: [{ when: null, pieces }] }) as Piece;
  const each = (pieces: Piece[]): Piece => ({ slot: 'each', of: 'EVENT', path: [], pieces }) as unknown as Piece;
  const pieces = ['x', field, choice([each([field])]), each([choice([])])];
  assert.deepEqual(
    [...allBlocks(pieces)].map(({ slot }) => slot),
    ['choice', 'each', 'each', 'choice'],
  );
});
