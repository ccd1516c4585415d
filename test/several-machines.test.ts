// The example of an installation on several machines is one that the program can run: its files, its processes, its connections.
// What its settings are: compose.test.ts.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { neededConnections } from '../src/db/connections.ts';

type Service = {
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
};
const { load } = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown };
const folder = join(import.meta.dirname, '../examples/compose-several');
const example = load(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(example.services);
const running = (command: string) => services.filter(([, service]) => service.command?.at(-1) === command);

test('the example has two web processes, three workers, a job that migrates, and a database with a standby', () => {
  assert.deepEqual([running('web').length, running('work').length, running('migrate').length], [2, 3, 1]);
  assert.deepEqual(
    services.filter(([name]) => ['database', 'standby', 'proxy'].includes(name)).length + 6,
    services.length,
  );
});

test('every service starts after those it names, and every volume and file of the example exists', () => {
  for (const [name, { depends_on = {}, volumes = [] }] of services) {
    for (const other of Object.keys(depends_on)) assert.ok(example.services[other], `${name} waits for ${other}`);
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      assert.ok(from.startsWith('./') ? existsSync(join(folder, from)) : from in example.volumes, `${name}: ${volume}`);
    }
  }
  const data = services.flatMap(([, { volumes = [] }]) => volumes.filter((volume) => volume.endsWith(':/data')));
  assert.equal(new Set(data).size, 5, 'each process has a directory of its own');
});

test('all processes of the example have the same settings', () => {
  const program = [...running('web'), ...running('work'), ...running('migrate')];
  for (const [name, { environment }] of program) assert.deepEqual(environment, program[0]![1].environment, name);
});

test('the databases of the example allow the connections that its processes may open', () => {
  const needed = neededConnections(running('work').length, running('web').length);
  for (const name of ['database', 'standby']) {
    const max = /max_connections=(\d+)/.exec(example.services[name]!.command!.join(' '))?.[1];
    assert.ok(Number(max) >= needed, `${name} allows ${max} of ${needed}`);
  }
});
