// Makes the stored installation of a version: `node test/upgrade/make.ts CHECKOUT NAME` starts the program of that checkout, fills it by
// the API, and writes NAME.backup and NAME.json, what the API returns then, beside this file. README.md says when.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { Installation } from '../support/installation/installation.ts';
import { bareEnvironment } from '../support/installation/service.ts';
import { keptSettings, type Stored, whatItReturns } from './stored.ts';

const [checkout = '', name = ''] = process.argv.slice(2);
if (name === '') throw new Error('Usage: node test/upgrade/make.ts CHECKOUT NAME');
const main = join(resolve(checkout), 'src/main.ts');

const installation = new Installation({ ...keptSettings, ACCOUNT_RATE: '5/s', OUTBOUND_ALLOW: '127.0.0.0/8' });
installation.program = [process.execPath, main];
const receiver = createServer((_request, response) => response.end());
await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
try {
  await installation.start();
  const ids = await fill((receiver.address() as AddressInfo).port);
  const stored: Stored = { ids, returned: await whatItReturns(installation, ids) };
  writeFileSync(join(import.meta.dirname, `${name}.json`), `${JSON.stringify(stored, null, 2)}\n`);
  execFileSync(process.execPath, [main, 'backup', join(import.meta.dirname, `${name}.backup`)], {
    env: { ...bareEnvironment, DATA_DIR: installation.dataDir, ...keptSettings },
    stdio: 'inherit',
  });
} finally {
  receiver.closeAllConnections();
  receiver.close();
  await installation.remove();
}

/** Campaigns in every state, people who left, and events that wait for a webhook that is down. */
async function fill(port: number): Promise<Stored['ids']> {
  const call = installation.call.bind(installation);
  const readers = await installation.listOf(12, (n) => `reader${n}@example.com`);
  const many = await installation.listOf(60, (n) => `many${n}@example.com`);
  const webhook = await call<string>('webhookCreate', {
    title: 'Shop',
    options: { url: `http://127.0.0.1:${port}/`, secret_key: 'correct horse' },
  });
  receiver.closeAllConnections();
  await new Promise((closed) => receiver.close(closed));

  const sent = await installation.draft(readers, 'Sent');
  await call('campaignSendNow', { cid: sent });
  await installation.until('the first campaign is sent', async () => {
    const { delivery_status } = await call<{ delivery_status: string }>('campaignProgress', { cid: sent });
    return delivery_status === 'sent';
  });
  await call('listUnsubscribe', { id: readers, email_address: 'reader3@example.com' });
  await call('listUpdateMember', { id: readers, email_address: 'reader4@example.com', merge_vars: { FNAME: 'Zoë' } });
  await call('suppressedListSubscribe', { email_address: 'blocked@example.com' });

  const draft = await installation.draft(readers, 'Draft');
  const scheduled = await installation.draft(readers, 'Scheduled');
  await call('campaignSchedule', { cid: scheduled, schedule_time: '2090-05-01 09:00:00' });
  const paused = await installation.draft(many, 'Paused');
  await call('campaignSendNow', { cid: paused });
  await installation.until('some of the second campaign are sent', async () => {
    const { accepted } = await call<{ accepted: number }>('campaignProgress', { cid: paused });
    return accepted >= 5;
  });
  await call('campaignPause', { cid: paused });
  await installation.until('the second campaign is paused', async () => {
    const { delivery_status, trying } = await call<Record<string, unknown>>('campaignProgress', { cid: paused });
    return delivery_status === 'paused' && trying === 0;
  });
  return { readers, many, webhook, sent, draft, scheduled, paused };
}
