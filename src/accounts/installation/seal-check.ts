// Whether two installations seal with the same secret and SEAL_KEY: each keeps a text that it has sealed.
import { type Queries, sql } from '../../db/connect.ts';
import { type Sealer, seal, unseal } from './seal.ts';

const text = 'seal check';

export async function recordSealCheck(db: Queries, sealer: Sealer): Promise<void> {
  await db.run(sql`
    insert into installation (key, value)
    values ('seal_check', ${JSON.stringify(seal(sealer, text, text).toString('hex'))})
    on conflict (key) do nothing`);
}

/** False when the installation of a database cannot open what `sealer` seals. */
export async function sealsAlike(db: Queries, sealer: Sealer): Promise<boolean> {
  const row = await db.row<{ value: string }>(sql`select value from installation where key = 'seal_check'`);
  return row === undefined || unseal(sealer, text, Buffer.from(row.value, 'hex')) === text;
}
