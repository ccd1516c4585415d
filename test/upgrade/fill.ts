// Fills an installation by its API with what an upgrade must keep: campaigns in every state, people who left, and events that wait for
// a webhook that is down. The installation needs ACCOUNT_RATE=5/s and OUTBOUND_ALLOW=127.0.0.0/8.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../support/installation/service.ts';
import type { Stored } from './stored.ts';

/** Returns the ids of what was made. */
export async function fill(service: Service): Promise<Stored['ids']> {
  const call = service.call.bind(service);
  const readers = await service.listOf(12, (n) => `reader${n}@example.com`);
  const many = await service.listOf(60, (n) => `many${n}@example.com`);
  const webhook = await brokenWebhook(service);

  const sent = await service.draft(readers, 'Sent');
  await call('campaignSendNow', { cid: sent });
  await service.until('the first campaign is sent', async () => {
    const { delivery_status } = await call<{ delivery_status: string }>('campaignProgress', { cid: sent });
    return delivery_status === 'sent';
  });
  await call('listUnsubscribe', { id: readers, email_address: 'reader3@example.com' });
  await call('listUpdateMember', { id: readers, email_address: 'reader4@example.com', merge_vars: { FNAME: 'Zoë' } });
  await call('suppressedListSubscribe', { email_address: 'blocked@example.com' });

  const draft = await service.draft(readers, 'Draft');
  const scheduled = await service.draft(readers, 'Scheduled');
  await call('campaignSchedule', { cid: scheduled, schedule_time: '2090-05-01 09:00:00' });
  const paused = await service.draft(many, 'Paused');
  await call('campaignSendNow', { cid: paused });
  await service.until('some of the second campaign are sent', async () => {
    const { accepted } = await call<{ accepted: number }>('campaignProgress', { cid: paused });
    return accepted >= 5;
  });
  await call('campaignPause', { cid: paused });
  await service.until('the second campaign is paused', async () => {
    const { delivery_status, trying } = await call<Record<string, unknown>>('campaignProgress', { cid: paused });
    return delivery_status === 'paused' && trying === 0;
  });
  return { readers, many, webhook, sent, draft, scheduled, paused };
}

/** A webhook whose receiver answered when it was made, and is gone. */
async function brokenWebhook(service: Service): Promise<string> {
  const receiver = createServer((_request, response) => response.end());
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  try {
    const { port } = receiver.address() as AddressInfo;
    const options = { url: `http://127.0.0.1:${port}/`, secret_key: 'correct horse' };
    return await service.call<string>('webhookCreate', { title: 'Shop', options });
  } finally {
    receiver.closeAllConnections();
    await new Promise((closed) => receiver.close(closed));
  }
}
