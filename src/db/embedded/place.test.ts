// Where the directory of the embedded database is made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from './place.ts';

test('a data directory that cannot be made is refused at once', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => makeHome('/proc/nowhere/data'), /Cannot create \/proc\/nowhere\/data\/postgres: .*\(DATA_DIR\)/);
});
