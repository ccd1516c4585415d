// Which relays a message may take.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relaysFor, senderOf } from './message-sender.ts';

const limited = (id: string, accounts: number[], senderDomains: string[]) => ({
  id,
  limitedTo: { accounts, senderDomains },
});
const open = { id: 'open' };
const byAccount = limited('account', [1, 2], []);
const byDomain = limited('domain', [], ['news.example']);
const byBoth = limited('both', [3], ['news.example']);

const ids = (
  relays: { id: string; limitedTo?: { accounts: number[]; senderDomains: string[] } }[],
  account: number,
  from: string,
) => relaysFor(relays, senderOf(account, from)).map(({ id }) => id);

test('messages take the relays limited to their sender, all others those without limits', () => {
  const all = [open, byAccount, byDomain, byBoth];
  assert.deepEqual(ids(all, 1, 'a@other.example'), ['account']);
  assert.deepEqual(ids(all, 1, 'a@News.Example'), ['account', 'domain']);
  assert.deepEqual(ids(all, 3, 'a@news.example'), ['domain', 'both']);
  assert.deepEqual(ids(all, 3, 'a@other.example'), ['open']);
  assert.deepEqual(ids(all, 9, 'a@sub.news.example'), ['open']);
  assert.deepEqual(ids([byAccount], 9, 'a@other.example'), []);
});

test('the domain of a sender is in ASCII and lower case', () => {
  assert.deepEqual(senderOf(1, 'Anna@MÜLLER.example'), { account: 1, domain: 'xn--mller-kva.example' });
  assert.deepEqual(senderOf(1, ''), { account: 1, domain: '' });
});
