// A new secret of tokens: which one signs, and what the others still verify.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { sql } from '../db/connect.ts';
import { tokenMaker } from '../tracking/tokens.ts';
import { addTokenSecret, readTokenSecrets, revokeOldSecrets } from './token-secrets.ts';

let t: TestApp;
let first: string;
before(async () => {
  t = await testApp();
  first = t.app.secret.toString('hex');
});
after(() => t.close());

const present = () => readTokenSecrets(t.app.db, first);
const passFiveMinutes = () =>
  t.app.db.run(sql`
    update installation
    set value = (
      select jsonb_agg(jsonb_set(s, '{signs_at}', to_jsonb((s ->> 'signs_at')::timestamptz - interval '5 minutes')) order by no)
      from jsonb_array_elements(value) with ordinality as e (s, no)
    )
    where key = 'token_secrets'`);

test('a new secret signs after five minutes, the old ones go on verifying, and Message-IDs stay', async () => {
  assert.deepEqual(await present(), [first]);
  assert.deepEqual(t.app.tokenSecrets(), [first]);
  const to = { account: 1, campaign: 2, seq: 3, contact: 4, lists: [5] };
  const before = tokenMaker(await present()).tokens(to);
  await t.app.db.transaction((tx) => addTokenSecret(tx, first));
  const known = await present();
  assert.deepEqual([known.length, known[0]], [2, first], 'it verifies, but does not sign yet');
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 0);
  await passFiveMinutes();
  const rotated = await present();
  assert.deepEqual(rotated, known.toReversed());
  const maker = tokenMaker(rotated);
  const after = maker.tokens(to);
  assert.notEqual(after.unsubscribe, before.unsubscribe);
  assert.equal(after.message, before.message);
  for (const { click, unsubscribe } of [before, after]) {
    assert.ok(maker.readRecipient('click', click));
    assert.ok(maker.readSubscription('unsubscribe', unsubscribe));
  }
  // A process that has known the secret for minutes reads what is signed with it.
  assert.ok(tokenMaker(known).readRecipient('click', after.click));
});

test('after a revocation only the newest secret counts', async () => {
  const [newest] = await present();
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 1);
  assert.deepEqual(await present(), [newest]);
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 0);
});
