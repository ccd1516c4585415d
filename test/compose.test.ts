// What the compose files and the chart give the program: every setting can be set, names exist, values are accepted, and a stop gives the
// program the time it needs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig, settings } from '../src/config.ts';
import { graceMs } from '../src/parent-watch.ts';
import { composeEnvironment, composeFile, composePaths, exampleOf, filled } from './support/compose/files.ts';

const { load } = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };
const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const names = new Set(Object.values(settings).map(({ name }) => name));
/** Not settings of the program: PostgreSQL and its client read them. */
const passwords = ['POSTGRES_PASSWORD', 'PGPASSWORD'];
/** What a compose file decides: its network, its volume, its database. */
const fixed = ['DATABASE_URL', 'HOST', 'PORT', 'DATA_DIR'];

const files = composePaths.map((path) => ({ path, ...composeFile(path) }));
const seconds = (text = '10s') => Number(/^(\d+)s$/.exec(text)?.[1] ?? Number(/^(\d+)m$/.exec(text)?.[1]) * 60);

for (const { path, program, all, text } of files) {
  test(`${path} passes every setting of .env on, and fixes only what it decides itself`, () => {
    assert.ok(program.length > 0);
    for (const [name, { env_file, environment = {} }] of program) {
      assert.deepEqual(env_file, ['.env'], name);
      for (const [setting, value] of Object.entries(environment)) {
        assert.ok(names.has(setting) || passwords.includes(setting), `${name}: ${setting}`);
        if (fixed.includes(setting)) continue;
        assert.match(
          String(value),
          setting === 'PGPASSWORD' ? /^\$\{POSTGRES_PASSWORD:\?/ : new RegExp(`^\\$\\{${setting}:[-?]`),
        );
      }
    }
  });

  test(`.env.example of ${path} has what it asks for, and settings that exist`, () => {
    const offered = Object.keys(exampleOf(path));
    for (const name of offered) assert.ok(names.has(name) || passwords.includes(name), name);
    for (const [, name] of text.matchAll(/\$\{(\w+)/g)) assert.ok(offered.includes(name!), name);
    for (const name of ['TRUST_PROXY', 'BASE_URL', 'SMTP_URL', 'SEAL_KEY']) assert.ok(offered.includes(name), name);
  });

  test(`the program accepts what ${path} gives it, whatever characters the password of the database has`, () => {
    const password = `p@ss/w:rd#?%20$'`;
    const given = { ...exampleOf(path), POSTGRES_PASSWORD: password, SEAL_KEY: 'x'.repeat(44) };
    for (const [name, service] of program) {
      const all = composeEnvironment(service, given);
      const { databaseUrl, host, dataDir, port } = readConfig(all);
      assert.ok(URL.canParse(databaseUrl) && !databaseUrl.includes(password), name);
      assert.equal(all['PGPASSWORD'], password);
      assert.deepEqual([host, dataDir, port], ['0.0.0.0', '/data', 8080]);
    }
  });

  test(`${path} restarts its services, and stops them only after the time that they need`, () => {
    for (const [name, { restart, stop_grace_period }] of all) {
      assert.ok(restart === 'unless-stopped' || name === 'migrate', name);
      if (name !== 'proxy') assert.ok(seconds(stop_grace_period) > graceMs / 1_000, `${name}: ${stop_grace_period}`);
    }
  });

  test(`${path} publishes its port to this machine only`, () => {
    const ports = all.flatMap(([, service]) => service.ports ?? []);
    assert.equal(ports.length, 1);
    assert.match(ports[0]!, /^127\.0\.0\.1:/);
  });
}

test('compose.yaml trusts a proxy on this machine, and the port of .env is the one that is published', () => {
  const { ports, environment } = files[0]!.program[0]![1];
  assert.equal(filled(environment!['TRUST_PROXY']!, {}), 'gateway');
  assert.equal(filled(environment!['TRUST_PROXY']!, { TRUST_PROXY: '10.1.0.0/16' }), '10.1.0.0/16');
  assert.equal(filled(ports![0]!, { PORT: '9000' }), '127.0.0.1:9000:9000');
  assert.equal(filled(environment!['PORT']!, { PORT: '9000' }), '9000');
});

test('the chart passes every setting on, trusts no proxy before its network is set, and gives all parts time to stop', () => {
  const folder = 'examples/helm/postrider';
  const values = load(read(`${folder}/values.yaml`)) as {
    settings: Record<string, string>;
    work: { terminationGracePeriodSeconds: number };
  };
  assert.equal(values.settings['TRUST_PROXY'], '');
  readConfig(values.settings);
  assert.ok(values.work.terminationGracePeriodSeconds > graceMs / 1_000);
  for (const name of readdirSync(join(import.meta.dirname, '..', folder, 'templates'))) {
    const text = read(`${folder}/templates/${name}`);
    if (!text.includes('containers:') || name === 'migrate.yaml') continue;
    assert.match(text, /configMapRef: .*\n\s+- secretRef: /, name);
    const given = /terminationGracePeriodSeconds: (\d+|\{\{)/.exec(text)?.[1];
    assert.ok(given === '{{' || Number(given) > graceMs / 1_000, `${name}: ${given}`);
    // Fixed are only addresses and ports inside the container.
    for (const [, setting] of text.matchAll(/\{ name: ([A-Z_]+), value/g))
      assert.match(setting!, /^(HOST|PORT|(BOUNCE|SUBMISSION)_(HOST|PORT|CERT|KEY))$/, name);
  }
});

test('the image sets addresses and directories for a container, and nothing else', () => {
  const [, text = ''] = /^ENV (.*)$/m.exec(read('Dockerfile')) ?? [];
  const image = Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string]));
  const { NODE_COMPILE_CACHE: cache, HOME: home, ...own } = image;
  assert.deepEqual([cache, home], ['/data/compile-cache', '/data']);
  const { host, bounceHost, submissionHost, dataDir } = readConfig(own);
  assert.deepEqual(Object.keys(own).sort(), ['BOUNCE_HOST', 'DATA_DIR', 'HOST', 'SUBMISSION_HOST']);
  assert.deepEqual([host, bounceHost, submissionHost, dataDir], ['0.0.0.0', '0.0.0.0', '0.0.0.0', '/data']);
});
