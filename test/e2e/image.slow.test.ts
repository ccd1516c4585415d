// The container image: both targets of the Dockerfile are built, and run as containers are. Needs root and buildah; without them, the
// tests are skipped.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import pg from 'pg';
import { packageOf } from '../../scripts/image/loadable.ts';
import { version } from '../../src/base/version.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { graceMs } from '../../src/parent-watch.ts';
import { missingHelm } from '../support/chart/render.ts';
import { Container } from '../support/image/container.ts';
import { buildEarlierImage, earlierVersion } from '../support/image/earlier.ts';
import { chartParts, composeParts, type Part } from '../support/image/parts.ts';
import { buildImage, imageConfig, imageSize, missingTools, removeImages, withFiles } from '../support/image/store.ts';
import { root, run } from '../support/installation/commands.ts';
import { testKey } from '../support/installation/service.ts';
import { type SinkProcess, startSinkProcess } from '../support/smtp-sink/process.ts';
import { fill } from '../upgrade/fill.ts';
import { assertKept, keptSettings, whatItReturns } from '../upgrade/stored.ts';

const program = 'localhost/postrider-test:program';
const whole = 'localhost/postrider-test:whole';
const earlier = 'localhost/postrider-test:earlier';
/** As docs/operations.md says, with some room. */
const maxMegabytes: Record<string, number> = { [program]: 250, [whole]: 400 };
/** What is known to who builds. */
const build = { SOURCE: 'https://git.example.com/postrider', REVISION: 'c0ffee' };
const ordinary = { uid: 1000, gid: 1000 };
/** As OpenShift chooses them: no entry in /etc/passwd, and group 0. */
const anyUser = () => ({ uid: 1_000_000_000 + randomInt(1_000_000), gid: 0 });
const scratch = mkdtempSync(join(tmpdir(), 'postrider-image-'));

const skip = missingTools();

before(async () => {
  if (skip) return;
  await buildImage(program, 'program', build);
  await buildImage(whole, undefined, build);
});
after(async () => {
  rmSync(scratch, { recursive: true, force: true });
  if (!skip) await removeImages(program, whole, earlier);
});

async function started(t: TestContext, container: Container): Promise<Container> {
  t.after(() => container.remove());
  await startHealthy(t, container, 'on an empty volume');
  return container;
}

/** Starts it, and reports the time until the health check of the image succeeds, which platforms allow for. */
async function startHealthy(t: TestContext, container: Container, when: string): Promise<void> {
  const startedAt = performance.now();
  await container.start();
  const { code, errors } = await container.health();
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.equal(code, 0, errors);
  t.diagnostic(`${container.image} ${when}: healthy after ${seconds.toFixed(1)} s`);
  const { StartPeriod } = (await imageConfig(container.image)).Healthcheck;
  assert.ok(seconds < StartPeriod / 1e9, `${seconds} s`);
}

/** The program of the README, from outside: a list, a test message, a campaign, and what has arrived in the built-in inbox. */
async function sendFirstCampaign(container: Container): Promise<void> {
  const { code, output, errors } = await run('python3', [join(root, 'examples/first-campaign.py')], {
    BASE_URL: `${container.base}/`,
    API_KEY: testKey,
  });
  assert.equal(code, 0, `${errors}\n${container.output}`);
  assert.match(output, /ada@example\.com +Hello Ada/);
}

/** A database in no container, its password, and a port that leads to it. */
async function databaseOf(t: TestContext): Promise<{ databaseUrl: string; password: string }> {
  const log = { info: () => {}, warn: () => {}, error: console.error };
  const database = await startEmbedded({ dataDir: mkdtempSync(join(scratch, 'database-')), log });
  t.after(() => database.stop());
  const password = `p@ss/w#rd?%20$'"`;
  const admin = new pg.Client({ connectionString: database.superuserUrl });
  await admin.connect();
  await admin.query(`alter role postrider password ${admin.escapeLiteral(password)}`);
  await admin.end();
  const port = await portOf(t, database.url);
  return { databaseUrl: `postgres://postrider@127.0.0.1:${port}/postrider`, password };
}

