// Reads a relay (a server that takes our messages) from its URL, smtp://user:pass@host:587?tls=require&connections=20.
// Guarantees a complete Relay or an error that names what is wrong and never contains the password.
// Opening a connection is left to open-connection.ts, choosing among several relays to relay-choice.ts.

import { createHash } from 'node:crypto';
import { isThisMachine } from '../client-network.ts';
import { renderMessage } from '../messages.ts';
import type { Range } from '../outbound/addresses.ts';
import { parseRamp, type Ramp } from './warm-up-ramp.ts';

/**
 * none: never TLS. opportunistic: STARTTLS if offered, any certificate, else plain text (protects against
 * eavesdroppers, not impostors; RFC 7435). require: STARTTLS with a valid certificate or no mail. implicit: TLS from the
 * first byte, with a valid certificate. The default is require if there is a password, else opportunistic.
 */
export const tlsPolicies = ['none', 'opportunistic', 'require', 'implicit'] as const;
export type TlsPolicy = (typeof tlsPolicies)[number];

export const authMethods = ['plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer', 'oauth'] as const;
export type AuthMethod = (typeof authMethods)[number];

export type Relay = {
  /** Stable for the same host, port and user; used by pace and journal. Contains no secret. */
  id: string;
  host: string;
  port: number;
  tls: TlsPolicy;
  /**
   * With xoauth2, oauthbearer and oauth (either of them) the password is the access token. Without a method the best one the server
   * offers is used. `grant`: it is empty, and each connection takes the present token; the version changes with its settings.
   */
  auth?: {
    user: string;
    password: string;
    method?: AuthMethod;
    grant?: { accountId: number; id: number; version: number };
  };
  /** Maximum number of open connections. */
  connections: number;
  /** Maximum messages a second; unlimited without it. */
  ratePerSecond?: number;
  /** Messages after which a connection ends and another one is opened; unlimited without it. */
  messagesPerConnection?: number;
  /** The part of what all processes may send that this one has; 1 without it. */
  share?: number;
  /** Share of the messages among the relays; 0 means only while all others rest. */
  weight: number;
  /** The daily ramp of a new relay or IP address; days are counted from its start. */
  warmUp?: Ramp & { startedAt: Date };
  /** The messages it is reserved for: those of the accounts, from the domains; an empty list is no limit. */
  limitedTo?: { accounts: readonly number[]; senderDomains: readonly string[] };
  /** Takes no messages; those reserved for it wait. */
  isPaused?: true;
  /** For a relay that was typed into the application: the private networks it may be in. Others are not connected to. */
  allowedNetworks?: readonly Range[];
};

const settings = ['tls', 'connections', 'messages', 'rate', 'weight', 'auth', 'warmup'];
const methods: readonly string[] = ['plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer'];

/** @throws Error if the URL is not usable; its message follows the name of the setting, as in "has port 0" */
export function parseSmtpUrl(address: string): Relay {
  if (!URL.canParse(address))
    throw wrong('is not an address like smtp://user:password@host:587 (percent-encode @ : / ? # in user and password)');
  const url = new URL(address);
  const implicit = url.protocol === 'smtps:';
  if (!implicit && url.protocol !== 'smtp:') throw wrong('starts with neither smtp:// nor smtps://');
  const host = hostOf(url);
  if (url.pathname !== '' && url.pathname !== '/')
    throw wrong('has a path after the port (percent-encode / ? # in user and password)');
  if (url.hash !== '') throw wrong('has a # in it (percent-encode it as %23)');
  for (const name of new Set(url.searchParams.keys())) {
    if (!settings.includes(name))
      throw wrong(`has the unknown setting ${name}; valid settings are ${settings.join(', ')}`);
    if (url.searchParams.getAll(name).length > 1) throw wrong(`has ${name} twice`);
  }
  const port = url.port === '' ? (implicit ? 465 : 25) : Number(url.port);
  if (port === 0) throw wrong('has port 0');
  const auth = authOf(url);
  const rate = rateOf(url);
  const warmUp = warmUpOf(url);
  const messages = wholeOf(url, 'messages', 1, 1_000_000);
  return {
    id: idOf(host, port, auth?.user),
    host,
    port,
    tls: tlsOf(url, implicit, auth !== undefined && !isThisMachine(host)),
    ...(auth ? { auth } : {}),
    connections: wholeOf(url, 'connections', 1, 1000) ?? 20,
    ...(messages === undefined ? {} : { messagesPerConnection: messages }),
    ...(rate === undefined ? {} : { ratePerSecond: rate }),
    weight: numberOf(url, 'weight', 0, 1_000_000) ?? 1,
    ...(warmUp ? { warmUp } : {}),
  };
}

