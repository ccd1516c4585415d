// The names of what entries of the audit log are about, by their ids: present ones, and those that deleted objects had.
import { join, type Queries, type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';

/** `deleted`: it is gone, and `name` is what it was called last; '' when that is not known. */
export type SubjectName = { name: string; deleted: boolean };

/** The calls after which an id names nothing any more. Each entry of them keeps the name (nameToKeep). */
const deletions = [
  ...['campaign', 'list', 'listSegment', 'template', 'label', 'webhook', 'automation', 'recurring'],
  ...['sender', 'user', 'incomingWebhook', 'bounceMailbox', 'noticeSource'],
].map((kind) => `${kind}Delete`);

/** Methods whose subject, where it is an id, has a name as long as it exists. */
const ofNamed =
  /^(campaign|list|template|label|webhook|automation|recurring|incomingWebhook|bounceMailbox|noticeSource|sender(Create|Update|Delete))/;

type Subject = { method: string; subject: string };

/** The names of the subjects of entries; of those that are no ids, and of what has no name, there are none. */
export async function subjectNames(
  tx: Queries,
  accountId: number,
  entries: readonly Subject[],
): Promise<ReadonlyMap<string, SubjectName>> {
  const ids = new Set(entries.map(({ subject }) => subject).filter((subject) => parseId(subject) >= 0));
  const present = await presentNames(tx, accountId, [...ids]);
  const former = await formerNames(
    tx,
    accountId,
    [...ids].filter((id) => !present.has(id)),
  );
  const names = new Map<string, SubjectName>();
  for (const { method, subject } of entries) {
    const name = present.get(subject);
    if (name !== undefined) names.set(subject, { name, deleted: false });
    else if (ids.has(subject) && (former.has(subject) || ofNamed.test(method)))
      names.set(subject, { name: former.get(subject) ?? '', deleted: true });
  }
  return names;
}

/** The name that the entry of a deletion keeps of what it deletes; to be looked up before. */
export async function nameToKeep(tx: Queries, accountId: number, { method, subject }: Subject): Promise<string> {
  if (!deletions.includes(method) || parseId(subject) < 0) return '';
  return (await presentNames(tx, accountId, [subject])).get(subject) ?? '';
}

/** What an entry can be about, by its table and the column with its name. */
const tables: readonly [table: Sql, name: Sql][] = [
  [sql`campaign`, sql`coalesce(nullif(title, ''), subject)`],
  [sql`list`, sql`name`],
  [sql`segment`, sql`title`],
  [sql`template`, sql`name`],
  [sql`label`, sql`name`],
  [sql`webhook`, sql`title`],
  [sql`incoming_webhook`, sql`title`],
  [sql`automation`, sql`title`],
  [sql`recurring`, sql`title`],
  [sql`sender`, sql`email`],
  [sql`bounce_mailbox`, sql`coalesce(nullif(title, ''), user_name)`],
  [sql`notice_source`, sql`title`],
  [sql`import`, sql`name`],
  [sql`invitation`, sql`email`],
];

/** No two tables share an id. */
async function presentNames(
  tx: Queries,
  accountId: number,
  named: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (named.length === 0) return new Map();
  const ids = sql`${named.map(parseId)}::int[]`;
  const people = sql`
    select u.id, u.email as name
    from membership m
    join app_user u on u.id = m.user_id
    where m.account_id = ${accountId} and u.id = any (${ids})`;
  const things = tables.map(
    ([table, name]) => sql`select id, ${name} from ${table} where account_id = ${accountId} and id = any (${ids})`,
  );
  const found = await tx.rows<{ id: number; name: string }>(join([people, ...things], ' union all '));
  return new Map(found.map(({ id, name }) => [formatId(id), name]));
}

/** By the entries of their deletions. */
async function formerNames(
  tx: Queries,
  accountId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await tx.rows<{ subject: string; name: string }>(sql`
    select subject, coalesce(detail ->> 'name', '') as name
    from audit_entry
    where account_id = ${accountId}
      and lower(method) = any (${deletions.map((method) => method.toLowerCase())}::text[])
      and subject = any (${[...ids]}::text[])
    order by id`);
  return new Map(found.map(({ subject, name }) => [subject, name]));
}
