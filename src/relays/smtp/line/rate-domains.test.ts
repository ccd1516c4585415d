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

test('several recipients of one domain are one domain, and a refusal five seconds ago no longer counts', () => {
  const domains = new RateDomains();
  for (const name of ['a', 'b', 'c', 'd']) assert.equal(domains.refused(`${name}@one.example`, 0, false), 'once');
  assert.equal(domains.refused('a@two.example', 1, false), 'once');
  assert.equal(domains.refused('a@three.example', 5_000, false), 'once', 'that of the first was 5 s ago');
  assert.equal(domains.refused('a@four.example', 5_000, false), 'ours', 'that of the second was not');
});

test('the domain begins after the last @', () => {
  const domains = new RateDomains();
  for (const name of ['"x@one"', '"x@two"', '"x@three"', '"x@four"'])
    assert.equal(domains.refused(`${name}@one.example`, 0, false), 'once');
  const similar = new RateDomains();
  for (const domain of ['a.example', 'b.example']) assert.equal(similar.refused(`x@${domain}`, 0, false), 'once');
  assert.equal(similar.refused('x@c.example', 0, false), 'ours', 'domains differ by their first letter');
});

test('a thousand recipients are remembered, and the oldest is forgotten first', () => {
  for (const [others, whose] of [
    [999, 'theirs'],
    [1_000, 'once'],
  ] as const) {
    const domains = new RateDomains();
    domains.refused('first@one.example', 0, false);
    for (let i = 0; i < others; i++) domains.refused(`${i}@one.example`, 0, false);
    assert.equal(domains.refused('first@one.example', 0, false), whose, `${others} others`);
  }
});