/** One line for logs and screens, without the password. */
export function describeRelay(relay: Relay): string {
  const user = relay.auth ? `${relay.auth.user} at ` : '';
  const rate = relay.ratePerSecond === undefined ? '' : `, ${relay.ratePerSecond} a second`;
  return `${user}${bracketed(relay.host)}:${relay.port} (tls ${relay.tls}, ${relay.connections} connections${rate}, weight ${relay.weight})`;
}

function hostOf(url: URL): string {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === '') throw wrong('names no host');
  if (host.length > 255 || !/^[a-z0-9._:-]+$/.test(host))
    throw wrong('has a host that is neither a name nor an IP address');
  return host;
}

/** @param secret whether a password goes over a network: by default only the verified relay may receive it */
function tlsOf(url: URL, implicit: boolean, secret: boolean): TlsPolicy {
  const tls = url.searchParams.get('tls');
  if (implicit) {
    if (tls === null || tls === 'require') return 'implicit';
    throw wrong(`has smtps and tls=${tls}; smtps always uses TLS, so omit tls or write smtp://`);
  }
  if (tls === null) return secret ? 'require' : 'opportunistic';
  if (tls === 'none' || tls === 'opportunistic' || tls === 'require') return tls;
  throw wrong(`has tls=${tls}; valid values are none, opportunistic, require`);
}

function authOf(url: URL): Relay['auth'] {
  const method = url.searchParams.get('auth');
  if (method !== null && !methods.includes(method))
    throw wrong(`has auth=${method}; valid values are ${methods.join(', ')}`);
  if (url.username === '' && url.password === '') {
    if (method !== null) throw wrong('has auth without user and password');
    return undefined;
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === '' || password === '') throw wrong('has only one of user and password');
  // NUL separates the parts of AUTH PLAIN (RFC 4616); a line end would be a second command.
  if (/[\0\r\n]/.test(user + password)) throw wrong('has a control character in user or password');
  return { user, password, ...(method === null ? {} : { method: method as AuthMethod }) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong('has a % in user or password that starts no percent code (write %25)');
  }
}

function numberOf(url: URL, name: string, min: number, max: number): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max)
    throw wrong(`has ${name}=${text}; it must be a number from ${min} to ${max}`);
  return value;
}

/** Messages a second; 500 and 500/s are the same, 30/m is one in two seconds. */
function rateOf(url: URL): number | undefined {
  const text = url.searchParams.get('rate');
  const [, number, unit] = /^(.*?)(?:\/([smh]))?$/.exec(text ?? '') ?? [];
  if (text === null || unit === undefined) return numberOf(url, 'rate', 0.001, 1_000_000);
  const bare = new URL(url);
  bare.searchParams.set('rate', number!);
  return numberOf(bare, 'rate', 0.001, 1_000_000)! / { s: 1, m: 60, h: 3_600 }[unit]!;
}

/** warmup=50:1.5:20000:2026-11-21, or undefined. */
function warmUpOf(url: URL): (Ramp & { startedAt: Date }) | undefined {
  const text = url.searchParams.get('warmup');
  if (text === null) return undefined;
  const ramp = parseRamp(text, `warmup=${text}`);
  if ('wrong' in ramp) throw wrong(`is invalid: ${renderMessage(ramp.wrong)}`);
  return ramp;
}

function wholeOf(url: URL, name: string, min: number, max: number): number | undefined {
  const value = numberOf(url, name, min, max);
  if (value !== undefined && !Number.isInteger(value)) throw wrong(`has ${name}=${value}; it must be a whole number`);
  return value;
}

function idOf(host: string, port: number, user: string | undefined): string {
  if (user === undefined) return `${bracketed(host)}:${port}`;
  // The user may be an address or a token; eight digits distinguish the accounts of one host.
  return `${bracketed(host)}:${port}/${createHash('sha256').update(user).digest('hex').slice(0, 8)}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function wrong(what: string): Error {
  return new Error(what);
}
