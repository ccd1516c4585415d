// The contents of a database, to compare a restored one with its original.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { readTables } from '../../../src/backup/catalogue.ts';

/** Changed by a restore on purpose, or by workers all the time. */
const changedByRestore = ['heartbeat', 'worker', 'worker_status', 'session', 'sign_in_link'];

/** For each table the number of rows and a hash of them, whatever their order. */
export async function fingerprint(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found: Record<string, string> = {};
    for (const { name } of await readTables(client)) {
      if (changedByRestore.includes(name)) continue;
      const table = pg.escapeIdentifier(name);
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${table} t order by 1`);
      const hash = createHash('sha256').update(rows.map(({ row }) => row).join('\n'));
      found[name] = `${rows.length} ${hash.digest('hex').slice(0, 16)}`;
    }
    return found;
  } finally {
    await client.end();
  }
}
