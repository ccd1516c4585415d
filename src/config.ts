// Every setting of the program: its name in the environment, default, meaning and check.
// The only reader of process.env. Values are validated at start; what is wrong is told by name, all at once.
// `postrider --help` and docs/operations.md are made from the list below.
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { parseRange } from './base/outbound/addresses.ts';

export type Config = ReturnType<typeof readConfig>;

type Setting<T> = { default: string; help: string; secret?: boolean; parse(text: string): T };

const text: (help: string, fallback?: string) => Setting<string> = (help, fallback = '') => ({
  default: fallback,
  help,
  parse: (value) => value,
});
const secret = (help: string): Setting<string> => ({ ...text(help), secret: true });
const whole = (help: string, fallback: number, least: number, most: number): Setting<number> => ({
  default: String(fallback),
  help,
  parse(value) {
    if (!/^-?\d+$/.test(value)) throw new Error('is not a whole number');
    const number = Number(value);
    if (number < least || number > most) throw new Error(`must lie between ${least} and ${most}`);
    return number;
  },
});
const choice = <T extends string>(help: string, options: readonly T[], fallback: T): Setting<T> => ({
  default: fallback,
  help: `${help} (${options.join(', ')})`,
  parse(value) {
    if (!(options as readonly string[]).includes(value)) throw new Error(`must be one of ${options.join(', ')}`);
    return value as T;
  },
});
/** 50, 50/s, 3000/m or 10000/h as messages a second. */
const rateOf = (text: string): number => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text.trim()) ?? [];
  const perSecond = Number(number) / { s: 1, m: 60, h: 3_600 }[unit]!;
  if (!(perSecond > 0)) throw new Error('must be a rate such as 50/s, 3000/m or 10000/h');
  return perSecond;
};
const items = (
  help: string,
  check: (item: string) => void = () => {},
  hidden = false,
  between: string | RegExp = ',',
): Setting<string[]> => ({
  default: '',
  help,
  secret: hidden,
  parse(value) {
    const list = value
      .split(between)
      .map((item) => item.trim())
      .filter(Boolean);
    for (const item of list) check(item);
    return list;
  },
});
const webAddress = (help: string): Setting<string> => ({
  default: '',
  help,
  parse(value) {
    if (value === '') return '';
    const url = new URL(value);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('must begin with http:// or https://');
    return value.replace(/\/+$/, '');
  },
});
const smtpAddress = (item: string) => {
  const url = new URL(item);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') throw new Error('must begin with smtp:// or smtps://');
};