/** A port that leads to the socket of a database, which is in no container. */
async function portOf(t: TestContext, databaseUrl: string): Promise<number> {
  const path = join(decodeURIComponent(new URL(databaseUrl).hostname), '.s.PGSQL.5432');
  const server = createServer((client) => {
    const database = connect(path);
    for (const socket of [client, database]) socket.on('error', () => undefined);
    client.pipe(database).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Name and version of each package in a folder. */
function packagesOf(folder: string): string[] {
  return globSync('node_modules/**/package.json', { cwd: folder })
    .filter((file) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    .map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return `${name}@${version}`;
    });
}

type Components = {
  bomFormat: string;
  metadata: { component: { version: string } };
  components: { name: string; version: string; properties?: { name: string }[] }[];
};
type Mail = { rcpt_to: string[]; subject: string };

async function stopInTime(container: Container): Promise<void> {
  const startedAt = performance.now();
  assert.equal(await container.stop(), 0, container.output);
  assert.ok(performance.now() - startedAt < graceMs);
}

test('both images run as an ordinary user, keep their data in a volume and have a health check', {
  skip,
}, async (t) => {
  for (const image of [program, whole]) {
    const { User, Volumes, ExposedPorts, Healthcheck, Cmd } = await imageConfig(image);
    assert.deepEqual([User, Object.keys(Volumes), Object.keys(ExposedPorts)], ['1000', ['/data'], ['8080/tcp']]);
    assert.equal(Healthcheck.Test[0], 'CMD');
    assert.deepEqual(Cmd, ['node', 'src/main.ts', 'serve']);
    const size = await imageSize(image);
    t.diagnostic(`${image}: ${size}`);
    assert.ok(Number.parseInt(size, 10) <= maxMegabytes[image]! && size.endsWith(' MB'), size);
  }
});

test('the images carry what they are, and the list of the packages that are in them', { skip }, async () => {
  const { license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const image of [program, whole]) {
    const { Labels } = await imageConfig(image);
    const label = (name: string) => Labels[`org.opencontainers.image.${name}`];
    assert.deepEqual(['title', 'version', 'licenses', 'description', 'documentation'].map(label), [
      'Postrider',
      version,
      license,
      description,
      '/docs/',
    ]);
    assert.deepEqual(['source', 'revision'].map(label), [build.SOURCE, build.REVISION]);
  }
  const [listed, packages] = await withFiles(program, (folder) => [
    JSON.parse(readFileSync(join(folder, 'app/components.cdx.json'), 'utf8')) as Components,
    packagesOf(join(folder, 'app')),
  ]);
  assert.deepEqual([listed.bomFormat, listed.metadata.component.version], ['CycloneDX', version]);
  const uses = (name: string) => listed.components.filter((one) => one.properties?.some((use) => use.name === name));
  const built = new Set(uses('postrider:use'));
  const there = listed.components.filter((one) => !built.has(one)).map(({ name, version }) => `${name}@${version}`);
  const node = `node@${process.versions.node}`;
  assert.deepEqual([...new Set(there)].sort(), [...new Set([...packages, node])].sort());
  assert.ok(there.length > 150 && built.size > 50, `${there.length} installed, ${built.size} built in`);
});

test('compiled code in the image comes from packages for its architecture', { skip }, async () => {
  const packages = await withFiles(program, (folder) => {
    const modules = join(folder, 'app/node_modules');
    const compiled = readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1')));
    return compiled.map((file) => JSON.parse(readFileSync(join(packageOf(file), 'package.json'), 'utf8')));
  });
  assert.ok(packages.length > 0);
  for (const { name, cpu, libc } of packages) assert.deepEqual([cpu, libc], [[process.arch], ['glibc']], name);
});

test('the program in the image can load every package that its sources name', { skip }, async (t) => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'([\w@][\w@./-]*)'/g)])
    .map(([, name]) => name!)
    .filter((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0] in dependencies);
  const unique = [...new Set(names)].sort();
  assert.ok(unique.length > 30);
  const { databaseUrl, password } = await databaseOf(t);
  const container = await started(
    t,
    new Container(program, ordinary, { DATABASE_URL: databaseUrl, PGPASSWORD: password }),
  );
  const script = `for (const name of ${JSON.stringify(unique)}) await import(name)`;
  const { code, errors } = await container.exec('node', '--input-type=module', '--eval', script);
  assert.equal(code, 0, errors);
});

