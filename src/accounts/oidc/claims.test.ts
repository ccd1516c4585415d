// The claims of real providers, as their documentation and their users report them, and what they say about a person. An
// address that a provider does not vouch for never counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from '../../base/provider-setting.ts';
import { hasTooManyGroups, identityOf, isComplete } from './claims.ts';

const provider: Provider = {
  id: 'company',
  label: 'Company',
  issuer: 'https://login.example.com',
  clientId: 'postrider',
  clientSecret: '',
  scopes: ['openid'],
  groupsClaim: 'groups',
  groups: [{ group: 'marketing', account: '', role: 'editor' }],
  create: false,
  account: '',
  defaultRole: '',
};
const entra = { issuer: 'https://login.microsoftonline.com/3f0c0e1a-0000-4000-8000-000000000000/v2.0' };

type Case = {
  of: string;
  setting?: Partial<Provider>;
  claims: Record<string, unknown>;
  userInfo?: Record<string, unknown>;
  /** Without groups there are none; without name it is empty. */
  expect: { email: string; unverified?: true; name?: string; groups?: string[] } | { failure: string };
};

const address = 'a@example.com';
const verified = { email: address, email_verified: true };

const cases: Case[] = [
  // Whether the address is verified.
  { of: 'Google', claims: { ...verified, name: 'A B', picture: 'https://x' }, expect: { email: address, name: 'A B' } },
  { of: 'Cognito, Apple', claims: { email: address, email_verified: 'true' }, expect: { email: address } },
  { of: 'a capital letter', claims: { email: address, email_verified: ' True' }, expect: { email: address } },
  { of: 'Cognito', claims: { email: address, email_verified: 'false' }, expect: { email: '', unverified: true } },
  { of: 'Auth0', claims: { email: address, email_verified: false }, expect: { email: '', unverified: true } },
  { of: 'Entra ID', claims: { email: address }, expect: { email: '', unverified: true } },
  { of: 'null', claims: { email: address, email_verified: null }, expect: { email: '', unverified: true } },
  ...[1, '1', 'yes', 'verified', '', 'true false', ['true'], [true], {}, { value: true }].map(
    (given): Case => ({
      of: `no yes: ${JSON.stringify(given)}`,
      claims: { email: address, email_verified: given },
      setting: { trustsEmail: true },
      expect: { email: '', unverified: true },
    }),
  ),
  // A provider whose addresses the operator trusts; it can still say no.
  { of: 'trusted', setting: { trustsEmail: true }, claims: { email: address }, expect: { email: address } },
  {
    of: 'trusted, with null',
    setting: { trustsEmail: true },
    claims: { email: address, email_verified: null },
    expect: { email: address },
  },
  ...[false, 'false', 'False', 0].map(
    (given): Case => ({
      of: `trusted, but ${JSON.stringify(given)}`,
      setting: { trustsEmail: true },
      claims: { email: address, email_verified: given },
      expect: { email: '', unverified: true },
    }),
  ),
  // Entra ID with the optional claim about the owner of the domain.
  ...[true, 'true', 1, '1'].map(
    (given): Case => ({
      of: `Entra ID, xms_edov ${JSON.stringify(given)}`,
      setting: entra,
      claims: { email: address, xms_edov: given },
      expect: { email: address },
    }),
  ),
  ...[false, 'false', 0, '0', null].map(
    (given): Case => ({
      of: `Entra ID, xms_edov ${JSON.stringify(given)}`,
      setting: entra,
      claims: { email: address, xms_edov: given },
      expect: { email: '', unverified: true },
    }),
  ),
  {
    of: 'xms_edov of another provider',
    claims: { email: address, xms_edov: true },
    expect: { email: '', unverified: true },
  },
  {
    of: 'xms_edov of a host that only looks like Microsoft',
    setting: { issuer: 'https://login.microsoftonline.com.example.net/v2.0' },
    claims: { email: address, xms_edov: true },
    expect: { email: '', unverified: true },
  },
  // Where the address is.
  { of: 'a list of one', claims: { ...verified, email: [address] }, expect: { email: address } },
  {
    of: 'a list of one twice',
    claims: { ...verified, email: [address, ' A@example.com'] },
    expect: { email: address },
  },
  {
    of: 'a list of several: it is not known which one is verified',
    claims: { ...verified, email: [address, 'owner@example.com'] },
    expect: { email: '', unverified: true },
  },
  { of: 'an empty list', claims: { ...verified, email: [] }, expect: { email: '' } },
  { of: 'objects', claims: { ...verified, email: [{ value: address }] }, expect: { email: '' } },
  { of: 'a number', claims: { ...verified, email: 7 }, expect: { email: '' } },
  { of: 'white space', claims: { ...verified, email: ' a@example.com\n' }, expect: { email: address } },
  {
    of: 'preferred_username and upn are no addresses',
    claims: { email_verified: true, preferred_username: address, upn: address, unique_name: address },
    expect: { email: '' },
  },
  {
    of: 'a claim of the settings: email_verified does not speak of it',
    setting: { emailClaim: 'upn' },
    claims: { ...verified, upn: 'owner@example.com' },
    expect: { email: '', unverified: true },
  },
  {
    of: 'a trusted claim of the settings',
    setting: { emailClaim: 'upn', trustsEmail: true },
    claims: { email: 'chosen@example.net', upn: 'owner@example.com' },
    expect: { email: 'owner@example.com' },
  },
  {
    of: 'Azure B2C: a list under another name',
    setting: { emailClaim: 'emails', trustsEmail: true },
    claims: { emails: [address] },
    expect: { email: address },
  },
  // From the ID token and the user info together.
  { of: 'Keycloak, a small token', claims: {}, userInfo: verified, expect: { email: address } },
  {
    of: 'Cognito',
    claims: { email: address },
    userInfo: { ...verified, email_verified: 'true' },
    expect: { email: address },
  },
  {
    of: 'the user info knows another address',
    claims: { email: 'owner@example.com' },
    userInfo: verified,
    expect: { email: '', unverified: true },
  },
  {
    of: 'the user info takes nothing back',
    claims: { email: address, email_verified: false },
    userInfo: verified,
    expect: { email: '', unverified: true },
  },
  {
    of: 'the token has no address, but says no',
    claims: { email_verified: 'false' },
    userInfo: verified,
    expect: { email: '', unverified: true },
  },
  { of: 'null in the token', claims: { email: null }, userInfo: verified, expect: { email: address } },
  {
    of: 'only the verification in the user info',
    claims: { email: address },
    userInfo: { email_verified: true },
    expect: { email: address },
  },
  // Groups.
  ...['["marketing","heads"]', '[marketing, heads]', '[ marketing,heads ]'].map((given) => ({
    of: `a list as a text: ${given}`,
    claims: { ...verified, groups: given },
    expect: { email: address, groups: ['marketing', 'heads'] },
  })),
  ...['marketing,heads', 'marketing heads', 'marketing;heads', 'marketing|heads'].map((given) => ({
    of: `a text that may be a list: ${given}`,
    claims: { ...verified, groups: given },
    expect: { failure: 'groups' },
  })),
  {
    of: 'a group whose name has blanks',
    setting: { groups: [{ group: 'News, team', account: '', role: 'editor' }] },
    claims: { ...verified, groups: 'News, team' },
    expect: { email: address, groups: ['News, team'] },
  },
  {
    of: 'members that are true or false',
    claims: { ...verified, groups: { marketing: true, heads: false } },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'numbers in a list',
    claims: { ...verified, groups: [7, 'marketing'] },
    expect: { email: address, groups: ['7', 'marketing'] },
  },
  { of: 'a list', claims: { ...verified, groups: ['marketing'] }, expect: { email: address, groups: ['marketing'] } },
  {
    of: 'AD FS, OneLogin',
    claims: { ...verified, groups: 'marketing' },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'a text with a comma is one group',
    claims: { ...verified, groups: 'CN=heads,OU=marketing' },
    expect: { email: address, groups: ['CN=heads,OU=marketing'] },
  },
  ...[null, '', ' ', [], {}, [null, '']].map(
    (given): Case => ({
      of: `none: ${JSON.stringify(given)}`,
      claims: { ...verified, groups: given },
      expect: { email: address },
    }),
  ),
  {
    of: 'objects',
    claims: { ...verified, groups: [{ id: 'x1', name: 'marketing' }, { value: 'x2', display: 'heads' }, { id: 'x3' }] },
    expect: { email: address, groups: ['marketing', 'heads', 'x3'] },
  },
  {
    of: 'Zitadel',
    setting: { groupsClaim: 'urn:zitadel:iam:org:project:roles' },
    claims: { ...verified, 'urn:zitadel:iam:org:project:roles': { marketing: { '17': 'example.com' } } },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'Keycloak, roles of the realm',
    setting: { groupsClaim: 'realm_access.roles' },
    claims: { ...verified, realm_access: { roles: ['marketing'] } },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'Keycloak, roles of a client with a dot in its name',
    setting: { groupsClaim: 'resource_access.mail.example.com.roles' },
    claims: { ...verified, resource_access: { 'mail.example.com': { roles: ['marketing'] } } },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'Auth0: a URL is a name',
    setting: { groupsClaim: 'https://example.com/groups' },
    claims: { ...verified, 'https://example.com/groups': ['marketing'] },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'Cognito',
    setting: { groupsClaim: 'cognito:groups' },
    claims: { ...verified, 'cognito:groups': ['marketing'] },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'roles in the user info, other members in the token',
    setting: { groupsClaim: 'realm_access.roles' },
    claims: { ...verified, realm_access: { verify_caller: true } },
    userInfo: { realm_access: { roles: ['marketing'] } },
    expect: { email: address, groups: ['marketing'] },
  },
  {
    of: 'a name of every object',
    setting: { groupsClaim: 'constructor.name' },
    claims: verified,
    expect: { email: address },
  },
  {
    of: 'a number',
    claims: { ...verified, groups: 7 },
    expect: { failure: 'groups' },
  },
  {
    of: 'true',
    claims: { ...verified, groups: true },
    expect: { failure: 'groups' },
  },
  {
    of: 'an unreadable entry',
    claims: { ...verified, groups: ['marketing', { id: 1 }] },
    expect: { failure: 'groups' },
  },
  {
    of: 'an object that is no list of roles',
    setting: { groupsClaim: 'realm_access' },
    claims: { ...verified, realm_access: { roles: ['marketing'] } },
    expect: { failure: 'groups' },
  },
  {
    of: 'Entra ID, too many groups',
    claims: { ...verified, _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } },
    expect: { failure: 'too many groups' },
  },
  { of: 'Entra ID, too many groups', claims: { ...verified, hasgroups: true }, expect: { failure: 'too many groups' } },
  {
    of: 'Entra ID, too many groups',
    claims: { ...verified, hasgroups: 'true' },
    expect: { failure: 'too many groups' },
  },
  {
    of: 'groups without a rule are not read',
    setting: { groups: [] },
    claims: { ...verified, groups: 7 },
    expect: { email: address },
  },
  // The name.
  {
    of: 'Okta',
    claims: { ...verified, given_name: 'Ada', family_name: 'B' },
    expect: { email: address, name: 'Ada B' },
  },
  {
    of: 'Apple',
    claims: { ...verified, name: { firstName: 'Ada', lastName: 'B' } },
    expect: { email: address, name: 'Ada B' },
  },
  {
    of: 'only a user name',
    claims: { ...verified, preferred_username: 'ada' },
    expect: { email: address, name: 'ada' },
  },
  { of: 'a line break', claims: { ...verified, name: 'Ada\nB' }, expect: { email: address, name: 'Ada B' } },
];

