import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateDomains } from './rate-domains.ts';

test('refusals at one or two domains are tried once more, and are then about the domain', () => {
  const domains = new RateDomains();
  assert.equal(domains.refused('a@one.example', 0, false), 'once');
  assert.equal(domains.refused('b@two.example', 10, false), 'once');
  assert.equal(domains.refused('a@one.example', 20, false), 'theirs');
  assert.equal(domains.refused('b@two.example', 30, false), 'theirs');
  assert.equal(domains.refused('a@one.example', 40, false), 'once', 'the next attempt of the recipient starts over');
});

test('refusals at three domains within five seconds are about the relay', () => {
  const domains = new RateDomains();
  for (const [at, whose] of [
    [0, 'once'],
    [100, 'once'],
    [200, 'ours'],
    [300, 'ours'],
  ] as const)
    assert.equal(domains.refused(`a@d${at}.example`, at, false), whose);
  assert.equal(domains.refused('a@later.example', 20_000, false), 'once', 'those of before are too long ago');
});

test('a relay that is known to have a rate means its own', () => {
  assert.equal(new RateDomains().refused('a@one.example', 0, true), 'ours');
});
