// Webhook notifications and their signatures, row by row, as a receiver gets them.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before } from 'node:test';
import { type Dispatcher, startDispatcher } from '../../src/webhooks/dispatch.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { until } from '../support/run/until.ts';
import { type Fixture, makeAccount } from './fixture.ts';
import { specTable } from './rows.ts';

let app: TestApp;
let own: Fixture;
let receiver: Receiver;
let dispatcher: Dispatcher;
const secret_key = 'a shared secret';
before(async () => {
  app = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  own = await makeAccount(app.app);
  receiver = await startReceiver();
  dispatcher = startDispatcher(app.app, { gatherMs: 5, pollMs: 50 });
});
after(async () => {
  await dispatcher.stop();
  await receiver.close();
  app.app.outbound.close();
  await app.close();
});

let subscribed = 0;
/** What the receiver gets for a new subscription, with and without a secret. */
async function subscribeAndReceive(options: Record<string, unknown> = {}) {
  const wid = await own.call<string>('webhookCreate', {
    title: 'Receiver',
    options: { url: receiver.url, events: ['contact.subscribe'], ...options },
  });
  const seen = receiver.posts.length;
  const email = `reader${++subscribed}@example.com`;
  await own.call('listSubscribe', { id: own.list, email_address: email, double_optin: false });
  await until('the event is received', async () => receiver.posts.length > seen);
  await own.call('webhookDelete', { wid });
  const post = receiver.posts[seen]!;
  const body = JSON.parse(post.body.toString()) as {
    timestamp: number;
    events: { type: string; data: Record<string, unknown> }[];
  };
  return { post, body, email };
}

const delivery = specTable('Webhook delivery');
delivery('timestamp', 'is an integer, seconds since 1970', async () => {
  const { post, body } = await subscribeAndReceive();
  assert.equal(post.method, 'POST');
  assert.equal(post.headers['content-type'], 'application/json');
  assert.ok(Number.isInteger(body.timestamp) && Math.abs(body.timestamp - Date.now() / 1000) < 120);
});
delivery('events', 'is an array of items with type and data', async () => {
  const { body } = await subscribeAndReceive();
  assert.deepEqual(Object.keys(body).sort(), ['events', 'timestamp']);
  for (const event of body.events) {
    assert.deepEqual(Object.keys(event).sort(), ['data', 'type']);
    assert.equal(typeof event.type, 'string');
    assert.ok(typeof event.data === 'object' && event.data !== null && !Array.isArray(event.data));
  }
});

specTable('Event types')('contact.subscribe', 'is sent when a contact has subscribed', async () => {
  const { body, email } = await subscribeAndReceive();
  assert.deepEqual(
    body.events.map((event) => [event.type, event.data['email'], event.data['list']]),
    [['contact.subscribe', email, own.list]],
  );
});

const signature = specTable('Webhook signature');
for (const algorithm of ['sha1', 'sha256', 'sha384', 'sha512']) {
  signature('with a secret', `is ${algorithm}= and the HMAC of the raw body`, async () => {
    const { post } = await subscribeAndReceive({ secret_key, algorithm });
    const expected = createHmac(algorithm, secret_key).update(post.body).digest('hex');
    assert.equal(post.headers['x-service-signature'], `${algorithm}=${expected}`);
  });
}
