import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { createLog } from '../../base/log.ts';
import { proxyList } from './client-address.ts';
import { reportUnknownProxies } from './unknown-proxies.ts';

async function reportedBy(trusted: string[], requests: { from: string; forwarded?: string; name?: string }[]) {
  const reported: unknown[] = [];
  const log = createLog('silent', 'test');
  log.warn = (entry: unknown) => reported.push((entry as { ip: string }).ip);
  const server = Fastify();
  const report = reportUnknownProxies(log, proxyList(trusted));
  server.addHook('onRequest', async (request) => report(request));
  server.get('/', async () => 'ok');
  for (const { from, forwarded, name = 'x-forwarded-for' } of requests)
    await server.inject({
      path: '/',
      remoteAddress: from,
      headers: forwarded === undefined ? {} : { [name]: forwarded },
    });
  await server.close();
  return reported;
}

test('a proxy that is not trusted is reported once', async () => {
  const twice = { from: '172.18.0.1', forwarded: '192.0.2.7' };
  assert.deepEqual(await reportedBy([], [twice, twice]), ['172.18.0.1']);
  assert.deepEqual(await reportedBy([], [{ from: '10.0.0.1', forwarded: 'for=192.0.2.7', name: 'forwarded' }]), [
    '10.0.0.1',
  ]);
  assert.deepEqual(await reportedBy(['127.0.0.0/8'], [{ ...twice, from: '::ffff:172.18.0.1' }]), ['172.18.0.1']);
});

test('no report about a trusted proxy, a request without the header, or a client of the internet that makes it up', async () => {
  assert.deepEqual(await reportedBy(['172.18.0.1'], [{ from: '172.18.0.1', forwarded: '192.0.2.7' }]), []);
  assert.deepEqual(await reportedBy([], [{ from: '172.18.0.1' }]), []);
  assert.deepEqual(await reportedBy([], [{ from: '93.184.215.14', forwarded: '192.0.2.7' }]), []);
});

test('a network of hosts that send the header does not fill the log', async () => {
  const hosts = Array.from({ length: 50 }, (_, n) => ({ from: `10.0.0.${n}`, forwarded: '192.0.2.7' }));
  assert.equal((await reportedBy([], hosts)).length, 5);
});
