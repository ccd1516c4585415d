import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { needLinear } from '../../../test/support/run/linear-time.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { injections } from '../../../test/support/samples/injections.ts';
import { isReservedTag } from '../../audience/model/tag.ts';
import { fieldTag, findTags, knownTags, type MergeField, parseTags, tagOfAlias, unknownTags } from './merge-tags.ts';

const fields: MergeField[] = ['EMAIL', 'FNAME', 'LNAME', 'CITY'].map((tag) => ({ tag, type: 'text', default: '' }));

test('the three notations are the same tag, in any case', () => {
  for (const source of ['*|FNAME|*', '#[FNAME]#', '*[FNAME]*', '*|fname|*', '#[fName]#', '*| FNAME |*']) {
    assert.deepEqual(findTags(source), [{ start: 0, end: source.length, name: 'FNAME', argument: null }], source);
  }
});

test('the text after the colon is the default, as written', () => {
  const defaults = ['*|FNAME:friend|*', '#[FNAME:dear friend]#', '*[FNAME: *x* ]*', '*|FNAME:a:b|*', '*|FNAME:|*'];
  assert.deepEqual(
    defaults.map((source) => findTags(source)[0]?.argument),
    ['friend', 'dear friend', ' *x* ', 'a:b', ''],
  );
});

test('tags of other providers stand for tags of ours', () => {
  const sources = [
    ...['*|MC:SUBJECT|*', '*|CURRENT_YEAR|*', '*|LIST:ADDRESSLINE|*', '*|HTML:LIST_ADDRESS|*'],
    ...['*|HTML:List_Address_HTML |*', '*|LIST:DESCRIPTION|*', '*|FNAME|*', '*|toString|*'],
  ];
  assert.deepEqual(
    sources.map((source) => tagOfAlias(findTags(source)[0]!)).map((tag) => tag && [tag.name, tag.argument]),
    [
      ['CAMPAIGN:SUBJECT', null],
      ['DATE', 'Y'],
      ['LIST:ADDRESS', null],
      ['LIST:ADDRESS', null],
      ['LIST:ADDRESS', null],
      ['FOOTER_WHY', null],
      undefined,
      undefined,
    ],
  );
});

test('names with a colon keep it', () => {
  const names = ['*|LIST:NAME|*', '*|list:address|*', '#[CAMPAIGN: subject ]#', '*|DATE:d/m/y|*'];
  assert.deepEqual(
    names.map((source) => findTags(source)[0]).map((tag) => [tag?.name, tag?.argument]),
    [
      ['LIST:NAME', null],
      ['LIST:ADDRESS', null],
      ['CAMPAIGN:SUBJECT', null],
      ['DATE', 'd/m/y'],
    ],
  );
});

test('in addresses the brackets may be percent-encoded, and so may the default', () => {
  const names = ['*%7CFNAME%7C*', '*%7cFNAME:a%20b%7c*', '#%5BFNAME:x%7Cy%5D#', '*|FNAME:x%7Cy|*', '*%5BFNAME%5D*'];
  assert.deepEqual(
    names.map((source) => findTags(source, 'address')).map((tags) => [tags[0]?.name, tags[0]?.argument]),
    [
      ['FNAME', null],
      ['FNAME', 'a b'],
      ['FNAME', 'x|y'],
      ['FNAME', 'x|y'],
      ['FNAME', null],
    ],
  );
  assert.deepEqual(findTags('*%7CFNAME%7C*'), [], 'elsewhere it is text');
});

test('tags are found next to each other and inside words', () => {
  assert.deepEqual(
    parseTags('a*|FNAME|**|LNAME|*b#[CITY]#').map((token) => (typeof token === 'string' ? token : `<${token.name}>`)),
    ['a', '<FNAME>', '<LNAME>', 'b', '<CITY>'],
  );
});

test('the parts of a text add up to the whole text', () => {
  const bits = fc.constantFrom('*|', '|*', '#[', ']#', '*[', ']*', 'FNAME', ':', 'x', ' ', '\n', '%7C', 'é', '😀');
  fc.assert(
    fc.property(fc.array(bits), fc.constantFrom('text' as const, 'address' as const), (list, within) => {
      const source = list.join('');
      const rebuilt = parseTags(source, within)
        .map((token) => (typeof token === 'string' ? token : source.slice(token.start, token.end)))
        .join('');
      assert.equal(rebuilt, source);
    }),
    { numRuns: runs(3000) },
  );
});

test('template-injection strings are not tags', () => {
  assert.ok(injections.length >= 200, String(injections.length));
  for (const text of injections) assert.deepEqual(parseTags(text), [text]);
});

test('MERGE numbers count the fields after EMAIL', () => {
  assert.deepEqual(
    ['MERGE0', 'MERGE1', 'MERGE3', 'MERGE4', 'MERGE', 'FNAME'].map((name) => fieldTag(name, fields)),
    ['EMAIL', 'FNAME', 'CITY', 'MERGE4', 'MERGE', 'FNAME'],
  );
  const own = [...fields, { tag: 'MERGE1', type: 'text', default: '' }];
  assert.equal(fieldTag('MERGE1', own), 'MERGE1', 'a field that is called so');
});

test('unknown tags are returned once each, in order', () => {
  const source =
    '*|FNAME|* *|ZIP|* #[NOPE:x]# *[zip]* *|UNSUB|* *|DATE:Y|* *|MERGE3|* *|MERGE4|* *|LIST:X|* *|EMAIL_TYPE|*';
  assert.deepEqual(unknownTags(source, fields), ['ZIP', 'NOPE', 'MERGE4', 'LIST:X']);
  assert.ok(knownTags([]).has('EMAIL'), 'the address is known without fields');
});

test('tags are found in linear time in hostile sources', async () => {
  for (const source of ['*|', '*|a:', '*[ ', '#[', '*%7C', '*|aaaaaaaa'])
    for (const within of ['text', 'address'] as const)
      await needLinear(source, 200_000, (size) => findTags(source.repeat(size / source.length), within));
});

test('no field can have the name of a merge tag', () => {
  const free = [...knownTags([])].filter((name) => !name.includes(':') && !isReservedTag(name));
  assert.deepEqual(free, []);
});
