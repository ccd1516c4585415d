// Answers of providers that do not keep to RFC 6749 in every detail: a token is taken where one is meant, and where none is, the provider's
// own words say why, without a secret.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { startTokenServer, type TokenServer } from '../../../test/support/network/token-server.ts';
import { requestToken } from './token-request.ts';

let app: TestApp;
let tokens: TokenServer;
before(async () => {
  tokens = await startTokenServer();
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.1' });
});
afterEach(() => {
  tokens.fail = undefined;
});
after(async () => {
  await app.close();
  await tokens.close();
});

async function answerTo(fail: NonNullable<TokenServer['fail']>, clientSecret = 'a secret of the client') {
  tokens.fail = fail;
  const settings = {
    ...{ provider: 'other' as const, flow: 'client_credentials' as const, authorizeUrl: '', scope: 'mail' },
    ...{ tokenUrl: tokens.tokenUrl, clientId: 'c' },
  };
  return requestToken(app.app, settings, { clientSecret, refreshToken: '' });
}

const token = { access_token: 'abc', token_type: 'Bearer', expires_in: 3_600 };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

for (const [name, fail, lifetimeS] of [
  ['a byte order mark', { status: 200, body: `\ufeff${JSON.stringify(token)}` }, 3_600],
  ['status 201', { status: 201, body: JSON.stringify(token) }, 3_600],
  ['BearerToken', { status: 200, body: JSON.stringify({ ...token, token_type: 'BearerToken' }) }, 3_600],
  ['no type', { status: 200, body: '{"access_token":"abc"}' }, 3_600],
  ['a form', { status: 200, body: 'access_token=abc&expires_in=1800&token_type=bearer', headers: form }, 1_800],
  ['seconds in quotes', { status: 200, body: JSON.stringify({ ...token, expires_in: '1800' }) }, 1_800],
  ...[true, 0.0001, 0, -5, null, '', 'soon', [7]].map(
    (value) =>
      [
        `a lifetime of ${JSON.stringify(value)}`,
        { status: 200, body: JSON.stringify({ ...token, expires_in: value }) },
        3_600,
      ] as const,
  ),
] as const)
  test(`a token is taken: ${name}`, async () => {
    assert.deepEqual(await answerTo(fail), {
      ok: true,
      issued: { accessToken: 'abc', lifetimeS, refreshToken: undefined },
    });
  });

for (const [name, fail, reason] of [
  [
    'an object',
    { status: 400, body: '{"error":{"message":"The client is disabled","code":7}}' },
    /: The client is disabled$/,
  ],
  [
    'an object with a status',
    { status: 403, body: '{"error":{"message":"No access","status":"PERMISSION_DENIED"}}' },
    /: PERMISSION_DENIED No access$/,
  ],
  [
    'a form',
    { status: 400, body: 'error=invalid_scope&error_description=no+such+scope' },
    /: invalid_scope no such scope$/,
  ],
  ['behind a byte order mark', { status: 400, body: '\ufeff{"error":"invalid_scope"}' }, /: invalid_scope$/],
] as const)
  test(`the provider's words are shown: ${name}`, async () => {
    const answer = await answerTo(fail);
    assert.ok(!answer.ok);
    assert.match(answer.problem, reason);
  });

test('a secret is masked, and words that a very short one is part of stay readable', async () => {
  const fail = { status: 400, body: '{"error":"invalid_scope","error_description":"secret of e: s3cr3t"}' };
  const masked = await answerTo(fail, 's3cr3t');
  assert.match('problem' in masked ? masked.problem : '', /: invalid_scope secret of e: \*\*\*$/);
  const short = await answerTo(fail, 'e');
  assert.match('problem' in short ? short.problem : '', /: invalid_scope secret of e: s3cr3t$/);
});

for (const [name, value, least, most] of [
  ['seconds', () => '120', 120, 120],
  ['a date', () => new Date(Date.now() + 120_000).toUTCString(), 100, 120],
  ['a century', () => '3153600000', 3_600, 3_600],
  ['a year', () => '31536000', 3_600, 3_600],
  ['nonsense', () => 'later', 0, 0],
] as const)
  test(`Retry-After is read: ${name}`, async () => {
    const answer = await answerTo({ status: 429, body: 'slow down', headers: { 'retry-after': value() } });
    assert.ok(!answer.ok && answer.mayPass);
    assert.ok(answer.retryAfterS! >= least && answer.retryAfterS! <= most, String(answer.retryAfterS));
  });
