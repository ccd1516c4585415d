// The settings for machines of different sizes, and the file they are written to.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings, writeSettings } from './settings.ts';

const gigabyte = 2 ** 30;

test('memory settings follow the size of the machine, within bounds', () => {
  const table: [memory: number, shared: string, cache: string][] = [
    [gigabyte / 4, '32MB', '128MB'],
    [gigabyte, '64MB', '512MB'],
    [4 * gigabyte, '256MB', '2048MB'],
    [64 * gigabyte, '1024MB', '8192MB'],
  ];
  for (const [memory, shared, cache] of table) {
    const chosen = settings({ socketDir: '/run/x' }, memory, gigabyte);
    assert.equal(chosen['shared_buffers'], shared);
    assert.equal(chosen['effective_cache_size'], cache);
  }
});

test('every process that serve starts can open all its connections', () => {
  for (const [workers, connections] of [
    [1, 100],
    [2, 100],
    [16, 346],
    [64, 1_210],
  ] as const)
    assert.equal(settings({ port: 1 }, gigabyte, gigabyte, workers)['max_connections'], String(connections));
});

test('the server listens on a socket or on loopback, never on the network', () => {
  assert.equal(settings({ socketDir: '/run/x' }, gigabyte, gigabyte)['listen_addresses'], '');
  assert.equal(settings({ port: 4711 }, gigabyte, gigabyte)['listen_addresses'], '127.0.0.1');
});

test('a small /dev/shm, as in containers, is not used', () => {
  assert.equal(settings({ port: 1 }, gigabyte, 64 * 2 ** 20)['dynamic_shared_memory_type'], 'sysv');
  assert.equal(settings({ port: 1 }, gigabyte, gigabyte)['dynamic_shared_memory_type'], undefined);
});

test("the settings file quotes odd paths and includes the administrator's own file", (t) => {
  const root = mkdtempSync(join(tmpdir(), "pr conf'"));
  t.after(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'local.conf'), "work_mem = '64MB'\n");
  const place = { home: root, root, clusterDir: join(root, 'cluster'), runAs: undefined };
  const written = readFileSync(writeSettings(place, { socketDir: join(root, 'run') }, { jit: 'on' }), 'utf8');
  const quoted = root.replace("'", "''");
  assert.ok(written.includes(`unix_socket_directories = '${quoted}/run'\n`));
  assert.ok(written.endsWith(`include = '${quoted}/local.conf'\n`));
  assert.match(written, /^jit = 'on'$/m);
  assert.equal(written.match(/^jit/gm)?.length, 1);
});
