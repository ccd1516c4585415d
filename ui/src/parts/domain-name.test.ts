import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToASCII } from 'node:url';
import { pastedDomain, shownDomains } from './domain-name.ts';

test('international domains are shown as people write them, also within an address', () => {
  for (const name of ['exämple.de', 'bücher.example', '例え.テスト', 'пример.испытание', 'mañana.com', '☃.example'])
    assert.equal(shownDomains(domainToASCII(name)), name);
  assert.equal(shownDomains('ada@mail.xn--exmple-cua.de'), 'ada@mail.exämple.de');
});

test('what is no international domain stays as it is', () => {
  for (const name of ['example.com', 'xn--', 'xn--a_b', 'my-xn--thing', 'xn--99999999', 'other'])
    assert.equal(shownDomains(name), name);
});

test('of the address of a site, the domain is taken', () => {
  for (const text of [
    'example.com',
    ' https://example.com/ ',
    'http://example.com/a?b',
    'example.com/a',
    'HTTPS://example.com',
  ])
    assert.equal(pastedDomain(text), 'example.com');
});
