// The container image: both targets of the Dockerfile are built, and run as containers are. Needs root and buildah; without them, the
// tests are skipped.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import pg from 'pg';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { graceMs } from '../../src/parent-watch.ts';
import { Container } from '../support/image/container.ts';
import { buildImage, imageConfig, imageSize, missingTools, removeImages } from '../support/image/store.ts';
import { root, run } from '../support/installation/commands.ts';
import { testKey } from '../support/installation/service.ts';
import { startSinkProcess } from '../support/smtp-sink/process.ts';

const program = 'localhost/postrider-test:program';
const whole = 'localhost/postrider-test:whole';
const ordinary = { uid: 1000, gid: 1000 };
/** As OpenShift chooses them: no entry in /etc/passwd, and group 0. */
const anyUser = () => ({ uid: 1_000_000_000 + randomInt(1_000_000), gid: 0 });
const scratch = mkdtempSync(join(tmpdir(), 'postrider-image-'));

const skip = missingTools();

before(async () => {
  if (skip) return;
  await buildImage(program, 'program');
  await buildImage(whole);
});
after(async () => {
  rmSync(scratch, { recursive: true, force: true });
  if (!skip) await removeImages(program, whole);
});

async function started(t: TestContext, container: Container): Promise<Container> {
  t.after(() => container.remove());
  await container.start();
  return container;
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
    t.diagnostic(`${image}: ${await imageSize(image)}`);
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
  assert.equal((await container.health()).code, 0);
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
  await container.start();
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
  assert.equal((await container.health()).code, 0);
  await sendFirstCampaign(container);
  await stopInTime(container);
  await container.start();
  assert.equal((await container.call<unknown[]>('lists')).length, 1);
});

test('the image without PostgreSQL runs under any user id, without HOME, with a password that a URL would need encoded', {
  skip,
}, async (t) => {
  const log = { info: () => {}, warn: () => {}, error: console.error };
  const database = await startEmbedded({ dataDir: join(scratch, 'database'), log });
  t.after(() => database.stop());
  const password = `p@ss/w#rd?%20$'"`;
  const admin = new pg.Client({ connectionString: database.superuserUrl });
  await admin.connect();
  await admin.query(`alter role postrider password ${admin.escapeLiteral(password)}`);
  await admin.end();
  const port = await portOf(t, database.url);
  const container = new Container(program, anyUser(), {
    DATABASE_URL: `postgres://postrider@127.0.0.1:${port}/postrider`,
    PGPASSWORD: password,
  });
  container.without = ['HOME'];
  await started(t, container);
  assert.equal((await container.health()).code, 0);
  await sendFirstCampaign(container);
  await stopInTime(container);
});
