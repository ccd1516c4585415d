// Erases the accounts whose time has come, with everything in them. Begins by marking the account, so that the deletion can no longer be
// taken back; then deletes portion after portion, whatever tables there are, and the account last. A crash leaves less to do.
import type { App } from '../base/context.ts';
import { raw, sql } from '../db/connect.ts';
import type { TaskContext } from '../jobs/tasks.ts';

/** Rows that one statement deletes. */
const batchSize = 10_000;

export async function eraseAccounts({ app, log, signal }: TaskContext): Promise<void> {
  await app.db.run(sql`
    update account
    set delete_at = '-infinity', active = false
    where delete_at <= now()
      and delete_at <> '-infinity'`);
  const due = await app.db.rows<{ id: number }>(sql`
    select id from account
    where delete_at = '-infinity'
      or test_of in (select id from account where delete_at = '-infinity')
    order by test_of is null, id`);
  for (const { id } of due) {
    if (signal.aborted) throw new Error('interrupted; continues at the next run');
    await eraseAccount(app, id, signal);
    log.info({ account: id }, 'an account was erased');
  }
}

/** @param inTransaction how the transactions that delete are run */
export async function eraseAccount(
  { db }: Pick<App, 'db'>,
  id: number,
  signal: AbortSignal,
  inTransaction: App['db']['transaction'] = (work) => db.transaction(work),
): Promise<void> {
  // Nothing of it is begun any more, since it is suspended, and those who used it are out.
  await db.run(sql`delete from session where account_id = ${id}`);
  // Deleting contacts writes to tables that come before: until a pass finds nothing.
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const table of await tablesOfAccounts({ db }))
      for (let deleted = 1; deleted > 0; found += deleted) {
        if (signal.aborted) throw new Error('interrupted; continues at the next run');
        deleted = await inTransaction((tx) =>
          tx.run(sql`
            delete from ${raw(table)}
            where account_id = ${id}
              and ctid = any (array(select ctid from ${raw(table)} where account_id = ${id} limit ${batchSize}))`),
        );
      }
  }
  await inTransaction(async (tx) => {
    const people = await tx.rows<{ id: number }>(sql`
      delete from membership where account_id = ${id} returning user_id as id`);
    await tx.run(sql`delete from account where id = ${id}`);
    await tx.run(sql`
      delete from app_user u
      where u.id = any (${people.map((person) => person.id)}::int[])
        and not exists (select from membership m where m.user_id = u.id)`);
  });
}

/** The tables with rows of accounts, each before those that it refers to. Those of people go with the account. */
async function tablesOfAccounts({ db }: Pick<App, 'db'>): Promise<string[]> {
  const tables = await db.rows<{ name: string; refersTo: string[] }>(sql`
    select c.oid::regclass::text as name, array(
        select k.confrelid::regclass::text
        from pg_constraint k
        where k.conrelid = c.oid
          and k.contype = 'f'
          and k.confrelid <> c.oid
      ) as "refersTo"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname <> 'membership'
    order by c.relname`);
  const ordered: string[] = [];
  while (ordered.length < tables.length) {
    const isOpen = ({ name }: { name: string }) => !ordered.includes(name);
    const open = tables.filter(isOpen);
    const ready = open.filter(({ name }) => !open.some((other) => other.refersTo.includes(name)));
    ordered.push(...(ready.length > 0 ? ready : open).map(({ name }) => name));
  }
  return ordered;
}
