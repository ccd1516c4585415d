// Kept connections, as load balancers use them: no request is lost because the program closes a connection at the same moment.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../support/installation/app.ts';

let t: TestApp;
let port: number;
before(async () => {
  t = await testApp({ API_RATE: '100000', API_PARALLEL: '1000' });
  port = Number(new URL(await t.listen()).port);
});
after(() => t.close());

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** A request with a body, which no proxy sends twice. Resolves to the first line of the response, or to why there is none. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    if (socket.closed) return resolve('closed');
    socket.once('close', () => resolve('closed'));
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0]!));
    const head = ['POST /api/ping HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', 'Content-Length: 2'];
    socket.write(`${[...head, `Authorization: Bearer ${t.key}`].join('\r\n')}\r\n\r\n{}`);
  });
}

test('600 kept connections are used again when a load balancer of 60 seconds would last use them: none is lost', async () => {
  const idleMs = 60_000;
  const kept: { socket: Socket; since: number }[] = [];
  for (let n = 0; n < 600; n++) {
    const socket = await open();
    assert.equal(await ask(socket), 'HTTP/1.1 200 OK');
    kept.push({ socket, since: performance.now() });
  }
  const answers = await Promise.all(
    kept.map(async ({ socket, since }, n) => {
      // From the time of the balancer to two seconds later: the idle time is what is tested.
      await sleep(Math.max(0, since + idleMs + (n % 200) * 10 - performance.now()));
      return ask(socket);
    }),
  );
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  for (const { socket } of kept) socket.destroy();
  assert.deepEqual(counts, { 'HTTP/1.1 200 OK': 600 });
});
