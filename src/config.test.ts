import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultGateways } from './base/client-network.ts';
import { ensureHome, readConfig, settings } from './config.ts';

const invalid: [name: string, value: string, reason: RegExp][] = [
  ...['banana', '10.0.0.0/99', '0.0.0.0/0', '10.0.0.0/8:443', 'loopback,localhost'].map(
    (value): [string, string, RegExp] => ['TRUST_PROXY', value, /must contain ranges such as/],
  ),
  ['SMTP_URL', 'smtp://h?weight=abc', /SMTP_URL has weight=abc; it must be a number/],
  ['SMTP_URL', 'smtp://a,smtp://b?banana=1', /SMTP_URL has the unknown setting banana/],
  ['SMTP_URL', 'http://user:hunter2@h', /SMTP_URL starts with neither smtp/],
  ...['banana', 'ftp://h', 'https://h?a=b', 'https://h/#top', 'https://ann@h', 'https://ann:b@h/'].map(
    (value): [string, string, RegExp] => ['BASE_URL', value, /must be a URL such as https:\/\/mail\.example\.com/],
  ),
  ['PORT', '0', /PORT "0" needs BASE_URL/],
  ['INBOX_PORT', '8080', /PORT, BOUNCE_PORT, INBOX_PORT and SUBMISSION_PORT must be different/],
  ['SPF_INCLUDE', 'spf.example.com, not a domain', /SPF_INCLUDE .* is not a domain/],
  ['SEAL_KEY', 'hunter2-hunter2', /SEAL_KEY must have at least 16 characters/],
  ['SETUP_PASSWORD', 'hunter2', /SETUP_PASSWORD must have at least 12 characters/],
];
for (const [name, value, reason] of invalid)
  test(`${name}=${value} is refused at start, without passwords`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ message }: Error) => {
        assert.match(message, reason);
        assert.ok(message.includes(name));
        assert.doesNotMatch(message, /hunter2/);
        return true;
      },
    );
  });

test('proxies are addresses, ranges and the names that Fastify knows', () => {
  const value = 'loopback, linklocal, uniquelocal, 10.0.0.0/8, 192.0.2.1, fd00::/8';
  assert.deepEqual(readConfig({ TRUST_PROXY: value }).trustProxy, value.split(', '));
});

test('the gateway among the proxies is replaced by its addresses', () => {
  const trusted = readConfig({ TRUST_PROXY: 'gateway, 10.0.0.0/8' }).trustProxy;
  assert.deepEqual(trusted, [...defaultGateways(), '10.0.0.0/8']);
});

test('HOME is set only where there is no home directory', () => {
  const environment: Record<string, string> = {};
  ensureHome(environment, () => '/home/ann');
  assert.deepEqual(environment, {});
  ensureHome(environment, () => {
    throw new Error('ENOENT: no such file or directory, uv_os_homedir');
  });
  assert.deepEqual(environment, { HOME: '/' });
});

test('any free port is allowed with BASE_URL, which may have a path', () => {
  const { port, baseUrl } = readConfig({ PORT: '0', BASE_URL: 'https://mail.example.com/news/' });
  assert.deepEqual([port, baseUrl], [0, 'https://mail.example.com/news']);
});

test('several relays are read, with their settings', () => {
  assert.equal(readConfig({ SMTP_URL: 'smtp://a?weight=2 smtps://u:p@b' }).smtpUrls.length, 2);
});

test('every secret is also read from a file; a file that cannot be used is reported without its content', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'secrets-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = (content: string) => {
    const path = join(dir, `${Math.random()}`);
    writeFileSync(path, content);
    return path;
  };
  const secrets = Object.values(settings).filter((setting) => 'secret' in setting && setting.secret);
  assert.deepEqual(
    secrets.map(({ name }) => name),
    [
      'DATABASE_URL',
      'READ_DATABASE_URL',
      'SMTP_URL',
      'SETUP_PASSWORD',
      'SETUP_API_KEY',
      'SEAL_KEY',
      'BACKUP_PASSPHRASE',
      'OIDC_PROVIDERS',
      'METRICS_TOKEN',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ],
  );
  const path = file('postgres://ann:hunter2@db/x\n');
  assert.equal(readConfig({ DATABASE_URL_FILE: path }).databaseUrl, 'postgres://ann:hunter2@db/x');
  assert.equal(readConfig({ METRICS_TOKEN_FILE: file('token\n') }).metricsToken, 'token');
  for (const [env, reason] of [
    [{ SEAL_KEY_FILE: join(dir, 'missing') }, /SEAL_KEY_FILE ".*missing" cannot be read: ENOENT/],
    [{ SEAL_KEY_FILE: dir }, /SEAL_KEY_FILE ".*" cannot be read: EISDIR/],
    [{ SEAL_KEY_FILE: file('\n') }, /SEAL_KEY_FILE ".*" is empty/],
    [{ SEAL_KEY_FILE: file('hunter2') }, /SEAL_KEY must have at least 16 characters/],
    [{ SEAL_KEY_FILE: file('x'.repeat(16)), SEAL_KEY: 'y'.repeat(16) }, /SEAL_KEY and SEAL_KEY_FILE are both set/],
  ] as const)
    assert.throws(
      () => readConfig(env),
      ({ message }: Error) => reason.test(message) && !message.includes('hunter2'),
    );
});

