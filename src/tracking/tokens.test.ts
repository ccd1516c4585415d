import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type RecipientPurpose, type SubscriptionPurpose, splitClick, tokenMaker } from './tokens.ts';

const [firstSecret, secondSecret] = ['the first secret of tokens', 'the second secret of tokens'] as const;
const maker = tokenMaker([firstSecret], firstSecret);
const id = fc.integer({ min: 0, max: 0xffffffff });
const ids = fc.record({ account: id, campaign: id, seq: id, contact: id, lists: fc.array(id, { maxLength: 100 }) });
const recipientPurposes: RecipientPurpose[] = ['click', 'open', 'view', 'bounce'];
const subscriptionPurposes: SubscriptionPurpose[] = ['unsubscribe', 'profile', 'confirm', 'choices'];

test('a token yields the ids it was made from, and needs no encoding in a URL', () => {
  fc.assert(
    fc.property(ids, (to) => {
      const tokens = maker.tokens(to);
      const { account, campaign, seq, contact, lists } = to;
      for (const purpose of recipientPurposes) {
        assert.match(tokens[purpose], /^[A-Za-z0-9_-]+$/);
        assert.deepEqual(maker.readRecipient(purpose, tokens[purpose]), { account, campaign, seq });
      }
      for (const purpose of subscriptionPurposes) {
        assert.match(tokens[purpose], /^[A-Za-z0-9_-]+$/);
        assert.deepEqual(maker.readSubscription(purpose, tokens[purpose]), { account, campaign, contact, lists });
      }
    }),
  );
});

test('click, open and view tokens have 32 characters; a bounce token survives a change of case and fits a local part', () => {
  const tokens = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists: [5] });
  assert.deepEqual([tokens.click.length, tokens.open.length, tokens.view.length], [32, 32, 32]);
  assert.deepEqual(maker.readRecipient('bounce', tokens.bounce.toUpperCase()), { account: 1, campaign: 2, seq: 3 });
  assert.ok(tokens.bounce.length <= 60);
});

test('a token of one purpose is not valid for another', () => {
  const tokens = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 3, lists: [] });
  for (const made of Object.keys(tokens) as (keyof typeof tokens)[]) {
    for (const purpose of recipientPurposes) {
      if (purpose !== made) assert.equal(maker.readRecipient(purpose, tokens[made]), null, `${made} as ${purpose}`);
    }
    for (const purpose of subscriptionPurposes) {
      if (purpose !== made) assert.equal(maker.readSubscription(purpose, tokens[made]), null, `${made} as ${purpose}`);
    }
  }
});

test('the token in the Message-ID, which anyone may see, makes no return path', () => {
  const { message, bounce } = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists: [] });
  assert.match(message, /^[0-9a-f]{24}$/);
  assert.equal(maker.readRecipient('bounce', bounce.slice(0, 24) + message), null);
});

test('a token with any character changed, removed or added is not valid', () => {
  const tokens = maker.tokens({ account: 11, campaign: 22, seq: 33, contact: 44, lists: [55, 66] });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const [purpose, read] of [
    ['click', (token: string) => maker.readRecipient('click', token)],
    ['bounce', (token: string) => maker.readRecipient('bounce', token)],
    ['unsubscribe', (token: string) => maker.readSubscription('unsubscribe', token)],
  ] as const) {
    const token = tokens[purpose];
    for (let i = 0; i < token.length; i++) {
      const other = alphabet[(alphabet.indexOf(token[i]!) + 1 + i) % 64]!;
      if (other.toLowerCase() === token[i]!.toLowerCase()) continue;
      assert.equal(read(token.slice(0, i) + other + token.slice(i + 1)), null, `${purpose} at ${i}`);
      assert.equal(read(token.slice(0, i)), null, `${purpose} cut at ${i}`);
    }
    for (const bad of ['', `${token}A`, ` ${token}`, `${token}=`, `${token}\n`, token + token, 'é'.repeat(32)]) {
      assert.equal(read(bad), null, JSON.stringify(bad));
    }
  }
});

