// What is published carries one version: the program, its changelog, the image and the clients.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../src/base/version.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

test('program, lock file, changelog, image and clients have the same version', () => {
  const found = {
    'package-lock.json': JSON.parse(read('package-lock.json')).packages[''].version,
    'CHANGELOG.md': /^## (\d\S*)/m.exec(read('CHANGELOG.md'))?.[1],
    Dockerfile: /image\.version="([^"]+)"/.exec(read('Dockerfile'))?.[1],
    'sdk/typescript': JSON.parse(read('sdk/typescript/package.json')).version,
    'sdk/python': /^version = "([^"]+)"/m.exec(read('sdk/python/pyproject.toml'))?.[1],
  };
  for (const [place, one] of Object.entries(found)) assert.equal(one, version, place);
});
