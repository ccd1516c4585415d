// What the claims of a provider say about a person, in the shapes in which providers send them. Pure. An address counts only
// if the provider vouches for this very address; what cannot be read as groups is no empty list, as that would end memberships.
import type { Provider } from '../../base/provider-setting.ts';

/** What a provider vouches for. */
export type Identity = {
  issuer: string;
  subject: string;
  /** '' when there is none, or it is not verified. */
  email: string;
  /** An address that the provider does not vouch for. */
  hasUnverifiedEmail: boolean;
  name: string;
  groups: readonly string[];
};

export type Claims = Record<string, unknown>;

/**
 * @param claims those of the ID token; the user info only adds what they lack
 * @returns undefined when the groups cannot be read: then nothing can be decided by them
 */
export function identityOf(provider: Provider, claims: Claims, userInfo: Claims = {}): Identity | undefined {
  const groups = provider.groups.length === 0 ? [] : readGroups(provider, claims, userInfo);
  if (!groups) return undefined;
  const { email, isVerified } = readAddress(provider, claims, userInfo);
  return {
    issuer: provider.issuer,
    subject: textOf(claims.sub),
    email: isVerified ? email : '',
    hasUnverifiedEmail: !isVerified && email !== '',
    name: readName({ ...userInfo, ...present(claims) }),
    groups,
  };
}

/** Whether the ID token says all that is wanted of this person, so that the user info need not be asked. */
export function isComplete(provider: Provider, claims: Claims): boolean {
  const { email } = readAddress(provider, claims, {});
  const isJudged = claims.email_verified !== undefined || provider.trustsEmail === true;
  const hasGroups =
    provider.groups.length === 0 ||
    at(claims, provider.groupsClaim) !== undefined ||
    hasTooManyGroups(provider, claims);
  return email !== '' && isJudged && hasGroups;
}

/** Entra ID names another place to ask when there are more than 200 groups (OpenID Connect Core 5.6.2), or only says so. */
export function hasTooManyGroups({ groupsClaim }: Provider, claims: Claims): boolean {
  if (at(claims, groupsClaim) !== undefined) return false;
  const elsewhere = claims._claim_names;
  return (isObject(elsewhere) && Object.hasOwn(elsewhere, groupsClaim)) || isYes(claims.hasgroups);
}

type Address = { email: string; isVerified: boolean };

/** A word about verification counts for the address it came with. */
function readAddress(provider: Provider, claims: Claims, userInfo: Claims): Address {
  const claim = provider.emailClaim ?? 'email';
  const [inToken, inUserInfo] = [addressesOf(claims[claim]), addressesOf(userInfo[claim])];
  const [source, other] = inToken.length > 0 ? [claims, userInfo] : [userInfo, claims];
  const addresses = inToken.length > 0 ? inToken : inUserInfo;
  const email = addresses[0] ?? '';
  const isSame = inToken.length === 0 || inUserInfo.length === 0 || keyOf(inUserInfo[0]!) === keyOf(email);
  const said = [source.email_verified, isSame ? other.email_verified : undefined].filter((word) => word != null);
  // Of several addresses it is not known which one is meant.
  if (addresses.length > 1) return { email, isVerified: false };
  if (said.length === 0) return { email, isVerified: provider.trustsEmail === true || isOfOwnDomain(provider, source) };
  // It speaks of the claim `email` only.
  return { email, isVerified: said.every(isYes) && (claim === 'email' || provider.trustsEmail === true) };
}

/** One address as a text, or a list, as directories with several values for each member make it. */
function addressesOf(value: unknown): string[] {
  const texts = (Array.isArray(value) ? value : [value]).map(textOf).filter((text) => text !== '');
  return texts.filter((text, i) => texts.findIndex((other) => keyOf(other) === keyOf(text)) === i);
}

const keyOf = (email: string) => email.toLowerCase();

/** True, or the text, as Cognito, Apple and JumpCloud send it. No other value is a yes. */
const isYes = (value: unknown) => value === true || (typeof value === 'string' && /^\s*true\s*$/i.test(value));

const microsoftHosts = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn'];

/** The optional claim of Entra ID: the domain of the address belongs to the organization of the person. */
function isOfOwnDomain({ issuer, emailClaim = 'email' }: Provider, { xms_edov: value }: Claims): boolean {
  if (emailClaim !== 'email' || !microsoftHosts.includes(URL.parse(issuer)?.hostname ?? '')) return false;
  return isYes(value) || value === 1 || value === '1';
}

/** Providers leave the claim out for a person without groups, unless the list was too long. */
function readGroups(provider: Provider, claims: Claims, userInfo: Claims): string[] | undefined {
  if (hasTooManyGroups(provider, claims)) return undefined;
  const value = at(claims, provider.groupsClaim) ?? at(userInfo, provider.groupsClaim);
  if (value === undefined || value === null) return hasTooManyGroups(provider, userInfo) ? undefined : [];
  const names = namesIn(value, (name) => provider.groups.some(({ group }) => group === name));
  return names?.every((name) => name !== undefined) ? names.filter((name) => name !== '') : undefined;
}

/**
 * A list, also written as a text; a single group as a text; or an object whose members are the groups (Zitadel). Undefined in it:
 * cannot be read.
 */
function namesIn(value: unknown, isGroup: (name: string) => boolean): (string | undefined)[] | undefined {
  if (Array.isArray(value)) return value.map(groupOf);
  if (typeof value === 'string') return namesInText(value.trim(), isGroup);
  if (!isObject(value)) return undefined;
  const members = Object.entries(value).filter(([, member]) => member !== false && member !== null);
  if (!members.every(([, member]) => isObject(member) || member === true)) return undefined;
  return members.map(([name]) => name);
}

/** One group, or a list as JSON or in brackets (Cognito with SAML). Other texts with several words may be a list or a name. */
function namesInText(text: string, isGroup: (name: string) => boolean): (string | undefined)[] | undefined {
  if (isGroup(text)) return [text];
  if (/^\[.*\]$/s.test(text)) {
    const list = parsed(text);
    if (Array.isArray(list)) return list.map(groupOf);
    return text
      .slice(1, -1)
      .split(',')
      .map((name) => name.trim());
  }
  // A name of a directory (CN=…,OU=…) has commas of its own.
  return /[\s,;|]/.test(text) && !text.includes('=') ? undefined : [text];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One name for each group: with several, a group could be named like the id of another one. */
function groupOf(entry: unknown): string | undefined {
  if (entry === null) return '';
  if (typeof entry === 'string') return entry;
  if (typeof entry === 'number') return String(entry);
  if (!isObject(entry)) return undefined;
  const { name, displayName, display, value, id } = entry;
  return [name, displayName, display, value, id].map(textOf).find((text) => text !== '');
}

function readName({ name, given_name, family_name, preferred_username }: Claims): string {
  const { firstName, lastName } = isObject(name) ? name : {};
  const joint = (...parts: unknown[]) => parts.map(textOf).filter(Boolean).join(' ');
  const userName = textOf(preferred_username);
  const found =
    textOf(name) ||
    joint(firstName, lastName) ||
    joint(given_name, family_name) ||
    (userName.includes('@') ? '' : userName);
  return found.replace(/\p{Cc}/gu, ' ').slice(0, 200);
}

/** The value at a name or a path with dots (`realm_access.roles`). A dot may also be part of a name. */
function at(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const found = isObject(inner) ? at(inner, path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const present = (claims: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null && value !== ''));

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
