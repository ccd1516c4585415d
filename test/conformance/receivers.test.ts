// The example receivers in every language, against real deliveries and against the specification's rule.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/base/free-port.ts';
import { algorithms, serviceSignature } from '../../src/webhooks/signature.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { until } from '../support/run/until.ts';

const folder = fileURLToPath(new URL('../../examples/receivers/', import.meta.url));
const secret = 'correct horse';
const goDir = mkdtempSync(join(tmpdir(), 'receiver-'));
let t: TestApp;

before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
});
after(async () => {
  t.app.outbound.close();
  await t.close();
  rmSync(goDir, { recursive: true, force: true });
});

const runs = (command: string, ...args: string[]) => spawnSync(command, args, { timeout: 240_000 }).status === 0;

type Example = {
  installed(): boolean;
  build?(): boolean;
  command(port: number): string[];
  tellsPort: boolean;
};

/** Language → whether it is installed, and the command; PORT 0 means any free one, which it then prints. */
const receivers: Record<string, Example> = {
  'Node.js': { installed: () => true, command: () => [process.execPath, 'receiver.mjs'], tellsPort: true },
  Python: {
    installed: () => runs('python3', '--version'),
    command: () => ['python3', 'receiver.py'],
    tellsPort: true,
  },
  PHP: {
    installed: () => runs('php', '--version'),
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    tellsPort: false,
  },
  Ruby: {
    installed: () => runs('ruby', '-rwebrick', '-ropenssl', '-e', '1'),
    command: () => ['ruby', 'receiver.rb'],
    tellsPort: true,
  },
  Go: {
    installed: () => runs('go', 'version'),
    build: () => runs('go', 'build', '-o', join(goDir, 'receiver'), join(folder, 'receiver.go')),
    command: () => [join(goDir, 'receiver')],
    tellsPort: true,
  },
};

for (const [language, receiver] of Object.entries(receivers)) {
  test(`the example in ${language} accepts requests signed with every algorithm, and answers 401 to all others`, async (c) => {
    if (!receiver.installed()) {
      c.skip(`${language} is not installed`);
      return;
    }
    if (receiver.build) assert.ok(receiver.build(), 'it compiles');
    for (const own of [secret, '']) {
      const { child, url, printed, warned } = await start(receiver, own);
      try {
        const wid = await t.call<string>('webhookCreate', { title: language, options: { url, secret_key: own } });
        const shown = await t.call<{ id: string; status: string; status_reason: string }[]>('webhooks');
        assert.equal(shown.find(({ id }) => id === wid)!.status, 'active');
        for (const algorithm of algorithms) {
          await t.call('webhookUpdate', { wid, name: 'algorithm', value: algorithm });
          const sent = await t.call<{ status: number; event: string }>('webhookTest', { wid });
          assert.equal(sent.status, 200, algorithm);
          await until(`${language} prints the event`, () => printed().includes(`contact.subscribe ${sent.event}`));
        }
        await t.call('webhookUpdate', { wid, name: 'format', value: 'classic' });
        const classic = await t.call<{ status: number; event: string }>('webhookTest', { wid, type: 'email.click' });
        assert.equal(classic.status, 200, 'classic');
        await until(`${language} prints the event`, () => printed().includes(`email.click ${classic.event}`));
        assert.equal(warned().includes('WEBHOOK_SECRET is empty: requests are not checked'), own === '');
        for (const algorithm of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']) {
          const headers = { 'content-type': 'application/json', 'x-service-signature': hmacOf(algorithm) };
          const answer = await fetch(url, { method: 'POST', headers, body });
          assert.deepEqual([answer.status, await answer.text()], [200, 'OK'], algorithm);
        }
        for (const header of wrongHeaders) {
          const answer = await fetch(url, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              ...(header === undefined ? {} : { 'x-service-signature': header }),
            },
            body,
          });
          const text = await answer.text();
          if (own === '') assert.equal(answer.status, 200, `${header}`);
          else assert.deepEqual([answer.status, text], [401, '401 Unauthorized'], `${header}`);
        }
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
  });
}

const body = '{"timestamp":1700000000,"events":[{"type":"email.open","data":{"id":"evt_1"}}]}';
const hex = serviceSignature(Buffer.from(body), secret, 'sha256').slice('sha256='.length);
const hmacOf = (algorithm: string) => `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`;
const wrongHeaders = [
  undefined,
  '',
  'sha256',
  'sha256=',
  `=${hex}`,
  `sha257=${hex}`,
  `SHA256=${hex}`,
  `Sha256=${hex}`,
  // Only some languages know these, or by these names.
  `RSA-SHA256=${hex}`,
  `SHA2-256=${hex}`,
  hmacOf('sha512-256'),
  hmacOf('sha3-256'),
  hmacOf('ripemd160'),
  `sha512=${hex}`,
  `sha256=${hex}0`,
  `sha256=${'0'.repeat(64)}`,
  serviceSignature(Buffer.from(body), 'other', 'sha256'),
];

async function start(
  receiver: (typeof receivers)[string],
  own: string,
): Promise<{ child: ChildProcess; url: string; printed(): string; warned(): string }> {
  const port = receiver.tellsPort ? 0 : await freePort();
  const [command, ...args] = receiver.command(port);
  const child = spawn(command!, args, {
    cwd: folder,
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString();
  });
  let err = '';
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes.toString();
  });
  const url = () => `http://127.0.0.1:${receiver.tellsPort ? /listening on (\d+)/.exec(out)?.[1] : port}/`;
  await until(
    `${command} listens`,
    () =>
      fetch(url(), { method: 'HEAD' }).then(
        (answer) => answer.ok,
        () => false,
      ),
    120_000,
  );
  return { child, url: url(), printed: () => out, warned: () => err };
}
