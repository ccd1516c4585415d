// The setting OIDC_PROVIDERS: identity providers by which people sign in, as a JSON array. Checks every member, so that a
// misspelled one is not silently without effect. Connects to nothing.
import { readFileSync } from 'node:fs';
import { isThisMachine } from './client-network.ts';
import { type NamedRole, namedRoles } from './permissions.ts';

export type GroupRule = { group: string; account: string; role: NamedRole };

export type Provider = {
  /** Part of the redirect URI; people never enter it. */
  id: string;
  /** The text of the button. */
  label: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
  /** The claim with the address of a person; `email` without it. */
  emailClaim?: string;
  /** Addresses count unless the provider says that they are not verified: only the operator's own organization signs in there. */
  trustsEmail?: true;
  /** The claim that lists the groups of a person, or the path to it with dots. */
  groupsClaim: string;
  groups: readonly GroupRule[];
  /** Whether a person who has no user yet gets one. */
  create: boolean;
  /** The account of new people, by id or main email address; '' is the account of the operator. */
  account: string;
  /** The role of new people there; '' for none, so that only a group or an invitation lets them in. */
  defaultRole: GroupRule['role'] | '';
};

const roles: readonly string[] = namedRoles;
const members = [
  'id',
  'label',
  'issuer',
  'client_id',
  'client_secret',
  'client_secret_file',
  'scopes',
  'email_claim',
  'trust_email',
  'groups_claim',
  'groups',
  'create',
  'account',
  'default_role',
];

/** @throws Error that names the provider and the member, never a value that may be secret */
export function parseProviders(text: string): Provider[] {
  if (text === '') return [];
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  if (!Array.isArray(given)) throw new Error('must be a JSON array of providers');
  const providers = given.map((item, i) => readProvider(item, i));
  for (const [i, { id, issuer }] of providers.entries()) {
    if (providers.findIndex((other) => other.id === id) < i) throw new Error(`has two providers with the id "${id}"`);
    // A person is known by issuer and subject: two clients of one issuer would be one provider.
    if (providers.findIndex((other) => other.issuer === issuer) < i)
      throw new Error(`has two providers with the issuer "${issuer}"`);
  }
  return providers;
}

function readProvider(given: unknown, index: number): Provider {
  if (!isStruct(given)) throw new Error(`[${index}] must be an object`);
  const at = `[${index}]`;
  const unknown = Object.keys(given).find((name) => !members.includes(name));
  if (unknown !== undefined)
    throw new Error(`${at} has an unknown member "${unknown}"; it may have ${members.join(', ')}`);
  const text = (name: string, fallback?: string): string => {
    const value = given[name] ?? fallback;
    if (typeof value !== 'string' || (value === '' && fallback !== '')) throw new Error(`${at}.${name} must be a text`);
    return value;
  };
  const id = text('id');
  if (!/^[a-z0-9-]{1,40}$/.test(id)) throw new Error(`${at}.id must consist of a-z, 0-9 and -`);
  const scopes = text('scopes', 'openid email profile').split(/\s+/).filter(Boolean);
  if (!scopes.includes('openid')) throw new Error(`${at}.scopes must contain openid`);
  const create = given.create ?? false;
  if (typeof create !== 'boolean') throw new Error(`${at}.create must be true or false`);
  const trustsEmail = given.trust_email ?? false;
  if (typeof trustsEmail !== 'boolean') throw new Error(`${at}.trust_email must be true or false`);
  const issuer = readIssuer(text('issuer'), at);
  if (trustsEmail && isOpenToAll(issuer))
    throw new Error(`${at}.trust_email needs an issuer of one organization: here anyone can sign in with any address`);
  const emailClaim = text('email_claim', 'email');
  const defaultRole = text('default_role', '');
  if (defaultRole !== '' && !roles.includes(defaultRole))
    throw new Error(`${at}.default_role must be one of ${roles.join(', ')}`);
  return {
    id,
    label: text('label', id).slice(0, 60),
    issuer,
    clientId: text('client_id'),
    clientSecret: readClientSecret(given, at),
    scopes,
    ...(emailClaim !== 'email' && { emailClaim }),
    ...(trustsEmail && { trustsEmail }),
    groupsClaim: text('groups_claim', 'groups'),
    groups: readGroups(given.groups ?? [], at),
    create,
    account: text('account', ''),
    defaultRole: defaultRole as Provider['defaultRole'],
  };
}

/** https, or http at this machine: tokens and the client's secret pass this connection. */
function readIssuer(text: string, at: string): string {
  const url = URL.parse(text);
  const hasNoExtras =
    url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname));
  if (!hasNoExtras || !isSafe) throw new Error(`${at}.issuer must be an https URL without user, query or fragment`);
  return text;
}

/** Issuers at which everyone has, or can make, an account. */
function isOpenToAll(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  if (['accounts.google.com', 'appleid.apple.com'].includes(hostname)) return true;
  return /^login\.(partner\.)?microsoftonline\.(com|us|cn)$/.test(hostname)
    ? /^\/(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(\/|$)/i.test(pathname)
    : false;
}

function readClientSecret(given: Record<string, unknown>, at: string): string {
  const { client_secret: value, client_secret_file: file } = given;
  if (value !== undefined && file !== undefined) throw new Error(`${at} has both client_secret and client_secret_file`);
  if (value !== undefined && typeof value !== 'string') throw new Error(`${at}.client_secret must be a text`);
  if (file === undefined) return value ?? '';
  if (typeof file !== 'string') throw new Error(`${at}.client_secret_file must be a path`);
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content !== '') return content;
  } catch (error) {
    throw new Error(`${at}.client_secret_file cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  throw new Error(`${at}.client_secret_file is empty`);
}

function readGroups(given: unknown, at: string): GroupRule[] {
  if (!Array.isArray(given)) throw new Error(`${at}.groups must be an array`);
  return given.map((rule, i) => {
    const { group, account = '', role, ...rest } = isStruct(rule) ? rule : {};
    const isRule = typeof group === 'string' && group !== '' && typeof account === 'string';
    if (!isRule || typeof role !== 'string' || !roles.includes(role) || Object.keys(rest).length > 0)
      throw new Error(`${at}.groups[${i}] must be {"group", "account", "role"}, with role one of ${roles.join(', ')}`);
    return { group, account, role: role as GroupRule['role'] };
  });
}

const isStruct = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
