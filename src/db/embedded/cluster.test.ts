import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterName } from './cluster.ts';

test("a cluster's name fits PostgreSQL's limit and differs for a copy of its directory", (t) => {
  const [first, second] = [mkdtempSync(join(tmpdir(), 'pr-')), mkdtempSync(join(tmpdir(), 'pr-'))];
  t.after(() => {
    for (const dir of [first, second]) rmSync(dir, { recursive: true });
  });
  const name = clusterName('0123456789ab', first);
  assert.equal(clusterName('0123456789ab', first), name);
  assert.notEqual(clusterName('0123456789ab', second), name);
  assert.ok(statSync(first).ino > 0 && name.length <= 63);
});
