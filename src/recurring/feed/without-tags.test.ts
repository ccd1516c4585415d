// Texts and addresses of other sites contain nothing that is read as a merge tag.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTags, withoutTagsInUrl } from './without-tags.ts';

/** With + for the invisible character. */
const shown = (text: string) => withoutTags(text).replaceAll('\u2060', '+');

for (const [text, expected, why] of [
  ['*|EMAIL|*', '*+|EMAIL|*+', 'a tag'],
  ['#[EMAIL]#', '#+[EMAIL]#+', 'a tag of the other kind'],
  ['a *%7CX and #%5bY', 'a *+%7CX and #+%5bY', 'tags as addresses have them'],
  ['|X', '+|X', 'the text before could end in *'],
  ['[X]', '+[X]', 'the text before could end in #'],
  ['5 *', '5 *+', 'the text after could begin with |'],
  ['#', '#+', 'the text after could begin with ['],
  ['a * b # c | d [e]', 'a * b # c | d [e]', 'signs that open no tag stay'],
  ['Tide tables', 'Tide tables', 'nor does any other text change'],
] as const)
  test(`text: ${why}`, () => assert.equal(shown(text), expected));

for (const [url, expected, why] of [
  ['https://a.example/*|X|*', 'https://a.example/%2A%7CX%7C%2A', 'a tag is encoded'],
  ['https://a.example/?a[]=1', 'https://a.example/?a[]=1', 'brackets stay where there is no fragment'],
  ['https://a.example/?a[]=*#b[c]#d|', 'https://a.example/?a[]=%2A#b%5Bc%5D%23d%7C', 'a fragment has no brackets'],
  ['https://a.example/#[TAG]#', 'https://a.example/#%255BTAG%5D%23', 'nor one at its begin that is decoded once'],
  ['https://a.example/#%5bx', 'https://a.example/#%255Bx', 'nor an encoded one there'],
  ['#a[b', '#a%5Bb', 'a fragment alone'],
  ['https://a.example/a#part', 'https://a.example/a#part', 'other fragments stay'],
] as const)
  test(`address: ${why}`, () => assert.equal(withoutTagsInUrl(url), expected));
