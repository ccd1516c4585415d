// A new secret of tokens: which one signs, what the others still verify, and that a running server follows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import type { TokenMaker } from '../../tracking/tokens.ts';
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

/** The tokens of a process that has read these secrets. */
const tokensBy = (secrets: readonly string[]): TokenMaker => tokensOf({ ...t.app, tokenSecrets: () => secrets });
const makeTokens = (maker: TokenMaker) =>
  maker.tokens({ account: t.account.id, campaign: 2, seq: 3, contact: 4, lists: [5] });

test('a new secret signs after five minutes, the old ones go on verifying, and Message-IDs stay', async () => {
  assert.deepEqual(await present(), [first]);
  assert.deepEqual(t.app.tokenSecrets(), [first]);
  const before = makeTokens(tokensBy(await present()));
  await t.app.db.transaction((tx) => addTokenSecret(tx, first));
  const known = await present();
  assert.deepEqual([known.length, known[0]], [2, first], 'it verifies, but does not sign yet');
  assert.deepEqual(makeTokens(tokensBy(known)), before);
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 0);
  await passFiveMinutes();
  const rotated = await present();
  assert.deepEqual(rotated, known.toReversed());
  const maker = tokensBy(rotated);
  const after = makeTokens(maker);
  assert.notEqual(after.unsubscribe, before.unsubscribe);
  assert.equal(after.message, before.message);
  for (const { click, unsubscribe } of [before, after]) {
    assert.ok(maker.readRecipient('click', click));
    assert.ok(maker.readSubscription('unsubscribe', unsubscribe));
  }
  // A process that has known the secret for minutes reads what is signed with it.
  assert.ok(tokensBy(known).readRecipient('click', after.click));
});

test('after a revocation only the newest secret counts, but Message-IDs stay', async () => {
  const before = makeTokens(tokensBy(await present()));
  const [newest] = await present();
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 1);
  assert.deepEqual(await present(), [newest]);
  assert.deepEqual(makeTokens(tokensBy(await present())), before);
  assert.equal(await t.app.db.transaction(revokeOldSecrets), 0);
});

test('a running server takes links of a new secret, and refuses those of a revoked one', async () => {
  const [newest] = await present();
  let secrets = [first];
  t.app.tokenSecrets = () => secrets;
  const base = await t.listen();
  const links = () => {
    const { unsubscribe, profile, choices, confirm, click, view } = makeTokens(tokensOf(t.app));
    return [`u/${unsubscribe}`, `p/${profile}`, `p/${choices}`, `confirm/${confirm}`, `c/${click}0`, `v/${view}`];
  };
  const refused = async (paths: string[]) => {
    const answers: string[] = [];
    for (const path of paths) {
      for (const method of /^[cv]\//.test(path) ? ['GET'] : ['GET', 'POST'])
        if ((await fetch(`${base}/${path}`, { method })).status === 404) answers.push(`${method} ${path}`);
    }
    return answers;
  };
  const old = links();
  assert.deepEqual(await refused(old), []);
  secrets = [newest!, first];
  const added = links();
  assert.notDeepEqual(added, old);
  assert.deepEqual(await refused([...old, ...added]), []);
  secrets = [newest!];
  assert.deepEqual(await refused(added), []);
  assert.equal((await refused(old)).length, 10, 'every old link, by GET and POST');
});
