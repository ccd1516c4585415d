// The SDKs: their generated parts are up to date, and the examples of their READMEs run against a real server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { folder, sdkFiles } from '../../scripts/sdk.ts';
import { type CampaignsResult, Postrider, PostriderError } from '../../sdk/typescript/index.js';
import { people } from '../support/delivery/engine.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';

const run = promisify(execFile);

let t: TestApp;
let url: string;
let work: string;
before(async () => {
  t = await testApp();
  url = await t.listen();
  work = mkdtempSync(join(tmpdir(), 'sdk-'));
});
after(async () => {
  rmSync(work, { recursive: true });
  await t.close();
});

test('the generated files are those of the present methods (npm run docs:sdk)', () => {
  for (const [name, text] of sdkFiles()) assert.equal(readFileSync(join(folder, name), 'utf8'), text, name);
});

/** The program in a README. */
function example(sdk: string, language: string): string {
  const text = readFileSync(join(folder, sdk, 'README.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;
}

const environment = () => ({ ...process.env, POSTRIDER_URL: url, POSTRIDER_API_KEY: t.key });

test('the example of the TypeScript SDK runs as it is written', async () => {
  mkdirSync(join(work, 'node_modules/@postrider'), { recursive: true });
  symlinkSync(join(folder, 'typescript'), join(work, 'node_modules/@postrider/client'));
  writeFileSync(join(work, 'example.mjs'), example('typescript', 'js'));
  const { stdout } = await run(process.execPath, [join(work, 'example.mjs')], { env: environment() });
  assert.match(stdout, /^ada@example\.com\nfault 300: /);
});

test('the example of the Python SDK runs as it is written', async () => {
  writeFileSync(join(work, 'example.py'), example('python', 'python'));
  const { stdout } = await run('python3', [join(work, 'example.py')], {
    env: { ...environment(), PYTHONPATH: join(folder, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
  });
  assert.match(stdout, /^ada@example\.com\nfault 300: /);
});

test('iteration yields the rows of all pages, each once', async () => {
  const postrider = new Postrider({ url, apiKey: t.key });
  const list = await postrider.listCreate({ title: 'Pages' });
  const emails = people(250);
  await postrider.listBatchSubscribe({ id: list, batch: emails.map((EMAIL) => ({ EMAIL })), double_optin: false });
  const members: string[] = [];
  for await (const { email } of postrider.iterate('listMembers', { id: list })) members.push(email);
  assert.deepEqual(members.toSorted(), emails.toSorted());
  const contacts = new Set<string>();
  for await (const { email } of postrider.iterate('contacts', { limit: 60 })) contacts.add(email);
  assert.ok(emails.every((email) => contacts.has(email)));
});

test('faults have their number, status and member', async () => {
  const postrider = new Postrider({ url, apiKey: t.key });
  await assert.rejects(postrider.campaigns({ limit: 5_000 }), (error) => {
    assert.ok(error instanceof PostriderError);
    assert.equal(error.status, 400);
    assert.equal(error.text?.values['member'], 'limit');
    return true;
  });
  await assert.rejects(new Postrider({ url, apiKey: '0'.repeat(32) }).ping(), { status: 401 });
});

type Reply = { status: number; body: unknown; headers?: Record<string, string> };

/** A server that gives these answers, one after the other, and records what it was asked. */
async function answering(
  replies: Reply[],
  use: (address: string) => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const asked: Record<string, unknown>[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    asked.push(JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>);
    const { status, body, headers } = replies[asked.length - 1] ?? { status: 500, body: {} };
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await new Promise((resolve) => server.close(resolve));
  return asked;
}

const busy: Reply = { status: 503, body: { error: 'busy', code: 1 }, headers: { 'retry-after': '0' } };
const pythonCall = (call: string) => (address: string) =>
  run('python3', ['-c', `from postrider import Postrider\nprint(Postrider("${address}", "k").${call})`], {
    env: { ...process.env, PYTHONPATH: join(folder, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
  });

test('calls with an idempotency key are repeated with the same key', async () => {
  const done: Reply = { status: 200, body: 'a0000001' };
  for (const use of [
    (address: string) => new Postrider({ url: address, apiKey: 'k' }).listCreate({ title: 'x' }),
    pythonCall('list_create(title="x")'),
  ]) {
    const asked = await answering([busy, busy, done], use);
    assert.equal(asked.length, 3);
    assert.match(String(asked[0]!['idempotency_key']), /^[0-9a-f-]{36}$/);
    assert.equal(new Set(asked.map((params) => params['idempotency_key'])).size, 1);
  }
});

test('a call whose effect is unknown is not repeated, unless the server says that nothing changed', async () => {
  const nothing: Reply = { ...busy, body: { error: 'x', code: 1, text: { key: 'call.nothing_changed', values: {} } } };
  const done: Reply = { status: 200, body: true };
  const send = (address: string) => new Postrider({ url: address, apiKey: 'k' }).campaignSendNow({ cid: 'a0000001' });
  const sendByPython = pythonCall('campaign_send_now(cid="a0000001")');
  for (const use of [send, sendByPython]) {
    assert.equal((await answering([busy, done], (address) => assert.rejects(use(address)))).length, 1);
    assert.equal((await answering([nothing, done], use)).length, 2);
  }
});

test('the types of results describe what a method returns', async () => {
  const campaigns: CampaignsResult = await new Postrider({ url, apiKey: t.key }).campaigns({ limit: 1 });
  assert.equal(typeof campaigns[0]!.subject, 'string');
});