const domainName = (help: string): Setting<string> => ({
  default: '',
  help,
  parse(value) {
    const name = value.toLowerCase().replace(/\.$/, '');
    if (name !== '' && !/^(?=.{1,180}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(name))
      throw new Error('is not a domain');
    return name;
  },
});
const nameServer = (item: string) => {
  const [, four, six, bare] = /^(?:([\d.]+)(?::\d{1,5})?|\[([\da-f:.]+)\](?::\d{1,5})?|([\da-f:]+))$/i.exec(item) ?? [];
  if (isIP(four ?? six ?? bare ?? '') === 0) throw new Error('must hold addresses such as 192.0.2.1 or 192.0.2.1:5353');
};
const ipAddress = (item: string) => {
  if (isIP(item) === 0) throw new Error('must hold IP addresses');
};

const networkRange = (item: string) => {
  if (!parseRange(item)) throw new Error('must hold ranges such as 10.1.0.0/16');
};

/** THE list of settings. */
export const settings = {
  PORT: whole('Port of the web process.', 8080, 0, 65535),
  HOST: text('Address the web process listens on.', '127.0.0.1'),
  BASE_URL: webAddress(
    'Address under which recipients and browsers reach this installation; links in mails begin with it. Default: http://HOST:PORT.',
  ),
  DATA_DIR: text('Directory of the embedded database, the delivery journals and other local files.', './data'),
  DATABASE_URL: {
    ...secret('PostgreSQL 15 or later to use; without it a PostgreSQL of its own runs under DATA_DIR.'),
    parse(value: string) {
      if (value !== '' && !/^(postgres(ql)?:\/\/|socket:)/.test(value))
        throw new Error('must begin with postgres:// or postgresql://');
      return value;
    },
  },
  SMTP_URL: items(
    'Relays for outgoing mail, smtp:// or smtps://user:password@host:port, several separated by commas or spaces. Without it mail goes to the built-in inbox.',
    smtpAddress,
    true,
    /[\s,]+/,
  ),
  DOMAIN_RATES: {
    default: '',
    help: 'Most messages to a receiving domain over all workers, as domain=rate separated by commas, such as example.com=50/s, *=20/s; * is every other domain.',
    parse(value: string): Map<string, number> {
      const rates = new Map<string, number>();
      for (const item of value.split(/[\s,]+/).filter(Boolean)) {
        const [, domain, rate] = /^(\*|[^=*\s]+)=(.+)$/.exec(item) ?? [];
        if (domain === undefined) throw new Error('must hold items such as example.com=50/s');
        rates.set(domain.toLowerCase(), rateOf(rate!));
      }
      return rates;
    },
  },
  ACCOUNT_RATE: {
    default: '',
    help: 'Most messages of an account over all workers, such as 100/s; an account can set itself a lower one. Without it there is no limit.',
    parse: (value: string): number | undefined => (value === '' ? undefined : rateOf(value)),
  },
  OUTBOUND_ALLOW: items(
    'CIDR ranges of private networks that webhooks and imports may reach, separated by commas.',
    networkRange,
  ),
  SETUP_EMAIL: {
    ...text(
      'E-mail address of the first user and account; used at the first start only.',
      'owner@localhost.localdomain',
    ),
    parse(value: string) {
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) throw new Error('is not an e-mail address');
      return value;
    },
  },
  SETUP_PASSWORD: secret('Password of the first user; generated and printed once when not given.'),
  SETUP_API_KEY: {
    ...secret('API key of the first account, 32 hexadecimal digits; generated and printed once when not given.'),
    parse(value: string) {
      if (value !== '' && !/^[0-9a-f]{32}$/.test(value)) throw new Error('must be 32 lower-case hexadecimal digits');
      return value;
    },
  },
  LOG_LEVEL: choice(
    'Least severe messages to log.',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const,
    'info',
  ),
  INBOX_PORT: whole('Port of the built-in inbox on 127.0.0.1; 0 means any free one.', 0, 0, 65535),
  WORKERS: whole('Worker processes that `serve` starts; 0 means one for each processor core.', 0, 0, 64),
  CHROMIUM_PATH: text(
    'Chromium or Chrome that takes the pictures of templates. When empty: an installed one, otherwise the packaged one (Linux x64), unpacked under DATA_DIR. "none": drawings only.',
  ),
  BOUNCE_DOMAIN: domainName(
    'Domain that undeliverable mail comes back to: each mail gets a return path of its own there, and List-Unsubscribe a mailto address. Without it mail comes back to the From address.',
  ),
  BOUNCE_HOST: text('Address the listener for returned mail listens on.', '127.0.0.1'),
  BOUNCE_PORT: whole('Port of the listener for returned mail; 0 means that there is none.', 0, 0, 65535),
  MAX_LATENESS: whole(
    'Hours a campaign or an autoresponder may be late, after the machine was off, and still be sent by itself.',
    4,
    1,
    8760,
  ),
  SOFT_BOUNCES: whole(
    'Soft bounces of a contact that end its subscriptions, counted over SOFT_BOUNCE_DAYS.',
    5,
    1,
    1000,
  ),
  SOFT_BOUNCE_DAYS: whole('Days over which soft bounces are counted.', 30, 1, 3650),
  DNS_SERVERS: items(
    "Name servers asked about sender domains, such as 192.0.2.1 or 192.0.2.1:5353; the system's own when not given.",
    nameServer,
  ),
  SENDING_ADDRESSES: items(
    'IP addresses that mail leaves this installation or its relays from; SPF and reverse DNS are checked for them.',
    ipAddress,
  ),
  SPF_INCLUDE: items('Domains whose SPF record senders are to include, as the operator of the relay names them.'),
  SEAL_KEY: {
    ...secret(
      'Secret of 16 characters or more that private keys in the database are encrypted with, beside the one in the database; must stay the same.',
    ),
    parse(value: string) {
      if (value !== '' && value.length < 16) throw new Error('must have 16 characters or more');
      return value;
    },
  },
  METRICS_TOKEN: secret(
    'Token that opens /metrics to others than this machine, sent as "Authorization: Bearer TOKEN".',
  ),
  TRUST_PROXY: items('CIDR ranges of reverse proxies whose X-Forwarded-For is believed.'),
};

