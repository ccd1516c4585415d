// THE list of settings: name in the environment, meaning, default and check. Config is derived from it, and
// `postrider --help` and the table of docs/operations.md show it. The only reader of process.env.
// All settings are checked at start, and all invalid ones are reported together.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { extname, resolve } from 'node:path';
import { callLimits } from './base/call-limits.ts';
import { defaultGateways, isThisMachine } from './base/client-network.ts';
import { parseRange } from './base/outbound/addresses.ts';
import { passwordLength } from './base/password-length.ts';
import { parseProviders } from './base/provider-setting.ts';
import { hasUsablePath } from './base/public-paths.ts';
import { parseSmtpUrl } from './base/relay/relay.ts';

type Kind<T> = { default: string /** The value is never shown. */; secret?: boolean; parse(text: string): T };
type Setting<T> = Kind<T> & { name: string; help: string };

export const settings = {
  port: setting('PORT', 'Port of the web process.', whole(8080, 0, 65535)),
  host: setting('HOST', 'Address the web process listens on.', text('127.0.0.1')),
  baseUrl: setting(
    'BASE_URL',
    'Public URL of this installation, used in the links of messages; it may have a path, such as https://www.example.com/mail. Without it, the one set in the application; until then http://HOST:PORT.',
    webUrl(),
  ),
  cell: setting(
    'CELL',
    'Number of this installation among several that share accounts between them (cells), 1 to 99: new API keys end in -cN, so that a proxy knows where to send calls. 0: the only one.',
    whole(0, 0, 99),
  ),
  dataDir: setting(
    'DATA_DIR',
    'Directory of the embedded database, the delivery journals and other local files.',
    checked('./data', (path) => resolve(path)),
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    'PostgreSQL 15 or later. Without it, an embedded PostgreSQL runs under DATA_DIR.',
    secret(checked('', postgresUrl)),
  ),
  readDatabaseUrl: setting(
    'READ_DATABASE_URL',
    'A physical standby of the database in DATABASE_URL. Web processes read there what it has already replayed.',
    secret(checked('', postgresUrl)),
  ),
  smtpUrls: setting(
    'SMTP_URL',
    'Relays for outgoing mail, as smtp:// or smtps://user:password@host:port, separated by commas or spaces. Others are set up in the application. Without any, mail goes to the built-in inbox.',
    secret(items(parseSmtpUrl, /[\s,]+/)),
  ),
  domainRates: setting(
    'DOMAIN_RATES',
    'Maximum rate per recipient domain, across all workers, as domain=rate separated by commas: example.com=50/s, *=20/s. * means every other domain.',
    checked('', domainRates),
  ),
  accountRate: setting(
    'ACCOUNT_RATE',
    'Maximum rate per account, across all workers, such as 100/s. An account can set a lower one for itself. Without it, there is no limit.',
    checked('', (value) => (value === '' ? undefined : parseRate(value))),
  ),
  followLinks: setting(
    'FOLLOW_LINKS',
    'no: the check of a campaign does not follow its links, such as where the server reaches the web through a proxy only.',
    choice(['yes', 'no'], 'yes'),
  ),
  outboundAllow: setting(
    'OUTBOUND_ALLOW',
    'CIDR ranges of private networks that webhooks, imports, feeds and relays of the application may reach, separated by commas. This holds for all accounts. A port, as in 10.1.0.0/16:443 or [fd00::/8]:443, allows that port only.',
    items(networkRange),
  ),
  setupEmail: setting(
    'SETUP_EMAIL',
    'Email address of the first user and account, used at the first start only.',
    checked('owner@localhost.localdomain', (email) => {
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw new Error('is not an email address');
      return email;
    }),
  ),
  setupPassword: setting(
    'SETUP_PASSWORD',
    `Password of the first user, at least ${passwordLength.min} characters. Without it, one is generated and written to first-account.env in DATA_DIR.`,
    secret(
      checked('', (password) => {
        if (password !== '' && [...password].length < passwordLength.min)
          throw new Error(`must have at least ${passwordLength.min} characters`);
        return password;
      }),
    ),
  ),
  setupApiKey: setting(
    'SETUP_API_KEY',
    'API key of the first account, 32 lower-case hexadecimal digits. Without it, one is generated and written to first-account.env in DATA_DIR.',
    secret(
      checked('', (key) => {
        if (key !== '' && !/^[0-9a-f]{32}$/.test(key)) throw new Error('must be 32 lower-case hexadecimal digits');
        return key;
      }),
    ),
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'Log level: trace, debug, info, warn, error or silent.',
    choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
  ),
  inboxPort: setting('INBOX_PORT', 'Port of the built-in inbox on 127.0.0.1. 0: any free port.', whole(0, 0, 65535)),
  workers: setting('WORKERS', 'Worker processes that `serve` starts. 0: one per processor core.', whole(0, 0, 64)),
  chromiumPath: setting(
    'CHROMIUM_PATH',
    'Chromium or Chrome that renders template thumbnails. Empty: an installed one, otherwise the packaged one (Linux x64), unpacked under DATA_DIR. "none": placeholders.',
    text(),
  ),
  bounceDomain: setting(
    'BOUNCE_DOMAIN',
    'Domain that receives bounces. Each message then has a return path there, and a mailto address in List-Unsubscribe. Without it, bounces go to the From address.',
    checked('', domainName),
  ),
  bounceHost: setting('BOUNCE_HOST', 'Address the bounce listener listens on.', text('127.0.0.1')),
  bouncePort: setting('BOUNCE_PORT', 'Port of the bounce listener. 0: no listener.', whole(0, 0, 65535)),
  submissionHost: setting(
    'SUBMISSION_HOST',
    'Address the SMTP submission server listens on. Any address other than loopback needs SUBMISSION_CERT.',
    text('127.0.0.1'),
  ),
  submissionPort: setting(
    'SUBMISSION_PORT',
    'Port of the SMTP submission server, usually 587. 0: no server.',
    whole(0, 0, 65535),
  ),
  submissionCert: setting(
    'SUBMISSION_CERT',
    'File with the TLS certificate chain of the submission server (PEM). With it, AUTH needs STARTTLS.',
    text(),
  ),
  submissionKey: setting('SUBMISSION_KEY', 'File with the private key of that certificate (PEM).', text()),
  maxLateness: setting(
    'MAX_LATENESS',
    'Hours a campaign, an issue of a recurring campaign or an email about a date may be overdue, after downtime, and still be sent automatically.',
    whole(4, 1, 8760),
  ),
  softBounces: setting(
    'SOFT_BOUNCES',
    'Soft bounces within SOFT_BOUNCE_DAYS that end the subscriptions of a contact.',
    whole(5, 1, 1000),
  ),
  softBounceDays: setting('SOFT_BOUNCE_DAYS', 'Days over which soft bounces are counted.', whole(30, 1, 3650)),
  dnsServers: setting(
    'DNS_SERVERS',
    "Name servers used to check sender domains, such as 192.0.2.1 or 192.0.2.1:5353. Default: the system's.",
    items(nameServer),
  ),
  sendingAddresses: setting(
    'SENDING_ADDRESSES',
    'IP addresses that mail is sent from, by this installation or its relays. SPF and reverse DNS are checked for them.',
    items(ipAddress),
  ),
  spfIncludes: setting(
    'SPF_INCLUDE',
    'Domains that senders include in their SPF records, as documented by the operator of the relay.',
    items((item) => {
      if (domainName(item) === '') throw new Error('must contain domains such as _spf.example.com');
    }),
  ),
  sealKey: setting(
    'SEAL_KEY',
    'Secret of at least 16 characters that encrypts private keys, second factors and webhook secrets in the database, in addition to the secret stored there. Make it with "openssl rand -base64 32", before the first start. Never change it.',
    secret(
      checked('', (key) => {
        if (key !== '' && key.length < 16) throw new Error('must have at least 16 characters');
        return key;
      }),
    ),
  ),
  backupPassphrase: setting(
    'BACKUP_PASSPHRASE',
    'Passphrase of at least 12 characters that encrypts backups. Keep a copy elsewhere: without it, no backup can be restored.',
    secret(
      checked('', (passphrase) => {
        if (passphrase !== '' && [...passphrase].length < 12) throw new Error('must have at least 12 characters');
        return passphrase;
      }),
    ),
  ),
  backupDir: setting(
    'BACKUP_DIR',
    'Directory for a backup each night and before each migration. Needs BACKUP_PASSPHRASE. Without it, none are made each night.',
    checked('', (path) => (path === '' ? '' : resolve(path))),
  ),
  backupKeep: setting('BACKUP_KEEP', 'Backups that are kept in BACKUP_DIR; older ones are deleted.', whole(7, 1, 1000)),
  appName: setting(
    'APP_NAME',
    'Name of the application on the sign-in page, in the titles of its pages, in its texts, and as the sender of the emails of the program.',
    checked('Postrider', (name) => {
      if (name.length > 60 || /[\p{Cc}<>"@]/u.test(name))
        throw new Error('must have 60 characters at most, and none of < > " @');
      return name;
    }),
  ),
  appLogo: setting(
    'APP_LOGO',
    'A picture (SVG, PNG, JPEG or WebP, 200 kB at most) in place of the logo on the sign-in page and of the icon in the browser. Read at the start.',
    checked('', (path) => (path === '' ? undefined : readLogo(resolve(path)))),
  ),
  supportEmail: setting(
    'SUPPORT_EMAIL',
    'Address for questions: shown on the sign-in page; answers to notices, invitations and password links go there.',
    checked('', (email) => {
      if (email !== '' && !/^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(email))
        throw new Error('is not an email address');
      return email;
    }),
  ),
  sessionIdleHours: setting(
    'SESSION_IDLE_HOURS',
    'Hours without a request after which a user is signed out; sessions of identity providers: at most 12. An open page of the application may make requests.',
    whole(72, 1, 336),
  ),
  oidcProviders: setting(
    'OIDC_PROVIDERS',
    'Identity providers by which people sign in (OpenID Connect), as a JSON array: see "Signing in by an identity provider".',
    secret(checked('', parseProviders)),
  ),
  passwordSignIn: setting(
    'PASSWORD_SIGN_IN',
    'no: people sign in by OIDC_PROVIDERS only; "postrider user link EMAIL" prints a link for emergencies.',
    choice(['yes', 'no'], 'yes'),
  ),
  metricsToken: setting(
    'METRICS_TOKEN',
    'Token that gives other machines access to /metrics, sent as "Authorization: Bearer TOKEN".',
    secret(text()),
  ),
  otelEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL of an OpenTelemetry collector, such as http://127.0.0.1:4318, that receives traces and metrics (OTLP over HTTP, JSON). Without it, none are made.',
    checked('', collectorUrl),
  ),
  otelHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers of each request to the collector, as name=value separated by commas; special characters in percent encoding.',
    secret(checked('', headerList)),
  ),
  otelServiceName: setting('OTEL_SERVICE_NAME', 'Name of this installation in traces and metrics.', text('postrider')),
  otelSampling: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    'Share of traces that are recorded, from 0 to 1.',
    checked('1', (value) => {
      const share = value === '' ? Number.NaN : Number(value);
      if (!(share >= 0 && share <= 1)) throw new Error('must be a number from 0 to 1');
      return share;
    }),
  ),
  otelMetricInterval: setting(
    'OTEL_METRIC_EXPORT_INTERVAL',
    'Milliseconds between two exports of metrics.',
    whole(60_000, 100, 3_600_000),
  ),
  publicDetails: setting(
    'PUBLIC_DETAILS',
    'yes: anyone may read the version, the API reference, the documentation and why sending is held. no: only signed-in users may read the API reference and the documentation, and /health and /ready answer without details.',
    choice(['yes', 'no'], 'yes'),
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    'Addresses or CIDR ranges of reverse proxies whose X-Forwarded-For is trusted, and of mail servers that forward mail to BOUNCE_PORT; also loopback, linklocal, uniquelocal, and gateway: the default gateway, the host of a container.',
    trustedProxies(),
  ),
  apiRate: setting(
    'API_RATE',
    'Calls a minute that each API key may make. An API key can have a limit of its own.',
    whole(300, 1, callLimits.perMinute),
  ),
  apiParallel: setting(
    'API_PARALLEL',
    'Calls that each API key may make at the same time. An API key can have a limit of its own.',
    whole(10, 1, callLimits.atOnce),
  ),
  keepRecipientsDays: setting(
    'KEEP_RECIPIENTS_DAYS',
    'The longest that any account keeps the recipients of campaigns, autoresponders and automations, in days; the numbers of reports stay. 0: each account decides by keep_recipients_days.',
    whole(0, 0, 36_500),
  ),
  keepAliveSeconds: setting(
    'KEEP_ALIVE_SECONDS',
    'Seconds for which the web process keeps an idle connection open. It must be longer than that of the load balancer in front.',
    whole(75, 1, 3_600),
  ),
};