test('a token has only one spelling', () => {
  const token = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists: [5] }).unsubscribe;
  // 16 bytes of ids leave four bits of their last character unused.
  const last = token.length - 16 - 1;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = alphabet[alphabet.indexOf(token[last]!) + 1]!;
  assert.deepEqual(
    Buffer.from(token.slice(0, last) + twin, 'base64url'),
    Buffer.from(token.slice(0, last + 1), 'base64url'),
  );
  assert.equal(maker.readSubscription('unsubscribe', token.slice(0, last) + twin + token.slice(last + 1)), null);
});

test('arbitrary text is not a valid token', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{32,38}$/)), (text) => {
      assert.equal(maker.readRecipient('click', text), null);
      assert.equal(maker.readRecipient('bounce', text), null);
      assert.equal(maker.readSubscription('unsubscribe', text), null);
    }),
  );
});

test('another secret makes other tokens, and an older secret still verifies', () => {
  const to = { account: 1, campaign: 2, seq: 3, contact: 4, lists: [5] };
  const old = maker.tokens(to);
  const rotated = tokenMaker([secondSecret, firstSecret], firstSecret);
  const other = tokenMaker([secondSecret], firstSecret);
  assert.notEqual(rotated.tokens(to).click, old.click);
  assert.deepEqual(rotated.readSubscription('unsubscribe', old.unsubscribe)?.contact, 4);
  assert.deepEqual(rotated.readRecipient('click', rotated.tokens(to).click)?.seq, 3);
  assert.equal(other.readRecipient('click', old.click), null);
  assert.throws(() => tokenMaker([], firstSecret));
  assert.throws(() => tokenMaker(['short'], firstSecret));
  assert.throws(() => tokenMaker([firstSecret], 'short'));
});

test('a Message-ID stays the same while secrets are added, sign and are revoked', () => {
  const to = { account: 1, campaign: 2, seq: 3, contact: 4, lists: [5] };
  const before = maker.tokens(to).message;
  for (const secrets of [[firstSecret, secondSecret], [secondSecret, firstSecret], [secondSecret]])
    assert.equal(tokenMaker(secrets, firstSecret).tokens(to).message, before, secrets.join());
  assert.notEqual(tokenMaker([secondSecret], secondSecret).tokens(to).message, before);
});

test('the MAC is HMAC-SHA512 over the ids, as the standard library makes it', () => {
  const token = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists: [] }).click;
  const message = Buffer.from('000000010000000200000003', 'hex');
  const key = hash('sha512', `postrider token 1 recipient ${firstSecret}`, 'buffer');
  const mac = createHmac('sha512', key).update(message).digest('base64url');
  assert.equal(token, message.toString('base64url') + mac.slice(0, 16));
});

test('a click address is a token and a link number, and the number of an item', () => {
  const token = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists: [] }).click;
  assert.deepEqual(splitClick(`${token}0`), { token, link: 0 });
  assert.deepEqual(splitClick(`${token}zz`), { token, link: 1295 });
  assert.deepEqual(splitClick(`${token}z-0`), { token, link: 35, item: 0 });
  assert.deepEqual(splitClick(`${token}0-1d`), { token, link: 0, item: 49 });
  for (const bad of [`${token}0-`, `${token}0-00`, `${token}0-100`, `${token}0-1-1`, `${token}0_1`, `${token}-1`])
    assert.equal(splitClick(bad), null, bad);
  for (const bad of [token, `${token}00`, `${token}-1`, `${token}A`, `${token}0/`, `${token}999999`, '']) {
    assert.equal(splitClick(bad), null, bad);
  }
});

test('if more lists are given than fit, the first ones are kept', () => {
  const lists = Array.from({ length: 120 }, (_, i) => i + 1);
  const token = maker.tokens({ account: 1, campaign: 2, seq: 3, contact: 4, lists }).unsubscribe;
  assert.deepEqual(maker.readSubscription('unsubscribe', token)?.lists, lists.slice(0, 100));
});
