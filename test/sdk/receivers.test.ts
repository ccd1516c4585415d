// The receivers in Node, Python and PHP: the same vectors, and real webhooks of the server.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as plainTest } from 'node:test';
import { memorySeen, nodeListener, receiveRequest } from 'postrider/receiver';
import { folder } from '../../scripts/sdk.ts';
import { freePort } from '../../src/base/free-port.ts';
import { eventTypeNames, exampleData } from '../../src/events/types.ts';
import { type Dispatcher, startDispatcher } from '../../src/webhooks/dispatch.ts';
import { serviceSignature, standardSignature } from '../../src/webhooks/signature.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';

type Result = { status: number; text: string; events: [type: string, id: string][] | null };
type Vector = {
  name: string;
  secret: string;
  tolerance: number;
  now: number;
  headers: Record<string, string>;
  body?: string;
  body_base64?: string;
  status: number;
  events?: Result['events'];
};

const vectors = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../receiver/vectors.json'), 'utf8')) as { vectors: Vector[] }
).vectors;
const bodyOf = ({ body, body_base64 = '' }: Vector) =>
  body === undefined ? Buffer.from(body_base64, 'base64') : Buffer.from(body);
const texts: Record<number, string> = { 200: 'OK', 400: '400 Bad Request', 401: '401 Unauthorized' };
const python = { PYTHONPATH: join(folder, 'python'), PYTHONDONTWRITEBYTECODE: '1' };

