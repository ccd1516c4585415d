// Every value that a client library can send, with each default of the common ones, comes back with the same characters. What
// the libraries sent is recorded in clients/recorded and is replayed everywhere; the programs run in clients.slow.test.ts.
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { requestsByHand } from './clients/by-hand.ts';
import { checkCell, newSite, type Site } from './clients/cells.ts';
import { cases, clients, readRecorded, type Sent } from './clients/clients.ts';

let t: TestApp;
let base: string;
let cells = 0;

before(async () => {
  t = await testApp();
  base = await t.listen();
});
after(() => t.close());

async function post(site: Site, { path, type, body }: Sent): Promise<void> {
  const bytes = Buffer.from(body.replaceAll('{key}', site.key).replaceAll('{list}', site.list), 'latin1');
  site.answer = await fetch(base + path, { method: 'POST', headers: { 'content-type': type }, body: bytes });
}

for (const client of clients)
  test(`what ${client.title} sends comes back`, async (context) => {
    const site = await newSite(t, base);
    const sent = client.language === 'byHand' ? requestsByHand(client.variant) : readRecorded(client);
    for (const name of cases)
      await context.test(name, async () => {
        const request = sent.get(name);
        if (request) await post(site, request);
        // Each cell in the next way: no library writes what only one of them could read.
        const read = site.read[cells++ % site.read.length]!;
        await checkCell(site, name, client.but?.[name], request !== undefined, [read]);
      });
  });
