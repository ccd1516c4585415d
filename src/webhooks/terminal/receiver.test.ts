import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { slowTest } from '../../../test/support/run/runs.ts';
import { serviceSignature } from '../signature.ts';
import { type Listener, type ListenOptions, listen } from './receiver.ts';

const secret = 'between you and me';
const body = JSON.stringify({
  timestamp: 1,
  events: [{ type: 'contact.subscribe', data: { id: 'evt_1', email: 'ada@example.com', name: '\u001b[31mred\nline' } }],
});
const open: Listener[] = [];
after(() => Promise.all(open.map((item) => item.close())));

async function started(options: Partial<ListenOptions> = {}) {
  const lines: string[] = [];
  const listener = await listen(
    { host: '127.0.0.1', port: 0, secret, failStatus: 0, failEvery: 1, delayMs: 0, json: false, ...options },
    (line) => lines.push(line),
  );
  open.push(listener);
  const post = (headers: Record<string, string>, text = body) =>
    fetch(listener.url, { method: 'POST', headers, body: text });
  return { listener, lines, post };
}
const signed = { 'X-Service-Signature': serviceSignature(Buffer.from(body), secret, 'sha512'), 'webhook-id': 'msg_1' };

test('a signed delivery is printed and answered with 200', async () => {
  const { lines, post } = await started();
  const response = await post(signed);
  assert.equal(response.status, 200);
  assert.match(lines[0]!, /msg_1 {2}signature right {2}→ 200/);
  assert.ok(lines.some((line) => line.includes('ada@example.com')));
});

test('a delivery in the classic format is checked and printed, also as lines of JSON', async () => {
  const classic = JSON.stringify({ hook: 'email.open', timestamp: 1, data: [{ id: 'evt_1' }, { id: 'evt_2' }] });
  const headers = { 'X-Service-Signature': serviceSignature(Buffer.from(classic), secret, 'sha1') };
  const { lines, post } = await started();
  assert.equal((await post(headers, classic)).status, 200);
  assert.match(lines[0]!, /signature right {2}→ 200/);
  assert.deepEqual(lines.slice(1), ['  email.open  evt_1', '  email.open  evt_2']);
  assert.equal((await post({ 'X-Service-Signature': 'sha1=00' }, classic)).status, 401);
  const other = await started({ json: true });
  await other.post(headers, classic);
  assert.deepEqual(
    other.lines.map((line) => JSON.parse(line)),
    ['evt_1', 'evt_2'].map((id) => ({ status: 200, type: 'email.open', data: { id } })),
  );
});

test('control characters of a value are shown, never sent to the terminal', async () => {
  const { lines, post } = await started();
  await post(signed);
  assert.ok(lines.some((line) => line.includes('\\u001b[31mred\\u000aline')));
  assert.ok(lines.every((line) => !/[\x00-\x1f]/.test(line)));
});

test('a wrong signature is answered with 401, as receivers must', async () => {
  const { lines, post } = await started();
  const response = await post({ 'X-Service-Signature': 'sha256=00' });
  assert.equal(response.status, 401);
  assert.equal(await response.text(), '401 Unauthorized\n');
  assert.match(lines[0]!, /signature WRONG/);
  assert.ok(!lines.join().includes('ada@example.com'));
});

test('it fails on request, and marks an event that comes again', async () => {
  const { lines, post } = await started({ failStatus: 503, failEvery: 2 });
  assert.equal((await post(signed)).status, 503);
  assert.equal((await post(signed)).status, 200);
  assert.match(lines[0]!, /→ 503 \(failed on purpose\)/);
  assert.ok(lines.some((line) => line.includes('evt_1  (again)')));
});

test('with json each event is one line for other programs', async () => {
  const { lines, post } = await started({ json: true });
  await post(signed);
  assert.equal(lines.length, 1);
  assert.equal(JSON.parse(lines[0]!).data.email, 'ada@example.com');
});

test('the check of the address is answered; any other request gets an explanation', async () => {
  const { listener } = await started();
  assert.equal((await fetch(listener.url, { method: 'HEAD' })).status, 200);
  assert.equal((await fetch(listener.url)).status, 405);
});

slowTest('the command listens, takes the secret from the environment, and ends on SIGTERM', async () => {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'webhooks', 'listen', '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for (let tries = 0; !/http:\S+/.test(out) && tries < 2_400; tries++) await new Promise((go) => setTimeout(go, 25));
  const url = /http:[^;]+/.exec(out)![0];
  assert.equal((await fetch(url, { method: 'POST', headers: signed, body })).status, 200);
  assert.equal((await fetch(url, { method: 'POST', headers: {}, body })).status, 401);
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.match(out, /evt_1/);
  assert.ok(!out.includes(secret));
});