type Settings = typeof settings;
export type Config = { [K in keyof Settings]: ReturnType<Settings[K]['parse']> };

/**
 * Reads and checks all settings. The value of a secret one, NAME, can also be the content of a file that NAME_FILE names.
 * @throws Error whose message lists every invalid setting on a line of its own
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const read = ({ name, secret, parse, ...setting }: Setting<unknown>): unknown => {
    const value = env[name];
    const path = secret ? env[`${name}_FILE`] : undefined;
    if (value && path) problems.push(`${name} and ${name}_FILE are both set`);
    const content = path ? readSecret(`${name}_FILE`, path, problems) : value;
    try {
      return parse((content || setting.default).trim());
    } catch (error) {
      problems.push(`${name} ${secret ? '' : `"${value}" `}${(error as Error).message}`);
      return undefined;
    }
  };
  const config = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, read(setting)])) as Config;
  if (config.bouncePort > 0 && config.bounceDomain === '')
    problems.push('BOUNCE_PORT needs BOUNCE_DOMAIN, the domain whose mail arrives there');
  if (config.readDatabaseUrl && config.databaseUrl === '')
    problems.push('READ_DATABASE_URL needs DATABASE_URL, the primary of that standby');
  if (config.backupDir && config.backupPassphrase === '') problems.push('BACKUP_DIR needs BACKUP_PASSPHRASE');
  if ((config.submissionCert === '') !== (config.submissionKey === ''))
    problems.push('SUBMISSION_CERT and SUBMISSION_KEY belong together');
  // Passwords would pass the network in clear text.
  if (config.submissionPort > 0 && config.submissionCert === '' && !isThisMachine(config.submissionHost ?? ''))
    problems.push('SUBMISSION_HOST needs SUBMISSION_CERT and SUBMISSION_KEY, unless it is an address of this machine');
  if (config.passwordSignIn === 'no' && config.oidcProviders?.length === 0)
    problems.push('PASSWORD_SIGN_IN "no" needs OIDC_PROVIDERS');
  const ports = [config.port, config.bouncePort, config.inboxPort, config.submissionPort].filter((port) => port > 0);
  if (new Set(ports).size < ports.length)
    problems.push('PORT, BOUNCE_PORT, INBOX_PORT and SUBMISSION_PORT must be different');
  if (config.port === 0 && config.baseUrl === '')
    problems.push('PORT "0" needs BASE_URL, because the port is part of the default');
  if (problems.length > 0) throw new Error(`Invalid settings:\n  ${problems.join('\n  ')}`);
  return config;
}

const logoTypes: Record<string, string> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};
const maxLogo = 200_000;

function readLogo(path: string): { type: string; bytes: Buffer } {
  const type = logoTypes[extname(path).slice(1).toLowerCase()];
  if (!type) throw new Error('must be a file that ends in .svg, .png, .jpg or .webp');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (bytes.length > maxLogo) throw new Error(`is larger than ${maxLogo / 1_000} kB`);
  return { type, bytes };
}

/** The content of a file such as /run/secrets/seal_key; undefined, with the problem noted, when it cannot be used. */
function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').trim();
    if (content !== '') return content;
    problems.push(`${name} "${path}" is empty`);
  } catch (error) {
    problems.push(`${name} "${path}" cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  return undefined;
}

/**
 * Libraries look for the home directory. A user id that is not in /etc/passwd, as in a container that was started with any user id,
 * has none unless HOME is set.
 */
export function ensureHome(env: Record<string, string | undefined> = process.env, home: () => string = homedir): void {
  try {
    home();
  } catch {
    env['HOME'] = '/';
  }
}

/** The environment of a child process: the same settings, which it reads again, except for those given here. */
export function childEnvironment(extra: Record<string, string>): Record<string, string | undefined> {
  const withoutFiles = Object.fromEntries(Object.keys(extra).map((name) => [`${name}_FILE`, undefined]));
  return { ...process.env, ...withoutFiles, ...extra };
}

function setting<T>(name: string, help: string, kind: Kind<T>): Setting<T> {
  return { name, help, ...kind };
}

function postgresUrl(url: string): string {
  if (url !== '' && !/^(postgres(ql)?:\/\/|socket:)/.test(url))
    throw new Error('must begin with postgres:// or postgresql://');
  return url;
}

function checked<T>(fallback: string, parse: (text: string) => T): Kind<T> {
  return { default: fallback, parse };
}

function secret<T>(kind: Kind<T>): Kind<T> {
  return { ...kind, secret: true };
}

function text(fallback = ''): Kind<string> {
  return checked(fallback, (value) => value);
}

function whole(fallback: number, min: number, max: number): Kind<number> {
  return checked(String(fallback), (value) => {
    if (!/^-?\d+$/.test(value)) throw new Error('is not a whole number');
    const number = Number(value);
    if (number < min || number > max) throw new Error(`must be between ${min} and ${max}`);
    return number;
  });
}

function choice<const T extends string>(options: readonly T[], fallback: T): Kind<T> {
  return checked(fallback, (value) => {
    if (!(options as readonly string[]).includes(value)) throw new Error(`must be one of ${options.join(', ')}`);
    return value as T;
  });
}

function items(check: (item: string) => unknown = () => {}, separator: string | RegExp = ','): Kind<string[]> {
  return checked('', (value) => {
    const list = value
      .split(separator)
      .map((item) => item.trim())
      .filter(Boolean);
    for (const item of list) check(item);
    return list;
  });
}

/** Without a trailing slash: the SDK adds /v1/traces and /v1/metrics. */
function collectorUrl(value: string): string {
  if (value === '') return '';
  const { protocol, username, search, hash } = URL.canParse(value) ? new URL(value) : ({} as Partial<URL>);
  if (!/^https?:$/.test(protocol ?? '') || username || search || hash)
    throw new Error('must be a URL such as http://127.0.0.1:4318, without user, query or fragment');
  return value.replace(/\/+$/, '');
}

function headerList(value: string): Record<string, string> {
  return Object.fromEntries(
    value
      .split(',')
      .filter((item) => item.trim() !== '')
      .map((item) => {
        const [name, ...rest] = item.split('=');
        // Not the value: it is a secret.
        if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name!.trim()) || rest.length === 0)
          throw new Error('must be name=value pairs, separated by commas');
        return [name!.trim(), decoded(rest.join('=').trim())];
      }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new Error('has a value with a "%" that is not followed by two hexadecimal digits');
  }
}

function webUrl(): Kind<string> {
  return checked('', (value) => {
    if (value === '') return '';
    const url = readWebUrl(value);
    if (url === undefined)
      throw new Error(
        'must be a URL such as https://mail.example.com or https://www.example.com/mail, without user, query or fragment; its path has letters, digits, dots and hyphens, and does not begin with an address of the program, such as /app or /api',
      );
    return url;
  });
}

/** A public URL without a trailing slash; undefined if the text is none, or its path could be one of the program's own. */
export function readWebUrl(text: string): string | undefined {
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>);
  if (!/^https?:$/.test(protocol ?? '') || username || password || /[?#\s]/.test(text) || !hasUsablePath(text))
    return undefined;
  return text.replace(/\/+$/, '');
}

function domainRates(value: string): Map<string, number> {
  const rates = new Map<string, number>();
  for (const item of value.split(/[\s,]+/).filter(Boolean)) {
    const [, domain, rate] = /^(\*|[^=*\s]+)=(.+)$/.exec(item) ?? [];
    if (domain === undefined) throw new Error('must contain items such as example.com=50/s');
    rates.set(domain.toLowerCase(), parseRate(rate!));
  }
  return rates;
}

/** 50, 50/s, 3000/m or 10000/h, as messages per second. */
function parseRate(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text.trim()) ?? [];
  const perSecond = Number(number) / { s: 1, m: 60, h: 3_600 }[unit]!;
  if (!(perSecond > 0)) throw new Error('must be a rate such as 50/s, 3000/m or 10000/h');
  return perSecond;
}

function domainName(value: string): string {
  const name = value.toLowerCase().replace(/\.$/, '');
  if (name !== '' && !/^(?=.{1,180}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(name))
    throw new Error('is not a domain');
  return name;
}

function nameServer(item: string): void {
  const [, four, six, bare] = /^(?:([\d.]+)(?::\d{1,5})?|\[([\da-f:.]+)\](?::\d{1,5})?|([\da-f:]+))$/i.exec(item) ?? [];
  if (isIP(four ?? six ?? bare ?? '') === 0)
    throw new Error('must contain addresses such as 192.0.2.1 or 192.0.2.1:5353');
}

function ipAddress(item: string): void {
  if (isIP(item) === 0) throw new Error('must contain IP addresses');
}

function networkRange(item: string): void {
  if (!parseRange(item)) throw new Error('must contain ranges such as 10.1.0.0/16');
}

/** With the addresses of the gateway in place of its name. */
function trustedProxies(): Kind<string[]> {
  const list = items((item) => item === 'gateway' || trustedRange(item));
  return {
    ...list,
    parse: (value) => list.parse(value).flatMap((item) => (item === 'gateway' ? defaultGateways() : item)),
  };
}

/** What Fastify accepts for trustProxy: its names, and ranges that are not the whole network. */
function trustedRange(item: string): void {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return;
  const range = parseRange(item);
  if (!range || range.port !== undefined || range.bits === 0)
    throw new Error('must contain ranges such as 10.1.0.0/16, or loopback, linklocal, uniquelocal, gateway');
}
