// Addresses in feeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webUrl } from './feed.ts';

test('an address is absolute and of the web, or none', () => {
  const base = 'https://site.example/blog/';
  assert.equal(webUrl(' ../a b ', base), 'https://site.example/a%20b');
  assert.equal(webUrl('http://a.example', base), 'http://a.example/');
  assert.equal(webUrl('//a.example/x', base), 'https://a.example/x');
  for (const text of [undefined, '', ' ', 'javascript:x', 'data:,x', 'ftp://a.example/', 'https://'])
    assert.equal(webUrl(text, base), '', text);
  assert.equal(webUrl('/a', ''), '');
  assert.equal(webUrl('https://a.example/', 'no address'), 'https://a.example/');
});

test('an address has at most 4,000 characters', () => {
  const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');
  assert.equal(webUrl(url(4_000), ''), url(4_000));
  assert.equal(webUrl(url(4_001), ''), '');
});
