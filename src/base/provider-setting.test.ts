// The setting OIDC_PROVIDERS: defaults, the file of a secret, and that each mistake is reported without a secret.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseProviders } from './provider-setting.ts';

const minimal = { id: 'company', issuer: 'https://login.example.com', client_id: 'postrider', client_secret: 'hidden' };
const parse = (...providers: unknown[]) => parseProviders(JSON.stringify(providers));

test('a provider needs an id, an issuer and a client; the rest has defaults', () => {
  assert.deepEqual(parse(minimal), [
    {
      id: 'company',
      label: 'company',
      issuer: 'https://login.example.com',
      clientId: 'postrider',
      clientSecret: 'hidden',
      scopes: ['openid', 'email', 'profile'],
      groupsClaim: 'groups',
      groups: [],
      create: false,
      account: '',
      defaultRole: '',
    },
  ]);
  assert.deepEqual(parseProviders(''), []);
});

test('the operator can name the claim of the address, and trust a provider of one organization', () => {
  const issuer = 'https://login.microsoftonline.com/3f0c0e1a-0000-4000-8000-000000000000/v2.0';
  const [provider] = parse({ ...minimal, issuer, email_claim: 'upn', trust_email: true });
  assert.deepEqual([provider!.emailClaim, provider!.trustsEmail], ['upn', true]);
});

test('the secret of the client can be in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-'));
  try {
    const path = join(folder, 'secret');
    writeFileSync(path, ' from a file\n');
    const { client_secret: _, ...rest } = minimal;
    assert.equal(parse({ ...rest, client_secret_file: path })[0]!.clientSecret, 'from a file');
    writeFileSync(path, '\n');
    assert.throws(() => parse({ ...rest, client_secret_file: path }), /is empty/);
    assert.throws(() => parse({ ...rest, client_secret_file: join(folder, 'none') }), /cannot be read: ENOENT/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const [wrong, why] of [
  [{ id: 'Company' }, /\[0\]\.id must consist of/],
  [{ issuer: 'http://login.example.com' }, /issuer must be an https URL/],
  [{ issuer: 'https://u:p@login.example.com' }, /issuer must be an https URL/],
  [{ issuer: 'https://login.example.com?a=1' }, /issuer must be an https URL/],
  [{ client_id: '' }, /client_id must be a text/],
  [{ client_secret: 7 }, /client_secret must be a text/],
  [{ client_secret_file: '/x' }, /both client_secret and client_secret_file/],
  [{ scopes: 'email' }, /scopes must contain openid/],
  [{ create: 'yes' }, /create must be true or false/],
  [{ default_role: 'admin' }, /default_role must be one of/],
  [{ groups: [{ group: 'a', role: 'admin' }] }, /groups\[0\] must be/],
  [{ groups: { a: 'owner' } }, /groups must be an array/],
  [{ trust_email: 'yes' }, /trust_email must be true or false/],
  [{ trust_email: true, issuer: 'https://accounts.google.com' }, /trust_email needs an issuer of one organization/],
  [
    { trust_email: true, issuer: 'https://login.microsoftonline.com/common/v2.0' },
    /trust_email needs an issuer of one organization/,
  ],
  [
    { trust_email: true, issuer: 'https://login.microsoftonline.com/Organizations/v2.0' },
    /trust_email needs an issuer of one organization/,
  ],
  [{ email_claim: '' }, /email_claim must be a text/],
  [{ clientId: 'x' }, /unknown member "clientId"/],
] as const)
  test(`refused: ${JSON.stringify(wrong)}`, () => {
    assert.throws(
      () => parse({ ...minimal, ...wrong }),
      (error: Error) => why.test(error.message) && !error.message.includes('hidden'),
    );
  });

test('each id and each issuer appears once', () => {
  assert.throws(() => parse(minimal, minimal), /two providers with the id "company"/);
  assert.throws(() => parse(minimal, { ...minimal, id: 'other' }), /two providers with the issuer/);
  assert.throws(() => parseProviders('{}'), /must be a JSON array/);
  assert.throws(() => parseProviders('[hidden'), /^Error: is not JSON$/);
});

test('an issuer has https, or http on this machine', () => {
  const issuer = (text: string) => () => parse({ ...minimal, issuer: text });
  for (const text of ['http://localhost:8080', 'http://127.0.0.1/realm', 'https://login.example.com/x'])
    assert.doesNotThrow(issuer(text), text);
  for (const text of [
    'http://login.example.com',
    'ftp://localhost',
    'https://a@b.example',
    'https://b.example/?x',
    'b',
  ])
    assert.throws(issuer(text), /issuer must be an https URL/, text);
});

test('a rule of a group has a group, an account and a role', () => {
  const rule = { group: 'staff', account: 'a1', role: 'viewer' };
  const groups = (...given: unknown[]) => parse({ ...minimal, groups: given })[0]!.groups;
  for (const wrong of [
    { ...rule, group: '' },
    { ...rule, group: 1 },
    { ...rule, account: 1 },
    { ...rule, role: 'king' },
    { ...rule, more: 1 },
    'x',
  ])
    assert.throws(() => groups(wrong), /groups\[0\] must be/, JSON.stringify(wrong));
});
