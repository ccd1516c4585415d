import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { faultyBehaviours, type HostileServer, startHostileHttp } from '../../../test/support/network/hostile-http.ts';
import { sample, slowTest } from '../../../test/support/run/runs.ts';
import type { Outbound } from '../outbound-client.ts';
import { createOutbound } from './outbound.ts';

let hostile: HostileServer;
let outbound: Outbound;
before(async () => {
  hostile = await startHostileHttp('127.0.0.2');
  outbound = createOutbound({ allow: ['127.0.0.2'] });
});
after(async () => {
  outbound.close();
  await hostile.close();
});

const slow = new Set(['never', 'half-head', 'drip-head', 'drip-body', 'head-then-silence', 'half-body-then-silence']);
const tooMuch = new Set(['endless', 'endless-chunked', 'declared-gigabyte']);

test('F74, F81: every hostile server causes the right failure, in time', async () => {
  const limits = { totalMs: 900, headersMs: 600, maxBytes: 16 * 1024 };
  assert.ok(faultyBehaviours().length >= 35);
  for (const behaviour of faultyBehaviours()) {
    const result = await outbound.fetch(hostile.url(behaviour), { ...limits, decode: true });
    const expected = slow.has(behaviour)
      ? 'timeout'
      : tooMuch.has(behaviour) || behaviour === 'gzip-bomb'
        ? 'too_large'
        : 'protocol';
    assert.equal(result.ok ? `${result.status}` : result.why, expected, behaviour);
    assert.ok(result.ms < 4_000, `${behaviour}: ${result.ms} ms`);
  }
});

test('on request a long answer is cut at the limit instead of failing', async () => {
  for (const behaviour of tooMuch) {
    const result = await outbound.fetch(hostile.url(behaviour), { maxBytes: 16 * 1024, overflow: 'cut' });
    assert.ok(result.ok && result.cut, behaviour);
    assert.equal(result.body.length, 16 * 1024);
  }
  const whole = await outbound.fetch(hostile.url('ok'), { maxBytes: 5, overflow: 'cut' });
  assert.ok(whole.ok && !whole.cut);
});

test('a server that sends too slowly is given up before the total time limit', async () => {
  const result = await outbound.fetch(hostile.url('drip-body'), { totalMs: 20_000, minBytesPerS: 100 });
  assert.equal(!result.ok && result.why, 'timeout');
  assert.ok(result.ms >= 4_990 && result.ms < 12_000, String(result.ms));
});

slowTest(
  'F74: after requests to all of them the client has grown by less than 5 MB and has no open connection',
  async () => {
    const script = `
    const { createOutbound } = await import(${JSON.stringify(new URL('./outbound.ts', import.meta.url).href)});
    const outbound = createOutbound({ allow: ['127.0.0.2'] });
    const round = async () => {
      for (const behaviour of ${JSON.stringify(faultyBehaviours())}) {
        await outbound.fetch('http://127.0.0.2:${hostile.port}/' + behaviour, {
          totalMs: 60, maxBytes: 16384, overflow: 'cut', agentKey: 'webhook',
        });
      }
    };
    const settled = () => { gc(); return process.memoryUsage().rss; };
    // What leaks grows in every window; what the allocator or the optimiser keeps grows in some: the least counts.
    const windows = [];
    for (let window = 0; window < 4; window++) {
      const before = settled();
      let most = 0;
      const timer = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 5);
      for (let i = 0; i < 5; i++) await round();
      clearInterval(timer);
      windows.push({ grown: settled() - before, most: most - before });
    }
    outbound.close();
    const open = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
    for (let i = 0; open() > 0 && i < 200; i++) await new Promise((resolve) => setTimeout(resolve, 50));
    const least = (key) => Math.min(...windows.slice(1).map((window) => window[key])) / 1e6;
    console.log(JSON.stringify({ grownMb: least('grown'), maxMb: least('most'),
      open: open() }));`;
    // A small young generation, so that the growth measured is what is kept, not how lazily V8 collects.
    const args = ['--expose-gc', '--max-semi-space-size=1', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { MALLOC_ARENA_MAX: '1' } });
    const { grownMb, maxMb, open } = JSON.parse(stdout) as Record<string, number>;
    assert.ok(grownMb! < 5, `grown by ${grownMb} MB`);
    assert.ok(maxMb! < 12, `${maxMb} MB at most, garbage included`);
    assert.equal(open, 0);
  },
);

test('all of them at once still end in time', async () => {
  const startedAt = Date.now();
  const results = await Promise.all(
    faultyBehaviours().map((behaviour) => outbound.fetch(hostile.url(behaviour), { totalMs: 1_000, maxBytes: 16_384 })),
  );
  assert.ok(Date.now() - startedAt < 10_000);
  const sound = results.filter((result) => result.ok).length;
  // A gzip body that the caller did not ask to decode is just bytes.
  assert.equal(sound, 1);
});

test('every status from 200 to 599 is returned as received', async () => {
  for (const code of sample(
    Array.from({ length: 400 }, (_, n) => 200 + n),
    7,
  )) {
    const result = await outbound.fetch(hostile.url('status', { code: String(code) }), { agentKey: 'statuses' });
    assert.equal(result.ok && result.status, code);
  }
});

test('a body that is compressed without being asked for is decoded within the limit', async () => {
  const text = 'Häppy '.repeat(300);
  const encodings: [string, Buffer][] = [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ];
  const at = (encoding: string, body: Buffer) =>
    hostile.url('body', { base64: body.toString('base64'), 'Content-Encoding': encoding });
  for (const [encoding, body] of encodings) {
    const result = await outbound.fetch(at(encoding, body), { decode: true });
    assert.equal(result.ok && result.body.toString(), text, encoding);
    if (encoding === 'identity') continue;
    const small = await outbound.fetch(at(encoding, body), { decode: true, maxBytes: 2_000 });
    assert.equal(!small.ok && small.why, 'too_large', encoding);
    const broken = await outbound.fetch(at(encoding, body.subarray(0, 20)), { decode: true });
    assert.equal(!broken.ok && broken.why, 'protocol', encoding);
    const raw = await outbound.fetch(at(encoding, body));
    assert.deepEqual(raw.ok && raw.body, body, encoding);
  }
  for (const encoding of ['gzip, gzip', 'zstd', 'compress', 'nonsense']) {
    const result = await outbound.fetch(at(encoding, gzipSync('x')), { decode: true });
    assert.equal(!result.ok && result.why, 'protocol', encoding);
  }
});
