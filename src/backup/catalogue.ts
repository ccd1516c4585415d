// What a backup has to contain, from the catalogue of the database: no list of tables that someone could forget to extend.
// Left out are unlogged tables, whose loss is harmless, generated columns, and what belongs to extensions.
import pg from 'pg';

export type Table = { name: string; columns: string[]; isPartitioned: boolean };
export type Sequence = { name: string; value: string; called: boolean };

/** The queue's own tables are made by its library; a backup has the jobs that wait, one JSON object a row. */
export const jobsTable = 'waiting_jobs';

/** The tables of the current schema. Each comes after those it refers to. */
export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows: tables } = await client.query<Table & { refersTo: string[] }>(`
    select c.relname as name, c.relkind = 'p' as "isPartitioned",
      array(
        select attname::text
        from pg_attribute a
        where a.attrelid = c.oid
          and a.attnum > 0
          and not a.attisdropped
          and a.attgenerated = ''
        order by a.attnum
      ) as columns,
      array(
        select f.relname::text
        from pg_constraint k
        join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid
          and k.contype = 'f'
          and f.oid <> c.oid
      ) as "refersTo"
    from pg_class c
    where ${isOurs}
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relpersistence = 'p'
    order by c.relname`);
  const ordered: Table[] = [];
  const done = new Set<string>();
  while (ordered.length < tables.length) {
    const ready = tables.filter(({ name, refersTo }) => !done.has(name) && refersTo.every((other) => done.has(other)));
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle, so none can be restored first.');
    for (const { name, columns, isPartitioned } of ready) {
      ordered.push({ name, columns, isPartitioned });
      done.add(name);
    }
  }
  return ordered;
}

/** Last values never lie before those in the rows: rows are written after they took their number. */
export async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name
    from pg_class c
    where ${isOurs}
      and c.relkind = 'S'
      and c.relpersistence = 'p'
    order by c.relname`);
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${pg.escapeIdentifier(name)}`,
    );
    sequences.push({ name, ...state.rows[0]! });
  }
  return sequences;
}

/** SQL: objects of the current schema that no extension has made. */
export const isOurs = `
  c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
  and not exists (
    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
  )`;
