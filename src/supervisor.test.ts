// What `serve` checks about a database that others run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../test/support/database/database.ts';
import type { Log } from './base/log.ts';
import { neededConnections } from './db/connections.ts';
import { warnOfFewConnections } from './supervisor.ts';

test('a database that allows too few connections for the workers is warned of, another is not', async () => {
  const database = await testDatabase();
  const warnings: object[] = [];
  const log = { warn: (about: object) => warnings.push(about), debug() {} } as unknown as Log;
  try {
    await warnOfFewConnections(database.url, 1, log);
    assert.deepEqual(warnings, []);
    await warnOfFewConnections(database.url, 1_000, log);
    assert.equal(warnings.length, 1);
    assert.partialDeepStrictEqual(warnings, [{ needed: neededConnections(1_000), workers: 1_000 }]);
  } finally {
    await database.close();
  }
});
