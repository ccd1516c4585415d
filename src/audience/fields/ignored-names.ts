// Names that published clients send with the values of contacts and that are no field of the list: counted by list, so that
// the owner sees which values are dropped, or which field is missing. Never values.
import { keptDays } from '../../accounts/account/retention.ts';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { formatDate } from '../../method/date.ts';
import { needList } from '../model/list.ts';
import { canBeTag } from '../model/tag.ts';

/** Names kept of a list: a program that makes up names does not fill the table. */
const maxNames = 100;
const maxNameLength = 100;

/** Counts what the call ignored. The last thing a call does, in one order: calls that count the same names wait briefly. */
export async function noteIgnored({ tx, account, published }: Context, listId: number): Promise<void> {
  if (!published || published.ignored.size === 0) return;
  const counts = new Map<string, number>();
  for (const [name, count] of published.ignored) {
    const shown = shownName(name);
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  const names = [...counts.keys()].sort().slice(0, maxNames);
  await tx.run(sql`
    insert into ignored_name (account_id, list_id, name, count)
    select ${account.id}, ${listId}, given.name, given.count
    from unnest(${names}::text[], ${names.map((name) => counts.get(name)!)}::int[]) as given(name, count)
    where exists (select from ignored_name i where i.account_id = ${account.id} and i.list_id = ${listId} and i.name = given.name)
      or (select count(*) from ignored_name i where i.account_id = ${account.id} and i.list_id = ${listId}) < ${maxNames}
    order by given.name
    on conflict (account_id, list_id, name) do update
    set count = ignored_name.count + excluded.count, last_at = now()`);
}

/** The names of a list that are no field now and were not dismissed, most frequent first. @throws Fault LIST_UNKNOWN */
export async function listIgnoredNames(context: Context, { id }: { id: string }) {
  const list = await needList(context, id);
  const rows = await context.tx.rows<{ name: string; count: number; firstAt: Date; lastAt: Date }>(sql`
    select i.name, i.count::float8 as count, i.first_at as "firstAt", i.last_at as "lastAt"
    from ignored_name i
    where i.account_id = ${context.account.id}
      and i.list_id = ${list.id}
      and i.dismissed_at is null
      and not exists (
        select from field f
        where f.account_id = i.account_id and f.list_id = i.list_id and f.tag = upper(i.name)
      )
    order by i.count desc, i.name`);
  return rows.map(({ name, count, firstAt, lastAt }) => ({
    name,
    count,
    can_be_field: canBeTag(name),
    first_seen: formatDate(firstAt),
    last_seen: formatDate(lastAt),
  }));
}

/** Shows a name no more, although programs still send it. Without effect on other names. @throws Fault LIST_UNKNOWN */
export async function dismissIgnoredName(context: Context, { id, name }: { id: string; name: string }): Promise<true> {
  const list = await needList(context, id);
  await context.tx.run(sql`
    update ignored_name
    set dismissed_at = coalesce(dismissed_at, now())
    where account_id = ${context.account.id}
      and list_id = ${list.id}
      and name = ${name}`);
  return true;
}

/** A name fit to be shown: one line, of limited length. */
const shownName = (name: string) =>
  name
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, maxNameLength) || '?';

const atOnce = 2_000;

/** Deletes names that were last sent longer ago than their account keeps the audit log. */
export async function purgeIgnoredNames({ app: { db }, signal }: TaskContext): Promise<void> {
  for (let gone = atOnce; gone === atOnce && !signal.aborted; )
    gone = await db.run(sql`
      delete from ignored_name
      where (account_id, list_id, name) in (
        select i.account_id, i.list_id, i.name
        from ignored_name i
        join account on account.id = i.account_id
        where ${keptDays('keep_audit_days')} > 0
          and i.last_at < now() - make_interval(days => ${keptDays('keep_audit_days')})
        limit ${atOnce}
      )`);
}
