// Replaces the tables of an installation with those in another schema, in the caller's transaction: the atomic step of a
// restore. Moves objects one by one instead of renaming the schema, which may belong to another user or have extensions in it.
import pg from 'pg';
import { narrowedSchema } from '../db/narrowed/views.ts';
import { priorities } from '../jobs/tasks.ts';
import { isOurs, jobsTable } from './catalogue.ts';

type Named = { name: string };

/** Moves everything in schema `from` to schema `to`, replacing objects with the same names, and drops `from`. */
export async function replaceTables(client: pg.Client, from: string, to: string): Promise<void> {
  await replaceJobs(client);
  await client.query(`drop table ${jobsTable}`);
  const moved = await objectsOf(client);
  const schema = pg.escapeIdentifier(to);
  await client.query(`set local search_path = ${schema}`);
  await dropOld(client, moved, schema);
  await client.query(`set local search_path = ${pg.escapeIdentifier(from)}`);
  for (const { kind, name } of moved) await client.query(`alter ${kind} ${name} set schema ${schema}`);
  await client.query(`set local search_path = ${schema}`);
  await client.query(`drop schema ${pg.escapeIdentifier(from)}`);
  const narrowed = pg.escapeIdentifier(narrowedSchema(to));
  await client.query(`drop schema if exists ${narrowed} cascade`);
  await client.query(`alter schema ${pg.escapeIdentifier(narrowedSchema(from))} rename to ${narrowed}`);
}

type Moved = { kind: 'table' | 'view' | 'sequence' | 'function' | 'statistics'; name: string };

/** The objects of the current schema that move on their own: indexes, constraints and the sequences of columns go with tables. */
async function objectsOf(client: pg.Client): Promise<Moved[]> {
  const { rows } = await client.query<Moved>(`
    select kind, name
    from (
      select 1 as nth, case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
        quote_ident(c.relname) as name
      from pg_class c
      where ${isOurs}
        and c.relkind in ('r', 'p', 'v', 'S')
        and not exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
            and d.refobjsubid > 0
        )
      union all
      select 2, 'function', format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid))
      from pg_proc p
      where p.pronamespace = current_schema()::regnamespace
      union all
      select 3, 'statistics', quote_ident(s.stxname)
      from pg_statistic_ext s
      where s.stxnamespace = current_schema()::regnamespace
    ) as object
    order by nth, kind, name`);
  return rows;
}

/** Drops the objects of these names in the current schema, and the partitions of its tables. */
async function dropOld(client: pg.Client, moved: readonly Moved[], schema: string): Promise<void> {
  const names = (kind: Moved['kind']) => moved.filter((object) => object.kind === kind).map(({ name }) => name);
  const drop = async (kind: Moved['kind']) => {
    const all = names(kind).map((name) => `${schema}.${name}`);
    if (all.length > 0) await client.query(`drop ${kind} if exists ${all.join(', ')} cascade`);
  };
  await drop('view');
  await drop('table');
  await drop('sequence');
  await drop('function');
  await drop('statistics');
  // Months that were detached to be deleted.
  const loose = await client.query<Named>(
    `
    select quote_ident(c.relname) as name
    from pg_class c
    where ${isOurs}
      and c.relkind = 'r'
      and regexp_replace(c.relname, '_[0-9]{4}_[0-9]{2}$', '') = any ($1::text[])`,
    [names('table')],
  );
  for (const { name } of loose.rows) await client.query(`drop table ${schema}.${name} cascade`);
}

/** The jobs of the backup instead of those that wait now. */
async function replaceJobs(client: pg.Client): Promise<void> {
  await client.query('delete from graphile_worker._private_jobs');
  await client.query(
    `select graphile_worker.add_job(
      job ->> 'task', (job -> 'payload')::json, queue_name := job ->> 'queue', run_at := (job ->> 'run_at')::timestamptz,
      max_attempts := (job ->> 'attempts')::int, job_key := job ->> 'key',
      priority := coalesce((job ->> 'priority')::int, $1))
    from ${jobsTable}`,
    [priorities.normal],
  );
}
