// What a body costs this process: the pace that it has to keep, and the memory and the work of a body in small pieces.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { Quota } from '../../base/quota.ts';
import { BodyReader, pace } from './body-reader.ts';

/** Sends a body of ever more pieces from a thread of its own, until a message ends it. */
const sender = `
  const { request } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const sent = request({ port: workerData, method: 'POST' });
  sent.on('error', () => {});
  sent.on('response', (response) => {
    parentPort.postMessage(response.statusCode);
    process.exit();
  });
  sent.write(Buffer.alloc(60_000, 0x61));
  const drip = setInterval(() => sent.write(Buffer.alloc(5_000, 0x61)), 10);
  parentPort.on('message', () => {
    clearInterval(drip);
    sent.end();
  });`;

test('a body that arrives at its pace is not refused because this process was busy', async (t) => {
  const usual = { ...pace };
  Object.assign(pace, { everyMs: 100, bytes: 20_000 });
  const server = createServer(async (incoming, answer) => {
    const quota = new Quota({ total: 2 ** 30, perCaller: 2 ** 30 });
    const share = { quota, caller: 'a', isProven: true };
    const reader = new BodyReader({ share, encoding: 'identity', check: () => {} });
    const read = reader.read(incoming);
    // Right after the pace was looked at, so that the next look is due before anything is read.
    const beBusy = () => {
      for (const end = performance.now() + 500; performance.now() < end; );
      setTimeout(() => thread.postMessage('end'), 50);
    };
    setTimeout(() => setImmediate(beBusy), pace.everyMs);
    const status = await read.then(
      () => 200,
      () => 408,
    );
    answer.writeHead(status, { connection: 'close' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const thread = new Worker(sender, { eval: true, workerData: (server.address() as AddressInfo).port });
  t.after(async () => {
    Object.assign(pace, usual);
    await thread.terminate();
    server.close();
  });
  const [status] = await once(thread, 'message');
  assert.equal(status, 200);
});

test('a body in pieces of a byte each takes the memory of its bytes, and its start is taken once', async () => {
  const count = 1_000_000;
  const body = new PassThrough();
  const starts = new Set<Buffer>();
  const reader = new BodyReader({ share: undefined, encoding: 'identity', check: (_, start) => starts.add(start()) });
  const read = reader.read(body as unknown as IncomingMessage);
  const before = process.memoryUsage();
  const piece = () => Buffer.from('a');
  for (let i = 0; i < count; i++) body.emit('data', piece());
  const after = process.memoryUsage();
  const used = after.heapUsed + after.external - before.heapUsed - before.external;
  assert.ok(used < 40e6, `${Math.round(used / 1e6)} MB for 1 MB`);
  assert.ok(starts.size <= 200, `${starts.size} times`);
  body.end();
  const bytes = await read;
  assert.equal(bytes.length, count);
  assert.equal(bytes.toString(), 'a'.repeat(count));
  assert.equal(reader.start.toString(), 'a'.repeat(200));
});

test('pieces of any size are put together as they came', async () => {
  const sizes = [3, 70_000, 1, 1, 65_536, 200_000, 16_384, 5, 131_072, 2];
  const pieces = sizes.map((size, i) => Buffer.alloc(size, 0x61 + i));
  const body = new PassThrough();
  const reader = new BodyReader({ share: undefined, encoding: 'identity', check: () => {} });
  const read = reader.read(body as unknown as IncomingMessage);
  for (const piece of pieces) body.write(piece);
  body.end();
  assert.deepEqual(await read, Buffer.concat(pieces));
});
