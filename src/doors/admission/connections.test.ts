import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { testApp } from '../../../test/support/installation/app.ts';
import { limitConnections } from './connections.ts';

test('a client that sends its headers slowly is disconnected within seconds', async () => {
  const app = await testApp();
  try {
    const server = new URL(await app.listen());
    const socket = connect(Number(server.port), server.hostname);
    socket.on('error', () => {});
    const closed = once(socket.resume(), 'close');
    const startedAt = performance.now();
    socket.write('GET / HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('x'), 200);
    await closed;
    clearInterval(drip);
    // Ten seconds for the headers, checked every two seconds. The interval of Node.js would end it after 30 s or more.
    const seconds = (performance.now() - startedAt) / 1_000;
    assert.ok(seconds > 9 && seconds < 25, `${seconds} s`);
  } finally {
    await app.close();
  }
});

test('a host with its part of the connections open gets no other before it closes one', async () => {
  const server = createServer((_request, response) => response.end());
  limitConnections(server, { total: 3, perCaller: 2 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  /** Whether the server keeps the connection and answers. */
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
    return { socket, answered };
  };
  const first = await open();
  await open();
  assert.equal((await open()).answered, false);
  first.socket.destroy();
  let again = await open();
  while (!again.answered) again = await open();
  assert.ok(again.answered);
  server.closeAllConnections();
  server.close();
});