for (const { of, setting, claims, userInfo = {}, expect } of cases)
  test(`${of}: ${JSON.stringify({ ...claims, ...(Object.keys(userInfo).length > 0 && { userInfo }) })}`, () => {
    const identity = identityOf({ ...provider, ...setting }, { sub: 's', ...claims }, userInfo);
    if ('failure' in expect) {
      assert.equal(identity, undefined);
      const isTooLong = hasTooManyGroups({ ...provider, ...setting }, claims);
      return assert.equal(isTooLong ? 'too many groups' : 'groups', expect.failure);
    }
    assert.ok(identity);
    const { email, hasUnverifiedEmail, name, groups } = identity;
    assert.deepEqual(
      { email, hasUnverifiedEmail, groups, ...('name' in expect && { name }) },
      {
        email: expect.email,
        hasUnverifiedEmail: expect.unverified ?? false,
        groups: expect.groups ?? [],
        ...('name' in expect && { name: expect.name }),
      },
    );
  });

test('the user info is asked unless the token has a judged address and, where they count, the groups', () => {
  const token = { email: address, email_verified: true };
  const asked = (claims: Record<string, unknown>, setting: Partial<Provider> = {}) =>
    !isComplete({ ...provider, ...setting }, claims);
  assert.equal(asked(token, { groups: [] }), false);
  assert.equal(asked(token), true, 'groups count, and are not in the token');
  assert.equal(asked({ ...token, groups: [] }), false);
  assert.equal(asked({ ...token, hasgroups: true }), false, 'there are too many for the token');
  assert.equal(asked({ email_verified: true, groups: [] }), true);
  assert.equal(asked({ email: address, groups: [] }), true);
  assert.equal(asked({ email: address, groups: [] }, { trustsEmail: true }), false);
});