/** What a program prints for all vectors. */
function answered(command: string, args: string[], env: Record<string, string> = {}): Result[] {
  const run = spawnSync(command, args, {
    input: JSON.stringify(vectors),
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  assert.equal(run.status, 0, run.stderr + run.stdout);
  return JSON.parse(run.stdout) as Result[];
}

type Language = {
  missing: string | false;
  answers(): Result[];
  /** A server, and whether it has ended. @param place a folder for the events that it writes */
  serve(place: string, secret: string): Promise<{ url: string; close(): Promise<void> }>;
};

const languages: Record<string, Language> = {
  Node: {
    missing: false,
    answers: () =>
      vectors.map((vector) => {
        const { secret, tolerance: toleranceSeconds, now } = vector;
        const headers = Object.fromEntries(
          Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]),
        );
        const { status, text, delivery } = receiveRequest(bodyOf(vector), headers, { secret, toleranceSeconds, now });
        return { status, text, events: delivery?.events.map(({ type, data }) => [type, data.id]) ?? null };
      }),
    async serve(place, secret) {
      const server = createServer(
        nodeListener({
          secret,
          toleranceSeconds: 300,
          seen: memorySeen(),
          onDelivery({ events }) {
            if (existsSync(join(place, 'failing'))) throw new Error('failing on purpose');
            for (const event of events) appendFileSync(join(place, 'events'), `${JSON.stringify(event)}\n`);
          },
        }),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}/`,
        async close() {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  },
  Python: {
    missing: spawnSync('python3', ['--version']).status !== 0 && 'needs python3',
    answers: () => answered('python3', [join(import.meta.dirname, 'python/vectors.py')], python),
    serve: (place, secret) =>
      running(place, secret, () => ['python3', join(import.meta.dirname, 'python/receiver.py')]),
  },
  PHP: {
    missing:
      spawnSync('php', ['-r', 'exit(PHP_VERSION_ID >= 80100 ? 0 : 1);']).status !== 0 && 'needs php-cli, 8.1 or later',
    answers: () => answered('php', [join(import.meta.dirname, 'php/vectors.php')]),
    serve: (place, secret) =>
      running(place, secret, (port) => [
        'php',
        '-S',
        `127.0.0.1:${port}`,
        join(import.meta.dirname, 'php/receiver.php'),
      ]),
  },
};

const answering = (url: string) =>
  until('the receiver answers', () =>
    fetch(url, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

async function running(place: string, secret: string, command: (port: number) => string[]) {
  const port = await freePort();
  const [program, ...args] = command(port);
  const env = {
    ...process.env,
    ...python,
    PORT: String(port),
    SECRET: secret,
    SEEN: join(place, 'seen'),
    EVENTS: join(place, 'events'),
    FAILING_FILE: join(place, 'failing'),
  };
  const child = spawn(program!, args, { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/`;
  await answering(url);
  return {
    url,
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

let t: TestApp;
let work: string;
let dispatcher: Dispatcher;
before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  dispatcher = startDispatcher(t.app, { gatherMs: 5, pollMs: 50 });
  work = mkdtempSync(join(tmpdir(), 'receivers-'));
});
after(async () => {
  await dispatcher.stop();
  t.app.outbound.close();
  await t.close();
  rmSync(work, { recursive: true });
});

plainTest('the signatures of the vectors are those that the server makes', () => {
  let checked = 0;
  for (const vector of vectors.filter(({ status, secret }) => status !== 401 && secret !== '')) {
    const headers = Object.fromEntries(
      Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { 'webhook-id': id = '', 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
    const service = /^(sha1|sha256|sha384|sha512)=/.exec(headers['x-service-signature'] ?? '');
    if (signature !== undefined)
      assert.ok(
        signature.split(' ').includes(standardSignature(bodyOf(vector), id, Number(at), vector.secret)),
        vector.name,
      );
    else if (service)
      assert.equal(
        headers['x-service-signature'],
        serviceSignature(bodyOf(vector), vector.secret, service[1] as 'sha256'),
        vector.name,
      );
    else continue;
    checked += 1;
  }
  assert.ok(checked > 30, `${checked}`);
});

type Sent = { status: number; event: string };
type Attempt = { headers: Record<string, string>; body: string };

const latestAttempt = async (wid: string) => {
  const [{ id }] = await t.call<[{ id: string }]>('webhookAttempts', { wid, limit: 1 });
  return (await t.call<[Attempt]>('webhookAttempts', { wid, attempt: id }))[0];
};
const again = (url: string, { headers, body }: Attempt) => fetch(url, { method: 'POST', headers, body });

for (const [language, { missing, answers, serve }] of Object.entries(languages)) {
  const test = (name: string, body: () => Promise<void> | void) => plainTest(name, { skip: missing }, body);

  test(`the receiver in ${language} answers every vector as it should`, () => {
    const results = answers();
    assert.equal(results.length, vectors.length);
    for (const [i, { name, status, events = null }] of vectors.entries())
      assert.deepEqual(results[i], { status, text: texts[status], events }, name);
  });

  test(`the receiver in ${language} gets real webhooks, each event once, and again when it failed`, async () => {
    const place = mkdtempSync(join(work, `${language}-`));
    const { url, close } = await serve(place, 'correct horse');
    const got = () =>
      (existsSync(join(place, 'events')) ? readFileSync(join(place, 'events'), 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { type: string; data: { id: string } });
    let wid = '';
    try {
      wid = await t.call<string>('webhookCreate', {
        title: language,
        options: { url, secret_key: 'correct horse' },
      });
      const shown = await t.call<{ id: string; status: string }[]>('webhooks');
      assert.equal(shown.find(({ id }) => id === wid)!.status, 'active');
      for (const type of eventTypeNames) {
        const sent = await t.call<Sent>('webhookTest', { wid, type });
        assert.equal(sent.status, 200, type);
        assert.deepEqual(got().at(-1), { type, data: { ...exampleData(type, sent.event), test: true } });
      }
      const count = got().length;
      assert.equal(count, eventTypeNames.length);

      const list = await t.call<string>('listCreate', { title: language });
      await t.call('listSubscribe', { id: list, email_address: `${language}@example.com`, double_optin: false });
      await until('the event of a contact arrives', () => got().length > count);
      assert.deepEqual([got().length, got().at(-1)!.type], [count + 1, 'contact.subscribe']);

      // The very same request: an attacker may send it again as long as it is recent, and the server when an answer was lost.
      assert.equal((await again(url, await latestAttempt(wid))).status, 200);
      assert.equal(got().length, count + 1, 'an event that was acted on is left out');

      writeFileSync(join(place, 'failing'), '');
      const failed = await t.call<Sent>('webhookTest', { wid });
      assert.equal(failed.status, 500);
      rmSync(join(place, 'failing'));
      assert.equal((await again(url, await latestAttempt(wid))).status, 200);
      assert.deepEqual(got().at(-1)!.data.id, failed.event);

      await t.call('webhookRotateSecret', { wid, secret_key: 'another one' });
      assert.equal((await t.call<Sent>('webhookTest', { wid })).status, 200, 'the old secret still counts');
      await t.call('webhookRotateSecret', { wid, secret_key: 'a third one' });
      assert.equal((await t.call<Sent>('webhookTest', { wid })).status, 401);
      assert.equal(got().length, count + 3);
    } finally {
      if (wid !== '') await t.call('webhookDelete', { wid });
      await close();
    }
  });
}

/** The program of the guide in a language, with the places of this machine in it. */
function guideProgram(language: string, port: number, place: string): string {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/receivers.md'), 'utf8');
  const text = new RegExp(`\`\`\`${language} [^\\n]*\\n([\\s\\S]*?)\`\`\``).exec(guide)![1]!;
  return text
    .replace('8000', String(port))
    .replace("'vendor/autoload.php'", JSON.stringify(join(folder, 'php/autoload.php')))
    .replace('/var/lib/shop/webhook-ids', join(place, 'seen'))
    .replace("'postrider/receiver'", JSON.stringify(join(folder, '../receiver/index.js')));
}

const guidePrograms: [language: string, file: string, command: (file: string, port: number) => string[]][] = [
  ['js', 'receiver.mjs', (file) => [process.execPath, file]],
  ['python', 'receiver.py', (file) => ['python3', file]],
  ['php', 'receiver.php', (file, port) => ['php', '-S', `127.0.0.1:${port}`, file]],
];
for (const [i, [language, file, command]] of guidePrograms.entries()) {
  const { missing } = Object.values(languages)[i]!;
  plainTest(`the program of the guide in ${language} receives a webhook`, { skip: missing }, async () => {
    const place = mkdtempSync(join(work, 'guide-'));
    const port = await freePort();
    writeFileSync(join(place, file), guideProgram(language, port, place));
    const [program, ...args] = command(join(place, file), port);
    const env = { ...process.env, ...python, PYTHONUNBUFFERED: '1', WEBHOOK_SECRET: 'correct horse' };
    const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (printed += String(piece)));
    const url = `http://127.0.0.1:${port}/`;
    try {
      await answering(url);
      const options = { url, secret_key: 'correct horse' };
      const wid = await t.call<string>('webhookCreate', { title: 'Guide', options });
      const sent = await t.call<Sent>('webhookTest', { wid, type: 'contact.unsubscribe' });
      assert.equal(sent.status, 200, printed);
      await until('the event is printed', () => printed.includes('jane@example.com left: Too many emails'));
      await t.call('webhookDelete', { wid });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
}