const limits: [name: string, min: number, max: number, fallback: number][] = [
  ['SUBMISSION_PORT', 0, 65535, 0],
  ['MAX_LATENESS', 1, 8760, 4],
  ['SOFT_BOUNCES', 1, 1000, 5],
  ['SOFT_BOUNCE_DAYS', 1, 3650, 30],
  ['BACKUP_KEEP', 1, 1000, 7],
  ['API_RATE', 1, 1_000_000, 300],
  ['API_PARALLEL', 1, 10_000, 10],
];
for (const [name, min, max, fallback] of limits)
  test(`${name} is a whole number from ${min} to ${max}, ${fallback} unless set`, () => {
    const member = Object.entries(settings).find(([, { name: env }]) => env === name)![0] as keyof typeof settings;
    const read = (value?: number) => readConfig(value === undefined ? {} : { [name]: String(value) })[member];
    assert.deepEqual([read(), read(min), read(max)], [fallback, min, max]);
    for (const value of [min - 1, max + 1, 1.5]) assert.throws(() => read(value), new RegExp(name), String(value));
  });

test('the passphrase of backups has at least 12 characters, each sign counting as one', () => {
  const read = (value: string) => readConfig({ BACKUP_PASSPHRASE: value }).backupPassphrase;
  assert.equal(read(''), '');
  assert.equal(read('hunter2hunte'), 'hunter2hunte');
  for (const short of ['hunter2hunt', '🔑'.repeat(11)]) assert.throws(() => read(short), /at least 12 characters/);
});

test('the settings of OpenTelemetry are those of its SDK, and a wrong value is not repeated where it may be a secret', () => {
  const config = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b=c, x-team = news,',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  assert.equal(config.otelEndpoint, 'https://collector.example/otlp');
  assert.deepEqual(config.otelHeaders, { 'api-key': 'a b=c', 'x-team': 'news' });
  assert.equal(config.otelSampling, 0.25);
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hush@collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hush'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=hush%2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'bad name=hush'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
  ] as const)
    assert.throws(
      () => readConfig({ [name]: value }),
      ({ message }: Error) =>
        message.includes(name) && (name !== 'OTEL_EXPORTER_OTLP_HEADERS' || !message.includes('hush')),
    );
});

test('settings that need each other are refused alone', () => {
  const problem = (environment: NodeJS.ProcessEnv) => {
    try {
      readConfig(environment);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  assert.match(problem({ SUBMISSION_KEY: 'key.pem' }), /SUBMISSION_CERT and SUBMISSION_KEY belong together/);
  assert.match(
    problem({ SUBMISSION_PORT: '2525', SUBMISSION_HOST: '0.0.0.0' }),
    /SUBMISSION_HOST needs SUBMISSION_CERT/,
  );
  assert.equal(problem({ SUBMISSION_PORT: '2525', SUBMISSION_HOST: '127.0.0.1' }), '');
  assert.match(problem({ PASSWORD_SIGN_IN: 'no' }), /PASSWORD_SIGN_IN "no" needs OIDC_PROVIDERS/);
  assert.match(problem({ BOUNCE_PORT: '2525' }), /BOUNCE_PORT needs BOUNCE_DOMAIN/);
  assert.match(problem({ BACKUP_DIR: '/tmp/backup' }), /BACKUP_DIR needs BACKUP_PASSPHRASE/);
  assert.match(problem({ READ_DATABASE_URL: 'postgres://db/x' }), /READ_DATABASE_URL needs DATABASE_URL/);
});

test('every setting is described and has the name of its variable', () => {
  for (const [key, { name, help }] of Object.entries(settings)) {
    assert.match(name, /^[A-Z][A-Z0-9_]+$/, key);
    assert.match(help, /^\S.{15,}/s, name);
  }
});

test('without settings only this machine is served', () => {
  const { host, submissionHost, submissionPort, bouncePort } = readConfig({});
  assert.deepEqual([host, submissionHost, submissionPort, bouncePort], ['127.0.0.1', '127.0.0.1', 0, 0]);
});
