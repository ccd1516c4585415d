// The verification module for receivers, by the rule of the specification and with real deliveries.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import fastify from 'fastify';
import {
  type Delivery,
  fastifyPlugin,
  fetchHandler,
  memorySeen,
  nodeListener,
  receive,
  verify,
} from 'postrider/receiver';
import { testApp } from '../../test/support/installation/app.ts';
import { algorithms, serviceSignature } from './signature.ts';

const secret = 'correct horse';
const body = Buffer.from('{"timestamp":1700000000,"events":[{"type":"email.open","data":{"id":"evt_1"}}]}');
const good = serviceSignature(body, secret, 'sha256');
const hex = good.slice('sha256='.length);

const refused: [string, string | undefined][] = [
  ['a missing header', undefined],
  ['an empty header', ''],
  ['nothing after =', 'sha256='],
  ['no =', 'sha256'],
  ['an unknown algorithm', `sha257=${hex}`],
  ['the name of an algorithm in capitals', `SHA256=${hex}`],
  ['an algorithm that only some languages know', `RSA-SHA256=${hex}`],
  ['no algorithm', `=${hex}`],
  ['the name of a prototype member', `constructor=${hex}`],
  ['another algorithm than signed with', `sha512=${hex}`],
  ['a wrong signature', `sha256=${'0'.repeat(64)}`],
  ['a signature cut short', `sha256=${hex.slice(0, 63)}`],
  ['a signature with something behind it', `sha256=${hex}0`],
  ['a signature by another secret', serviceSignature(body, 'other', 'sha256')],
  ['a signature of another body', serviceSignature(Buffer.from('{}'), secret, 'sha256')],
  ['characters beyond ASCII', `sha256=${'é'.repeat(64)}`],
];
for (const [what, header] of refused) {
  test(`with a secret, ${what} is answered 401 Unauthorized; without one it is not checked`, () => {
    assert.equal(verify(body, header, secret), false);
    assert.deepEqual(receive(body, header, secret), { status: 401, text: '401 Unauthorized' });
    for (const none of ['', undefined]) assert.equal(receive(body, header, none).status, 200);
  });
}

test('a body in the classic format is checked and becomes a delivery like any other', () => {
  const classic = Buffer.from('{"hook":"email.open","timestamp":1700000000,"data":[{"id":"evt_1"},{"id":"evt_2"}]}');
  assert.deepEqual(receive(classic, serviceSignature(classic, secret, 'sha256'), secret).delivery, {
    timestamp: 1_700_000_000,
    events: [
      { type: 'email.open', data: { id: 'evt_1' } },
      { type: 'email.open', data: { id: 'evt_2' } },
    ],
  });
  assert.deepEqual(receive(classic, good, secret), { status: 401, text: '401 Unauthorized' });
});

test('every HMAC algorithm is accepted', () => {
  for (const algorithm of [...algorithms, 'md5', 'sha224'])
    assert.equal(
      verify(body, `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`, secret),
      true,
    );
});

test('a body that is not a delivery is answered 400', () => {
  for (const text of ['', 'null', '[]', '{"events":{}}', '{', '{"hook":1,"data":[]}', '{"hook":"email.open"}'])
    assert.equal(receive(text, undefined, '').status, 400);
});

test('deliveries arrive through node:http, Fastify and WHATWG handlers, and forged ones are answered 401', async () => {
  const t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const got: Delivery[] = [];
  const options = { secret, onDelivery: (delivery: Delivery) => void got.push(delivery) };
  const whatwg = fetchHandler(options);
  const viaRequest: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await whatwg(
      new Request('http://receiver.test/', {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status).end(await answer.text());
  };
  const servers = [createServer(nodeListener(options)), createServer(viaRequest)];
  const framework = fastify();
  await framework.register(fastifyPlugin, options);
  await framework.listen({ port: 0, host: '127.0.0.1' });
  try {
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ports = [...servers, framework.server].map((server) => (server.address() as AddressInfo).port);
    for (const port of ports) {
      const url = `http://127.0.0.1:${port}/`;
      const wid = await t.call<string>('webhookCreate', { title: 'R', options: { url, secret_key: secret } });
      const shown = await t.call<{ id: string; status: string }[]>('webhooks');
      assert.equal(shown.find(({ id }) => id === wid)!.status, 'active');
      got.length = 0;
      const sent = await t.call<{ status: number; event: string }>('webhookTest', { wid });
      assert.equal(sent.status, 200);
      assert.deepEqual(
        got.map(({ events }) => events.map(({ data }) => data.id)),
        [[sent.event]],
      );
      await t.call('webhookRotateSecret', { wid, secret_key: 'another one' });
      const forged = await t.call<{ status: number; answer: string }>('webhookTest', { wid });
      assert.deepEqual([forged.status, forged.answer], [401, '401 Unauthorized']);
      assert.equal(got.length, 1);
    }
  } finally {
    t.app.outbound.close();
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
    await framework.close();
    await t.close();
  }
});

test('ids are remembered up to a number, the oldest are forgotten first', async () => {
  const seen = memorySeen(3);
  await seen.add(['a', 'b']);
  await seen.add(['c', 'd']);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => seen.has(id)),
    [false, true, true, true],
  );
});
