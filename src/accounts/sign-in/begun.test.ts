// Sign-ins by passkey or provider that only begin: anyone can begin one, and each is a row.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import {
  clientSecret,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../test/support/network/identity-provider.ts';
import { sql } from '../../db/connect.ts';
import { attemptLimits } from '../access/attempts.ts';
import { maxBegun } from '../access/expire.ts';

const password = 'correct horse battery';
let provider: IdentityProvider;
let app: TestApp;
let base: string;
before(async () => {
  provider = await startIdentityProvider();
  app = await testApp({
    TRUST_PROXY: 'loopback',
    OUTBOUND_ALLOW: '127.0.0.1',
    OIDC_PROVIDERS: JSON.stringify([
      { id: 'company', label: 'Company', issuer: provider.issuer, client_id: 'postrider', client_secret: clientSecret },
    ]),
  });
  base = (await app.listen()).replace('127.0.0.1', 'localhost');
  app.app.baseUrl = base;
  provider.open(base);
});
beforeEach(async () => {
  for (const table of [sql`sign_in_try`, sql`passkey_challenge`, sql`provider_attempt`])
    await app.app.db.run(sql`delete from ${table}`);
});
after(async () => {
  await app.close();
  await provider.close();
});

const ask = async (path: string, body: object, ip: string) => {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
};

const ways = [
  { name: 'passkey', path: '/session/passkey/begin', body: {}, table: sql`passkey_challenge` },
  { name: 'provider', path: '/session/provider', body: { provider: 'company' }, table: sql`provider_attempt` },
];

const rowsIn = async (table: (typeof ways)[number]['table']) =>
  (await app.app.db.row<{ count: number }>(sql`select count(*)::int as count from ${table}`))!.count;

for (const { name, path, body, table } of ways) {
  test(`${name}: a client can leave 100 begun sign-ins open, and then waits; others do not`, async () => {
    const usual = attemptLimits.begunByCaller;
    assert.equal(usual, 100);
    attemptLimits.begunByCaller = 8;
    try {
      for (let n = 0; n < 8; n++) assert.equal((await ask(path, body, '203.0.113.7')).status, 200);
      const { status, retryAfter } = await ask(path, body, '203.0.113.7');
      assert.equal(status, 429);
      assert.ok(Number(retryAfter) > 0);
      assert.equal(await rowsIn(table), 8);
      assert.equal((await ask(path, body, '203.0.113.8')).status, 200);
      assert.equal(
        (await ask('/session', { email: 'x@example.com', password }, '203.0.113.7')).status,
        401,
        'passwords count apart',
      );
    } finally {
      attemptLimits.begunByCaller = usual;
    }
  });

  test(`${name}: a block of addresses has a limit as well`, async () => {
    const usual = attemptLimits.begunByBlock;
    attemptLimits.begunByBlock = 5;
    try {
      for (const [block, other] of [
        ['198.51.100.', '198.51.101.1'],
        ['2001:db8:1:', '2001:db8:2::1'],
      ]) {
        const at = (n: number) => (block!.includes(':') ? `${block}${n}::1` : `${block}${n}`);
        for (let n = 1; n <= 5; n++) assert.equal((await ask(path, body, at(n))).status, 200, at(n));
        assert.equal((await ask(path, body, at(6))).status, 429, at(6));
        assert.equal((await ask(path, body, other!)).status, 200, other);
      }
    } finally {
      attemptLimits.begunByBlock = usual;
    }
  });

  test(`${name}: those that are over go when another begins, and the oldest when there are too many`, async () => {
    const usual = maxBegun.rows;
    maxBegun.rows = 5;
    try {
      for (let n = 1; n <= 4; n++) await ask(path, body, `192.0.2.${n}`);
      await app.app.db.run(sql`update ${table} set expires_at = now() - interval '1 second'`);
      await ask(path, body, '192.0.2.16');
      assert.equal(await rowsIn(table), 1);
      await app.app.db.run(sql`update ${table} set expires_at = now() + interval '1 second'`);
      for (let n = 17; n <= 27; n++) {
        assert.equal((await ask(path, body, `192.0.2.${n}`)).status, 200);
        assert.ok((await rowsIn(table)) <= 5);
      }
      const oldest = await app.app.db.row(sql`select from ${table} where expires_at < now() + interval '1 minute'`);
      assert.equal(oldest, undefined);
    } finally {
      maxBegun.rows = usual;
    }
  });
}
