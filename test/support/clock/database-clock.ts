// A clock of one database that a test can move, while every process keeps the right time: now() and clock_timestamp()
// of a schema that precedes pg_catalog in the search path. Timeouts of PostgreSQL itself, such as statement_timeout,
// keep the right time.
import pg from 'pg';

export type DatabaseClock = {
  /** The address under which the database has the movable clock. */
  url: string;
  /** Sets the clock so many seconds ahead of the true time, at once and for every session; negative is behind. */
  set(seconds: number): Promise<void>;
};

const schema = `
  create schema clock;
  create table clock.setting (ahead interval not null);
  insert into clock.setting values ('0');
  create function clock.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() + ahead from clock.setting';
  create function clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + ahead from clock.setting'`;

/** Gives a database, as it is after the migrations, a movable clock. */
export async function movableClock(url: string): Promise<DatabaseClock> {
  const moved = new URL(url);
  moved.searchParams.set('options', '-c search_path=clock,public,pg_catalog');
  await query(url, schema);
  // The defaults of columns are bound to functions, not to names: written again, they find the movable ones.
  const defaults = await query<{ statement: string }>(
    url,
    `select format('alter table %s alter column %I set default %s', adrelid::regclass, attname, pg_get_expr(adbin, adrelid))
       as statement
     from pg_attrdef
     join pg_attribute on attrelid = adrelid and attnum = adnum
     join pg_class on pg_class.oid = adrelid
     where pg_get_expr(adbin, adrelid) ~ '(now|clock_timestamp)\\(\\)'
       and attgenerated = ''
       and not relispartition`,
  );
  await query(moved.href, defaults.map(({ statement }) => statement).join(';'));
  return {
    url: moved.href,
    set: async (seconds) => {
      await query(url, `update clock.setting set ahead = make_interval(secs => ${Number(seconds)})`);
    },
  };
}

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