test('commands of the guide and the examples are commands of the image', { skip }, async (t) => {
  const files = [
    'docs/guide/install.md',
    'docs/operations.md',
    'examples/compose-several/compose.yaml',
    'examples/helm/postrider/templates/NOTES.txt',
  ];
  const commands = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/node src\/main\.ts ([a-z-]+)(?: (create|password))?/g)].map(
      ([, command, next]) => [command!, ...(next ? [next] : [])],
    ),
  );
  assert.ok(commands.length >= 6);
  const { databaseUrl, password } = await databaseOf(t);
  const container = await started(
    t,
    new Container(program, ordinary, { DATABASE_URL: databaseUrl, PGPASSWORD: password }),
  );
  for (const words of commands) {
    const { code, output, errors } = await container.exec('node', 'src/main.ts', ...words, '--help');
    assert.equal(code, 0, errors);
    assert.match(output, new RegExp(`^Usage: postrider ${words.join(' ')}\\b`));
  }
});

test('the image with PostgreSQL starts on an empty volume, serves the application and sends a first campaign', {
  skip,
}, async (t) => {
  const container = await started(t, new Container(whole, ordinary));
  assert.match(container.output, /Begin here/);
  assert.match(container.output, /Its credentials +\/data\/first-account\.env/);
  for (const [path, content] of [
    ['/app/', /<script type="module"/],
    ['/docs/', /Postrider/],
    ['/api', /campaignCreate/],
  ] as const)
    assert.match(await (await fetch(container.base + path)).text(), content, path);
  await sendFirstCampaign(container);
  const account = await container.exec('node', 'src/main.ts', 'account', 'list');
  assert.match(account.output, /owner@localhost\.localdomain/, account.errors);
  await stopInTime(container);
  assert.doesNotMatch(container.output, /"level":(50|60)/);
});

test('SIGTERM during a campaign and a new start on the same volume: every recipient gets it once', {
  skip,
}, async (t) => {
  const sink = await startSinkProcess();
  t.after(() => sink.close());
  const recipients = 300;
  // The rate keeps the campaign from ending before it is stopped.
  const container = await started(t, new Container(whole, ordinary, { SMTP_URL: sink.url, ACCOUNT_RATE: '60' }));
  const cid = await container.draft(await container.listOf(recipients, (n) => `reader.${n}@example.com`));
  await container.call('campaignSendNow', { cid });
  await container.until('some are accepted', async () => sink.accepted().size >= 60);
  await stopInTime(container);
  const acceptedAtStop = sink.accepted().size;
  assert.ok(acceptedAtStop < recipients, 'the campaign was in progress');
  await startHealthy(t, container, 'on its volume');
  const progress = () => container.call<{ delivery_status: string; resent: number }>('campaignProgress', { cid });
  await container.until('it is sent', async () => (await progress()).delivery_status === 'sent', 120, 250);
  assert.equal((await progress()).resent, 0);
  const copies = [...sink.accepted().values()];
  assert.deepEqual([copies.length, Math.max(...copies)], [recipients, 1]);
});

test('a database server that is killed is restarted', { skip }, async (t) => {
  const container = await started(t, new Container(whole, ordinary));
  container.kill(/bin\/postgres -D/, 'SIGKILL');
  await container.until('it is restarted', async () => container.output.includes('PostgreSQL is running again'));
  await sendFirstCampaign(container);
  await stopInTime(container);
});

test('the image with PostgreSQL runs under any user id', { skip }, async (t) => {
  const container = await started(t, new Container(whole, anyUser()));
  await sendFirstCampaign(container);
  await stopInTime(container);
  await container.start();
  assert.equal((await container.call<unknown[]>('lists')).length, 1);
});

test('the image without PostgreSQL runs under any user id, without HOME, with a password that a URL would need encoded', {
  skip,
}, async (t) => {
  const { databaseUrl, password } = await databaseOf(t);
  const container = new Container(program, anyUser(), { DATABASE_URL: databaseUrl, PGPASSWORD: password });
  container.without = ['HOME'];
  await started(t, container);
  await sendFirstCampaign(container);
  await stopInTime(container);
});

