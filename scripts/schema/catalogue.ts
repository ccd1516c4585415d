// The objects of the public schema as PostgreSQL's catalogue has them, in an order that does not depend on the database.
import { type Queries, sql } from '../../src/db/connect.ts';

export type Column = {
  name: string;
  type: string;
  notNull: boolean;
  identity: boolean;
  /** Computed from other columns by the expression in `fallback`. */
  generated: boolean;
  /** Storage other than the type's own, such as external. */
  storage: string | null;
  fallback: string | null;
};

/** `definition` as pg_get_constraintdef() has it; `columns` in the order of the constraint. */
export type Constraint = { kind: 'c' | 'f' | 'p' | 'u'; columns: string[]; definition: string };

export type Index = { name: string; definition: string };

export type Sequence = { name: string; start: number };

export type Table = {
  name: string;
  unlogged: boolean;
  options: string[] | null;
  /** Such as "range (at)". Its partitions are left out: one a month is made as time passes. */
  partitionedBy: string | null;
  columns: Column[];
  constraints: Constraint[];
  /** Without those of constraints. */
  indexes: Index[];
  /** Those that defaults draw from. */
  sequences: Sequence[];
};

export type Catalogue = {
  /** Kind and name of everything there is, such as "table contact". */
  objects: Set<string>;
  tables: Map<string, Table>;
};

export async function readCatalogue(db: Queries): Promise<Catalogue> {
  const tables = await db.rows<Table>(sql`
    select c.relname as name, c.relpersistence = 'u' as unlogged, c.reloptions as options,
      pg_get_partkeydef(c.oid) as "partitionedBy",
      array(select to_jsonb(x) from (${columns}) as x) as columns,
      array(select to_jsonb(x) from (${constraints}) as x) as constraints,
      array(select to_jsonb(x) from (${indexes}) as x) as indexes,
      array(select to_jsonb(x) from (${sequences}) as x) as sequences
    from pg_class c
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      -- The migrator's own.
      and c.relname <> 'migration'
    order by c.relname`);
  const objects = await db.rows<{ object: string }>(sql`
    select kind || ' ' || name as object
    from (${allObjects}) as o (kind, name)
    order by 1`);
  return {
    objects: new Set(objects.map(({ object }) => object)),
    tables: new Map(tables.map((table) => [table.name, table])),
  };
}

const columns = sql`
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull",
    a.attidentity <> '' as identity, a.attgenerated <> '' as generated, pg_get_expr(d.adbin, d.adrelid, true) as fallback,
    case when a.attstorage <> t.typstorage then (
      case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end
    ) end as storage
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid
    and a.attnum > 0
    and not a.attisdropped
  order by a.attnum`;

// From PostgreSQL 18 on, "not null" is among the constraints too.
const constraints = sql`
  select k.contype as kind, pg_get_constraintdef(k.oid, true) as definition, array(
      select a.attname
      from unnest(k.conkey) with ordinality as u (attnum, i)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = u.attnum
      order by u.i
    ) as columns
  from pg_constraint k
  where k.conrelid = c.oid
    and k.contype in ('c', 'f', 'p', 'u')
  order by array_position('{p,u,f,c}', k.contype::text), k.conname`;

const indexes = sql`
  select i.relname as name, pg_get_indexdef(i.oid, 0, true) as definition
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  where x.indrelid = c.oid
    and not exists (select from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u'))
  order by i.relname`;

const sequences = sql`
  select distinct q.relname as name, s.seqstart as start
  from pg_attrdef d
  join pg_depend p on p.classid = 'pg_attrdef'::regclass and p.objid = d.oid and p.refclassid = 'pg_class'::regclass
  join pg_class q on q.oid = p.refobjid and q.relkind = 'S'
  join pg_sequence s on s.seqrelid = q.oid
  where d.adrelid = c.oid
  order by q.relname`;

// Indexes of constraints and sequences of identity columns belong to what is shown of their table.
const allObjects = sql`
  select case
      when c.relkind in ('r', 'p') then 'table'
      when c.relkind = 'v' then 'view'
      when c.relkind = 'S' then 'sequence'
      when c.relkind in ('i', 'I') then 'index'
      else c.relkind::text
    end, c.relname
  from pg_class c
  where c.relnamespace = 'public'::regnamespace
    and c.relkind <> 'c'
    and not c.relispartition
    and c.relname not in ('migration', 'migration_pkey')
    and not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u'))
    and (c.relkind <> 'S' or not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i'))
  union all
  select 'function', proname from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select 'trigger', tgname from pg_trigger where not tgisinternal and tgrelid in (
    select oid from pg_class where relnamespace = 'public'::regnamespace
  )
  union all
  select 'statistics', stxname from pg_statistic_ext where stxnamespace = 'public'::regnamespace
  union all
  select case typtype when 'e' then 'enum' when 'd' then 'domain' else 'range' end, typname
  from pg_type
  where typnamespace = 'public'::regnamespace and typtype in ('e', 'd', 'r')`;
