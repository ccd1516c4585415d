// What a schema is made of, as text that can be compared: columns, constraints, triggers and functions by name. Shows where a
// database from before the hashes differs from what its migrations make, by applying them in a schema that is rolled back.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type Migration, runsInTransaction } from '../migration-files.ts';
import { splitStatements } from '../statements.ts';

/** @returns the objects of the current schema that are not as `migrations` make them; what others have added is not looked at */
export async function differences(client: pg.ClientBase, migrations: readonly Migration[]): Promise<string[]> {
  const found = await readObjects(client);
  const expected = await objectsOf(client, migrations);
  const tables = new Set([...expected.values()].map(({ table }) => table).filter((table) => table !== ''));
  const missing = [...expected].filter(([name, { text }]) => found.get(name)?.text !== text).map(([name]) => name);
  const left = [...found]
    .filter(([name, { table, restricts }]) => restricts && tables.has(table) && !expected.has(name))
    .map(([name]) => name);
  return [...new Set([...missing, ...left])].sort();
}

/** `restricts`: makes a difference to what can be written to `table`, so one too many matters as well. */
type Described = { text: string; table: string; restricts: boolean };

async function objectsOf(client: pg.ClientBase, migrations: readonly Migration[]): Promise<Map<string, Described>> {
  const schema = `postrider_check_${randomBytes(6).toString('hex')}`;
  await client.query('begin');
  try {
    await client.query(`create schema ${schema}`);
    await client.query(`set local search_path = ${schema}`);
    // The migrator's own, which one of the files changes.
    await client.query('create table migration (name text)');
    for (const migration of migrations) {
      if (runsInTransaction(migration)) await client.query(migration.text);
      // Built on empty tables that no one else sees.
      else
        for (const statement of splitStatements(migration.text))
          await client.query(statement.replace(/\bconcurrently\b/i, ''));
    }
    return await readObjects(client);
  } finally {
    await client.query('rollback');
  }
}

async function readObjects(client: pg.ClientBase): Promise<Map<string, Described>> {
  const { rows } = await client.query<Described & { name: string; schema: string }>(allObjects);
  return new Map(
    rows.map(({ name, schema, text, ...rest }) => [name, { ...rest, text: text.replaceAll(`${schema}.`, '') }]),
  );
}

const allObjects = `
  with mine as (
    select c.*
    from pg_class c
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
      )
  ), tables as (
    -- Partitions are made as time passes, like their originals.
    select * from mine where relkind in ('r', 'p') and not relispartition and relname <> 'migration'
  )
  select quote_ident(current_schema()) as schema, o.name, o.text, o.table, o.restricts
  from (
    select 'table ' || relname, concat_ws(' ', relkind, relpersistence, pg_get_partkeydef(oid)), relname, false
    from tables
    union all
    select 'column ' || c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)), c.relname, true
    from tables c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    union all
    select 'constraint ' || c.relname || '.' || k.conname, pg_get_constraintdef(k.oid), c.relname, true
    from tables c
    join pg_constraint k on k.conrelid = c.oid and k.contype in ('c', 'f', 'p', 'u', 'x') and k.conparentid = 0
    union all
    select 'trigger ' || c.relname || '.' || t.tgname, pg_get_triggerdef(t.oid, true), c.relname, true
    from tables c
    join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    union all
    select 'index ' || i.relname, pg_get_indexdef(i.oid), c.relname, x.indisunique
    from tables c
    join pg_index x on x.indrelid = c.oid
    join mine i on i.oid = x.indexrelid
    union all
    select 'partition ' || p.relname, '', c.relname, false
    from tables c
    join pg_inherits h on h.inhparent = c.oid
    join pg_class p on p.oid = h.inhrelid and pg_get_expr(p.relpartbound, p.oid) = 'DEFAULT'
    union all
    select 'sequence ' || relname, '', '', false
    from mine
    where relkind = 'S'
    union all
    select 'view ' || relname, pg_get_viewdef(oid), '', false
    from mine
    where relkind in ('v', 'm')
    union all
    select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
      concat_ws(' ', pg_get_function_result(p.oid), p.provolatile, p.proisstrict, p.proparallel,
        replace(p.prosrc, chr(13), '')), '', false
    from pg_proc p
    where p.pronamespace = (select oid from pg_namespace where nspname = current_schema())
      and p.prokind in ('f', 'p')
      and not exists (
        select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
  ) as o (name, text, "table", restricts)`;
