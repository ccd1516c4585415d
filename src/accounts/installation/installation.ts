// What an installation keeps permanently, made at its first start: its secret and the host of its List-Ids.
import { randomBytes } from 'node:crypto';
import { type Queries, sql } from '../../db/connect.ts';

/** The installation's secret, made at the first call. 32 bytes. */
export async function installationSecret(db: Queries): Promise<Buffer> {
  await db.run(sql`
    insert into installation (key, value)
    values ('secret', ${JSON.stringify(randomBytes(32).toString('hex'))})
    on conflict (key) do nothing`);
  const row = await db.row<{ value: string }>(sql`select value from installation where key = 'secret'`);
  return Buffer.from(row!.value, 'hex');
}

/**
 * The host in the List-Id of every list: that of the first public URL this installation ran with, because recipients filter
 * by List-Id and BASE_URL may change. Only a domain name is kept: with an IP address or localhost, the installation is being
 * tried out.
 */
export async function listIdHost(db: Queries, baseUrl: string): Promise<string> {
  const { hostname } = new URL(baseUrl);
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/i.test(hostname))
    await db.run(sql`
      insert into installation (key, value)
      values ('list_id_host', ${JSON.stringify(hostname)})
      on conflict (key) do nothing`);
  const row = await db.row<{ value: string }>(sql`select value from installation where key = 'list_id_host'`);
  return row?.value ?? hostname;
}