/** Runs the jobs, starts the rest, makes an account as the examples say, and sends a campaign through the relay. */
async function partsWork(t: TestContext, parts: Part[], sink: SinkProcess): Promise<void> {
  for (const { name, job, container } of parts) {
    t.after(() => container.remove());
    if (job) assert.equal(await container.runToEnd(), 0, `${name}: ${container.output}`);
    else await container.start();
  }
  const web = parts.find(({ name }) => name.startsWith('web'))!.container;
  const words = ['account', 'create', '--email', 'you@example.com', '--name', 'Example Ltd'];
  const { code, output, errors } = await web.exec('node', 'src/main.ts', ...words);
  assert.equal(code, 0, errors);
  web.key = /^API key +(\S+)$/m.exec(output)![1]!;
  const recipients = 20;
  const cid = await web.draft(await web.listOf(recipients, (n) => `reader.${n}@example.com`));
  await web.call('campaignSendNow', { cid });
  await web.until('the campaign is sent', async () => sink.accepted().size === recipients);
  assert.deepEqual([...new Set(sink.accepted().values())], [1]);
  for (const { name, job, container } of parts)
    if (!job) assert.equal(await container.stop(), 0, `${name}: ${container.output}`);
}

test('the image runs every part of examples/compose-several as the file says', { skip }, async (t) => {
  const sink = await startSinkProcess();
  t.after(() => sink.close());
  const parts = composeParts(program, { ...(await databaseOf(t)), smtpUrl: sink.url });
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['migrate', 'web-1', 'web-2', 'work-1', 'work-2', 'work-3'],
  );
  await partsWork(t, parts, sink);
});

test('the image runs every part of the chart as Helm makes it', { skip: skip || missingHelm() }, async (t) => {
  const sink = await startSinkProcess();
  t.after(() => sink.close());
  const parts = await chartParts(program, { ...(await databaseOf(t)), smtpUrl: sink.url }, scratch);
  assert.deepEqual(parts.map(({ name }) => name).sort(), ['bounces', 'migrate', 'submission', 'web', 'work']);
  await partsWork(t, parts, sink);
});

const previous = skip ? undefined : earlierVersion();

test('the volume of an earlier version is upgraded: nothing is lost, and sending continues', {
  skip: skip || (previous === undefined && 'needs the history of Git'),
}, async (t) => {
  await buildEarlierImage(earlier, previous!, whole);
  const settings = { ...keptSettings, ACCOUNT_RATE: '5/s', OUTBOUND_ALLOW: '127.0.0.0/8' };
  const then = await started(t, new Container(earlier, ordinary, settings));
  const ids = await fill(then);
  await then.call('accountUpdate', { name: 'company', value: 'Analytical Engines Ltd' });
  await then.call('accountUpdate', { name: 'send_window', value: '1234567 00:00-24:00' });
  const returned = await whatItReturns(then, ids);
  const account = await then.call('getAccountDetails');
  const credentials = await then.exec('cat', '/data/first-account.env');
  assert.equal(credentials.code, 0, credentials.errors);
  await stopInTime(then);

  const now = new Container(whole, ordinary, settings, { dataDir: then.dataDir });
  t.after(() => now.remove());
  await startHealthy(t, now, `on a volume of ${previous!.commit.slice(0, 8)}, with ${previous!.migrations} migrations`);
  assertKept(returned, await whatItReturns(now, ids));
  assertKept(account, await now.call('getAccountDetails'));
  assert.equal((await now.exec('cat', '/data/first-account.env')).output, credentials.output);
  const backups = await now.exec('ls', '/data/before-migration');
  assert.match(backups.output, /\.backup$/m, 'a backup was made before the schema was changed');
  await now.call('campaignResume', { cid: ids['paused'] });
  await now.call('campaignSendNow', { cid: ids['draft'] });
  for (const [name, recipients] of [
    ['paused', 60],
    ['draft', 11],
  ] as const) {
    await now.until(`${name} is sent`, async () => {
      const { delivery_status } = await now.call<{ delivery_status: string }>('campaignProgress', { cid: ids[name] });
      return delivery_status === 'sent';
    });
    const subject = name === 'paused' ? 'Paused' : 'Draft';
    const messages = await now.call<Mail[]>('inboxMessages', { contains: subject, limit: 1_000 });
    const reached = messages.filter((one) => one.subject === subject).flatMap(({ rcpt_to }) => rcpt_to);
    assert.deepEqual([reached.length, new Set(reached).size], [recipients, recipients], name);
  }
  await stopInTime(now);
});
