// Warnings about the settings of an external database server. Asynchronous standbys are in test/faults/hosts.slow.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../test/support/database/database.ts';
import { createLog } from '../base/log.ts';
import { connect, sql } from './connect.ts';
import { warnOfServer } from './server-check.ts';

const database = await testDatabase();
after(() => database.close());

/** The warnings about the server as a new connection sees it. */
async function warnings(workers: number): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('warn', 'test', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const db = connect(database.url, { maxConnections: 1 });
  try {
    await warnOfServer(db, workers, log);
  } finally {
    await db.close();
  }
  return lines;
}

test('a server is warned about that loses commits, or has too few connections for the workers of this machine', async () => {
  const db = connect(database.url, { maxConnections: 1 });
  try {
    const name = (await db.row<{ name: string }>(sql`select current_database() as name`))!.name;
    await db.pool.query(`alter database "${name}" set synchronous_commit = on`);
    assert.deepEqual(await warnings(1), []);
    const [few, ...others] = await warnings(1_000);
    assert.deepEqual(others, []);
    assert.equal(few!['needed'], 58 + 18 * 1_000);
    assert.match(String(few!['msg']), /raise max_connections .* or lower WORKERS/);
    await db.pool.query(`alter database "${name}" set synchronous_commit = off`);
    assert.match(String((await warnings(1))[0]!['msg']), /synchronous_commit is off/);
  } finally {
    await db.close();
  }
});
