// The settings for machines of different sizes, and what is written of them.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterName, configure, settings } from './cluster.ts';

const gigabyte = 2 ** 30;

test('memory settings follow the machine within bounds', () => {
  const table: [memory: number, shared: string, cache: string][] = [
    [gigabyte / 4, '32MB', '128MB'],
    [gigabyte, '64MB', '512MB'],
    [4 * gigabyte, '256MB', '2048MB'],
    [64 * gigabyte, '1024MB', '8192MB'],
  ];
  for (const [memory, shared, cache] of table) {
    const made = settings({ socketDir: '/run/x' }, memory, gigabyte);
    assert.equal(made['shared_buffers'], shared);
    assert.equal(made['effective_cache_size'], cache);
  }
});

test('nothing listens on the network but, without a socket, loopback', () => {
  assert.equal(settings({ socketDir: '/run/x' }, gigabyte, gigabyte)['listen_addresses'], '');
  assert.equal(settings({ port: 4711 }, gigabyte, gigabyte)['listen_addresses'], '127.0.0.1');
});

test('a small /dev/shm, as containers have it, is not used', () => {
  assert.equal(settings({ port: 1 }, gigabyte, 64 * 2 ** 20)['dynamic_shared_memory_type'], 'sysv');
  assert.equal(settings({ port: 1 }, gigabyte, gigabyte)['dynamic_shared_memory_type'], undefined);
});

test("the settings file quotes odd paths and takes in the administrator's own file", (t) => {
  const root = mkdtempSync(join(tmpdir(), "pr conf'"));
  t.after(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'local.conf'), "work_mem = '64MB'\n");
  const place = { home: root, root, clusterDir: join(root, 'cluster'), runAs: undefined };
  const written = readFileSync(configure(place, { socketDir: join(root, 'run') }, { jit: 'on' }), 'utf8');
  const quoted = root.replace("'", "''");
  assert.ok(written.includes(`unix_socket_directories = '${quoted}/run'\n`));
  assert.ok(written.endsWith(`include = '${quoted}/local.conf'\n`));
  assert.match(written, /^jit = 'on'$/m);
  assert.equal(written.match(/^jit/gm)?.length, 1);
});

test("a cluster's name fits PostgreSQL's limit and differs for a copy of its directory", (t) => {
  const [one, two] = [mkdtempSync(join(tmpdir(), 'pr-')), mkdtempSync(join(tmpdir(), 'pr-'))];
  t.after(() => {
    for (const dir of [one, two]) rmSync(dir, { recursive: true });
  });
  const name = clusterName('0123456789ab', one);
  assert.equal(clusterName('0123456789ab', one), name);
  assert.notEqual(clusterName('0123456789ab', two), name);
  assert.ok(statSync(one).ino > 0 && name.length <= 63);
});
