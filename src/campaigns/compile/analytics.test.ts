import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addAnalytics } from './analytics.ts';
import { parseTags } from './merge-tags.ts';

const analytics = { source: 'letter', medium: 'email', campaign: 'Spring & Co' };
const all = 'utm_source=letter&utm_medium=email&utm_campaign=Spring%20%26%20Co';

/** The address with the parameters, tags as they are written. */
function extended(url: string, given = analytics): string {
  return addAnalytics(parseTags(url), given)
    .map((part) => (typeof part === 'string' ? part : `*|${part.name}|*`))
    .join('');
}

test('the parameters go into the query, before the fragment', () => {
  const table: [string, string][] = [
    ['https://a.example', `https://a.example?${all}`],
    ['https://a.example/', `https://a.example/?${all}`],
    ['https://a.example/x?b=1', `https://a.example/x?b=1&${all}`],
    ['https://a.example/x?', `https://a.example/x?${all}`],
    ['https://a.example/x?b=1&', `https://a.example/x?b=1&${all}`],
    ['https://a.example/x#part', `https://a.example/x?${all}#part`],
    ['https://a.example/x?b=1#part?c=2', `https://a.example/x?b=1&${all}#part?c=2`],
    ['https://a.example/#/route?x=1', `https://a.example/?${all}#/route?x=1`],
    ['https://a.example/a;b=c?x[]=1', `https://a.example/a;b=c?x[]=1&${all}`],
    ['https://a.example/?b=%26#', `https://a.example/?b=%26&${all}#`],
  ];
  for (const [url, expected] of table) assert.equal(extended(url), expected, url);
});

test('existing parameters stay; only missing ones are added', () => {
  assert.equal(
    extended('https://a.example/?utm_source=own&UTM_MEDIUM=x'),
    'https://a.example/?utm_source=own&UTM_MEDIUM=x&utm_campaign=Spring%20%26%20Co',
  );
  const full = 'https://a.example/?utm_source=1&utm_medium=2&utm_campaign=3#x';
  assert.equal(extended(full), full);
  assert.match(extended('https://a.example/?xutm_source=1'), /&utm_source=letter/);
});

test('merge tags, also those written with #, are neither query nor fragment', () => {
  assert.equal(extended('https://a.example/#[FNAME]#'), `https://a.example/*|FNAME|*?${all}`);
  assert.equal(extended('https://a.example/#[FNAME]##frag'), `https://a.example/*|FNAME|*?${all}#frag`);
  assert.equal(extended('https://a.example/?q=*|FNAME|*'), `https://a.example/?q=*|FNAME|*&${all}`);
  assert.equal(extended('https://a.example/#*|FNAME|*'), `https://a.example/?${all}#*|FNAME|*`);
});

test('an empty setting is left out', () => {
  assert.equal(
    extended('https://a.example/', { ...analytics, campaign: '', source: '' }),
    'https://a.example/?utm_medium=email',
  );
});

test('path, existing parameters and fragment of any URL stay as they are', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
      const before = new URL(text);
      const after = new URL(extended(text));
      assert.equal(after.origin + after.pathname + after.hash, before.origin + before.pathname + before.hash);
      for (const [name, value] of before.searchParams) assert.ok(after.searchParams.getAll(name).includes(value));
      assert.equal(after.searchParams.get('utm_campaign'), 'Spring & Co');
    }),
  );
});

test('text around merge tags stays apart, and text before the fragment is kept', () => {
  assert.equal(extended('https://a.example/?utm_*|X|*source=1'), `https://a.example/?utm_*|X|*source=1&${all}`);
  assert.equal(extended('https://a.example/*|FNAME|*x#y'), `https://a.example/*|FNAME|*x?${all}#y`);
});
