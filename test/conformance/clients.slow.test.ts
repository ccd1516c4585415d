// The client libraries themselves, where they are installed: each sends its values, and what comes back is what was sent.
// RECORD=1 records the requests for clients.test.ts. Node's package xmlrpc is looked for in MAIL_MODULES, Java's in MAIL_JARS.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { checkCell, newSite, type Site } from './clients/cells.ts';
import { type Case, cases, clients, isInstalled, recordingOf, runProgram, type Sent } from './clients/clients.ts';

let t: TestApp;
let base: string;

before(async () => {
  t = await testApp();
  base = await t.listen();
});
after(() => t.close());

/** Passes requests on, keeps them by case, and does what is due after each. */
async function recorder(site: Site, done: (name: Case) => Promise<void>) {
  const sent = new Map<string, Sent>();
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    const type = request.headers['content-type'] ?? '';
    const answer = await fetch(base + request.url, { method: 'POST', headers: { 'content-type': type }, body: bytes });
    const name = String(request.headers['x-case']) as Case;
    const body = bytes.toString('latin1').replaceAll(site.key, '{key}').replaceAll(site.list, '{list}');
    sent.set(name, { path: request.url!, type, body });
    site.answer = answer.clone();
    await done(name);
    const text = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

for (const client of clients.filter(({ language }) => language !== 'byHand'))
  test(`what ${client.title} sends comes back, live`, {
    skip: !isInstalled(client.language) && `${client.language} or its library is not installed`,
  }, async () => {
    const site = await newSite(t, base);
    const wrong: string[] = [];
    const check = (name: Case, isSent: boolean) =>
      checkCell(site, name, client.but?.[name], isSent).catch((error) => wrong.push(`${name}: ${error.message}`));
    const front = await recorder(site, async (name) => void (await check(name, true)));
    let out = '';
    try {
      out = await runProgram(client, { MAIL_URL: front.url, MAIL_KEY: site.key, MAIL_LIST: site.list });
    } finally {
      front.close();
    }
    if (process.env.RECORD === '1') {
      const [file, text] = recordingOf(client, front.sent);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, 'latin1');
    }
    for (const name of cases.filter((name) => !front.sent.has(name))) {
      await check(name, false);
      const exception = client.but?.[name];
      const reason = exception && 'unsent' in exception && exception.unsent instanceof RegExp && exception.unsent;
      if (reason) assert.match(out, new RegExp(`${name}: .*${reason.source}`));
    }
    assert.deepEqual(wrong, []);
  });
