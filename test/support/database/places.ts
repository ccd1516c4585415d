// Where a text, such as an address that was erased, is in a database: every column of every table is searched.
import { createHash } from 'node:crypto';
import { type Database, raw, sql } from '../../../src/db/connect.ts';

/** How an address may be stored: as it is, in bytes (which are shown in hexadecimal), in a URL, encoded, or as a hash without a salt. */
function formsOf(email: string): string[] {
  const hash = (name: string) => createHash(name).update(email).digest('hex');
  return [email, Buffer.from(email).toString('hex'), encodeURIComponent(email), email.replace('@', '=40')]
    .concat(['md5', 'sha1', 'sha256'].map(hash), Buffer.from(email).toString('base64'))
    .map((form) => form.toLowerCase());
}

/** Where an address is, in whatever table, column and form. */
export async function placesOf(db: Database, email: string): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r'
      and n.nspname not in ('pg_catalog', 'information_schema')
      and n.nspname not like 'pg_toast%'`);
  const found: string[] = [];
  for (const { name } of tables) {
    const row = await db.row<{ row: string }>(sql`
      select t::text as row
      from ${raw(name)} as t
      where exists (select from unnest(${formsOf(email)}::text[]) as f(form) where strpos(lower(t::text), f.form) > 0)
      limit 1`);
    if (row) found.push(`${name}: ${row.row.slice(0, 300)}`);
  }
  return found;
}
