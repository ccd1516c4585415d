// Where DATABASE_URL leads, and whether the connection is encrypted: the one reader of that URL, for all that connect. Its TLS
// parameters mean what they mean to psql and libpq, which the providers of managed databases have in mind; to the driver, require
// would be verify-full. Without one, PGSSLMODE and PGSSLROOTCERT count, and otherwise nothing is encrypted.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';

/** What `target` throws; its message follows on "The database in DATABASE_URL cannot be used: ". */
export const urlErrorCode = 'POSTRIDER_URL';

const wrong = (reason: string) => Object.assign(new Error(reason), { code: urlErrorCode });

const modes = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
type Mode = (typeof modes)[number];

/** Parameters that are read here and not by the driver. */
const own = [
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'channel_binding',
  'uselibpqcompat',
];

type Target = Pick<pg.ClientConfig, 'connectionString' | 'ssl' | 'sslnegotiation' | 'enableChannelBinding'>;

/** The part of a connection's configuration that comes from the URL. @throws Error, for databaseProblem */
export function target(url: string, environment: NodeJS.ProcessEnv = process.env): Target {
  // A folder with a socket, as the driver takes it; never over a network.
  if (url.startsWith('/')) return { connectionString: url };
  needOneHost(url);
  const { base, parameters } = split(url);
  const given = (name: string) => parameters.get(name) ?? undefined;
  // An authority is named so that the certificate is checked.
  const usual = given('sslrootcert') === undefined ? environment['PGSSLMODE'] : 'verify-full';
  const mode = modeOf(given('sslmode'), given('ssl'), usual);
  const negotiation = given('sslnegotiation');
  for (const name of parameters.keys())
    if (/ssl/i.test(name) && !own.includes(name)) throw wrong(`its parameter "${name}" is not known; use sslmode`);
  const ca = given('sslrootcert') ?? environment['PGSSLROOTCERT'];
  if (ca === 'system' && mode !== 'verify-full') throw wrong('sslrootcert=system needs sslmode=verify-full');
  const ssl = sslOf(mode, {
    ca,
    cert: given('sslcert'),
    key: given('sslkey'),
  });
  const binding = given('channel_binding') === 'require';
  for (const name of own) parameters.delete(name);
  const rest = parameters.toString().replaceAll('+', '%20');
  return {
    connectionString: rest === '' ? base : `${base}?${rest}`,
    ssl,
    ...(negotiation === 'direct' && { sslnegotiation: 'direct' }),
    ...(binding && { enableChannelBinding: true }),
  };
}

function split(url: string): { base: string; parameters: URLSearchParams } {
  const at = url.indexOf('?');
  return at < 0
    ? { base: url, parameters: new URLSearchParams() }
    : { base: url.slice(0, at), parameters: new URLSearchParams(url.slice(at + 1)) };
}

/** @throws Error for what the driver would take for other parts of the URL, or not at all */
function needOneHost(url: string): void {
  const encode = 'percent-encode @ : / ? # % and spaces in user and password';
  const [, authority = '', rest = ''] = /^[a-z+]+:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  if (url.includes('#')) throw wrong(`it has a # in it (${encode})`);
  // The rest of a password after / ? or # ends with the @ before the host.
  const isUserLater = /^[^?@]*\?(.*&)?user=/s.test(rest);
  if (rest.includes('@') && !authority.includes('@') && !isUserLater) throw wrong(`it is not a valid URL (${encode})`);
  if (hosts.includes(',') || new URLSearchParams(/\?(.*)$/s.exec(rest)?.[1]).get('host')?.includes(','))
    throw wrong('it names several hosts; name one, such as the address that always leads to the primary');
  // Without a host: that of the parameters or of the environment.
  if (hosts !== '' && !URL.canParse(url)) throw wrong(`it is not a valid URL (${encode})`);
}

function modeOf(mode: string | undefined, ssl: string | undefined, inherited: string | undefined): Mode {
  const spoken: Record<string, Mode> = { true: 'verify-full', 1: 'verify-full', false: 'disable', 0: 'disable' };
  const asked = mode ?? (ssl !== undefined ? (spoken[ssl] ?? ssl) : inherited || 'disable');
  const known = modes.find((one) => one === asked);
  if (known === undefined) throw wrong(`sslmode "${asked}" is not one of ${modes.join(', ')}`);
  return known;
}

type Files = Record<'ca' | 'cert' | 'key', string | undefined>;

function sslOf(mode: Mode, { ca: authority, cert, key }: Files): false | ConnectionOptions {
  if (mode === 'disable') return false;
  const ca = authority === 'system' ? undefined : authority;
  if (mode === 'verify-ca' && ca === undefined) throw wrong('sslmode=verify-ca needs sslrootcert=FILE');
  const files = {
    ...(ca !== undefined && { ca: read('sslrootcert', ca) }),
    ...(cert !== undefined && { cert: read('sslcert', cert) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
  };
  // With a certificate of its authority, libpq checks that of the server by it also when require was asked for.
  if (mode === 'no-verify' || (mode === 'require' && ca === undefined)) return { ...files, rejectUnauthorized: false };
  return mode === 'verify-full' ? files : { ...files, checkServerIdentity: () => undefined };
}

function read(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong(`${parameter} names the file "${path}", which cannot be read (${(error as { code?: string }).code})`);
  }
}
