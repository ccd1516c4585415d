// A whole installation: a sign-up over the API becomes a signed request, even when the workers are killed at that
// moment.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { Installation, kill } from '../support/installation/installation.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';

let service: Installation;
let database: TestDatabase;
let receiver: Receiver;

before(async () => {
  database = await testDatabase();
  service = new Installation({ DATABASE_URL: database.url, OUTBOUND_ALLOW: '127.0.0.0/8' });
  await service.start();
  receiver = await startReceiver();
});
after(async () => {
  await receiver.close();
  await service.remove();
  await database.close();
});

test('a sign-up arrives as contact.subscribe, also when the workers are killed in the middle of the request', async () => {
  const list = await service.call<string>('listCreate', { title: 'Readers' });
  const options = { url: receiver.url, secret_key: 'correct horse', list_id: list, events: ['contact.subscribe'] };
  const wid = await service.call<string>('webhookCreate', { title: 'Sign-ups', options });
  const subscribe = (email_address: string) =>
    service.call('listSubscribe', { id: list, email_address, merge_vars: { FNAME: 'Ada' }, double_optin: false });

  await subscribe('ada@example.com');
  await until('the event has come', () => receiver.posts.length === 1);
  const { headers, body } = receiver.posts[0]!;
  const delivery = JSON.parse(body.toString()) as { events: { type: string; data: Record<string, unknown> }[] };
  assert.equal(delivery.events[0]!.type, 'contact.subscribe');
  assert.equal(delivery.events[0]!.data['email'], 'ada@example.com');
  assert.equal(delivery.events[0]!.data['list'], list);
  assert.equal(
    headers['x-service-signature'],
    `sha256=${createHmac('sha256', 'correct horse').update(body).digest('hex')}`,
  );

  // The first request of the second event is never answered: its worker is killed instead.
  receiver.answer = () => {};
  await subscribe('bob@example.com');
  await until('the second has come', () => receiver.posts.length === 2);
  receiver.answer = (_request, response) => void response.end();
  for (const pid of service.pids('work')) kill(pid, 'SIGKILL');
  await until('it has come again', () => receiver.posts.length === 3, 90_000);
  assert.equal(receiver.eventIds()[2], receiver.eventIds()[1]);
  await until('that is in the log', async () => {
    const log = await service.call<{ outcome: string }[]>('webhookAttempts', { wid });
    return log.map(({ outcome }) => outcome).join() === 'delivered,unclear,delivered';
  });
});