/**
 * Reads and checks all settings.
 * @throws Error whose message names every wrong setting on a line of its own.
 */
export function readConfig(env: Record<string, string | undefined> = process.env) {
  const problems: string[] = [];
  const take = <T>(name: string, setting: Setting<T>): T => {
    const given = env[name];
    try {
      return setting.parse((given === undefined || given === '' ? setting.default : given).trim());
    } catch (error) {
      problems.push(`${name} ${setting.secret ? '' : `"${given}" `}${(error as Error).message}`);
      return undefined as T;
    }
  };
  const dataDir = take('DATA_DIR', settings.DATA_DIR);
  const config = {
    port: take('PORT', settings.PORT),
    host: take('HOST', settings.HOST),
    baseUrl: take('BASE_URL', settings.BASE_URL),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    databaseUrl: take('DATABASE_URL', settings.DATABASE_URL),
    smtpUrls: take('SMTP_URL', settings.SMTP_URL),
    domainRates: take('DOMAIN_RATES', settings.DOMAIN_RATES),
    accountRate: take('ACCOUNT_RATE', settings.ACCOUNT_RATE),
    outboundAllow: take('OUTBOUND_ALLOW', settings.OUTBOUND_ALLOW),
    setupEmail: take('SETUP_EMAIL', settings.SETUP_EMAIL),
    setupPassword: take('SETUP_PASSWORD', settings.SETUP_PASSWORD),
    setupApiKey: take('SETUP_API_KEY', settings.SETUP_API_KEY),
    logLevel: take('LOG_LEVEL', settings.LOG_LEVEL),
    inboxPort: take('INBOX_PORT', settings.INBOX_PORT),
    workers: take('WORKERS', settings.WORKERS),
    chromiumPath: take('CHROMIUM_PATH', settings.CHROMIUM_PATH),
    bounceDomain: take('BOUNCE_DOMAIN', settings.BOUNCE_DOMAIN),
    bounceHost: take('BOUNCE_HOST', settings.BOUNCE_HOST),
    bouncePort: take('BOUNCE_PORT', settings.BOUNCE_PORT),
    maxLateness: take('MAX_LATENESS', settings.MAX_LATENESS),
    softBounces: take('SOFT_BOUNCES', settings.SOFT_BOUNCES),
    softBounceDays: take('SOFT_BOUNCE_DAYS', settings.SOFT_BOUNCE_DAYS),
    dnsServers: take('DNS_SERVERS', settings.DNS_SERVERS),
    sendingAddresses: take('SENDING_ADDRESSES', settings.SENDING_ADDRESSES),
    spfIncludes: take('SPF_INCLUDE', settings.SPF_INCLUDE),
    sealKey: take('SEAL_KEY', settings.SEAL_KEY),
    metricsToken: take('METRICS_TOKEN', settings.METRICS_TOKEN),
    trustProxy: take('TRUST_PROXY', settings.TRUST_PROXY),
  };
  if (config.bouncePort > 0 && config.bounceDomain === '')
    problems.push('BOUNCE_PORT needs BOUNCE_DOMAIN, the domain whose mail comes there');
  if (problems.length > 0) throw new Error(`These settings are wrong:\n  ${problems.join('\n  ')}`);
  return config;
}

/** The environment of a child process of ours: the same settings, read again there. */
export function childEnvironment(extra: Record<string, string>): Record<string, string | undefined> {
  return { ...process.env, ...extra };
}

/** A lower-case hexadecimal secret of `bytes` random bytes. */
export const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');
