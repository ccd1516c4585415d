// Removes what the logs and files of an account hold of an erased contact: events and attempts of webhooks, files and
// problems of imports, caught messages, failed jobs, the audit log. None of them has an index by person, so they are searched
// from end to end, a portion in each transaction: no lock is held for long, however much an account has stored. An address is
// matched as a whole: erasing a@b.example leaves aa@b.example alone. While files are being imported, the task is repeated.
import { type Database, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { deleteFailedJobsOf } from '../../jobs/failed-jobs.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { eraseFiles } from './erase-files.ts';

/** Until files in use are looked at again. Imports take minutes; a file is deleted a week after its upload at the latest. */
const againMs = 60 * 60_000;
/** Rows a statement searches; the largest are messages and bodies of some hundred kilobytes. */
const portion = 200;

type Erased = Payload<'eraseCopies'>;
type Search = { db: Database; signal: AbortSignal; erased: Erased };

/** Safe to run twice, and after an interruption: what is removed already is not found again. */
export async function eraseCopies({ app, signal }: TaskContext, erased: Erased): Promise<void> {
  const search = { db: app.db, signal, erased };
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
  const account = erased.account_id;
  const webhooks = ids(await app.db.rows(sql`select id from webhook where account_id = ${account}`));
  // Before the attempts: an attempt is recorded with the events it carries.
  for (const webhook of webhooks) await eraseEvents(search, webhook);
  for (const webhook of webhooks) await eraseAttempts(search, webhook);
  for (const fileImport of ids(await app.db.rows(sql`select id from import where account_id = ${account}`)))
    await eraseProblems(search, fileImport);
  for (const migration of ids(await app.db.rows(sql`select id from source_migration where account_id = ${account}`)))
    await eraseMigrationProblems(search, migration);
  const inUse = await eraseFiles(app.db, account, erased.addresses, signal);
  await eraseInbox(search);
  await deleteFailedJobsOf(app.db, account, (payload) => names(erased, payload));
  await eraseAuditLog(search);
  // An import in progress may also record problems that name the contact.
  if (inUse) await enqueue(app.db, 'eraseCopies', erased, { runAt: new Date(Date.now() + againMs) });
}

/** Queued events keep their place but lose their data. */
function eraseEvents(search: Search, webhookId: number): Promise<void> {
  const { account_id, contact_id, addresses } = search.erased;
  const rows = sql`account_id = ${account_id} and webhook_id = ${webhookId}`;
  return inPortions(
    search,
    sql`webhook_event`,
    rows,
    (within) => sql`
    update webhook_event
    set payload = (
      select jsonb_object_agg(key, case when key in ('id', 'contact', 'list', 'campaign', 'ts', 'source', 'bounce', 'code') then value
        when jsonb_typeof(value) = 'object' then '{}'::jsonb else '""'::jsonb end)
      from jsonb_each(payload)
    )
    where ${within}
      and (
        payload ->> 'contact' = ${formatId(contact_id)}
        or lower(payload ->> 'email') = any (${addresses}::text[])
      )`,
  );
}

/** Attempts that named the contact lose their bodies. */
function eraseAttempts(search: Search, webhookId: number): Promise<void> {
  const { account_id, contact_id } = search.erased;
  const rows = sql`account_id = ${account_id} and webhook_id = ${webhookId}`;
  return inPortions(
    search,
    sql`webhook_attempt`,
    rows,
    (within) => sql`
    update webhook_attempt
    set body = '{}', answer = ''
    where ${within}
      and (strpos(body, ${formatId(contact_id)}) > 0 or ${names(search.erased, sql`lower(body || answer)`)})`,
  );
}

function eraseProblems(search: Search, importId: number): Promise<void> {
  const rows = sql`account_id = ${search.erased.account_id} and import_id = ${importId}`;
  return inPortions(
    search,
    sql`import_problem`,
    rows,
    (within) => sql`
    delete from import_problem
    where ${within}
      and ${names(search.erased, sql`lower(value || reason)`)}`,
  );
}

function eraseMigrationProblems(search: Search, migrationId: number): Promise<void> {
  const rows = sql`account_id = ${search.erased.account_id} and migration_id = ${migrationId}`;
  return inPortions(
    search,
    sql`source_migration_problem`,
    rows,
    (within) => sql`
    delete from source_migration_problem
    where ${within}
      and ${names(search.erased, sql`lower(value)`)}`,
  );
}

/**
 * Messages to and from the contact. Those of the account also when they mention it; one without an account may be a notice to
 * another account.
 */
async function eraseInbox(search: Search): Promise<void> {
  const { account_id, addresses } = search.erased;
  const isParty = sql`lower(mail_from) = any (${addresses}::text[])
    or exists (select from unnest(rcpt_to) as r(rcpt) where lower(rcpt) = any (${addresses}::text[]))`;
  const mentions = sql`${names(search.erased, sql`lower(encode(source, 'escape'))`)}`;
  const remove = (owner: Sql, condition: Sql) =>
    inPortions(
      search,
      sql`inbox_message`,
      owner,
      (within) => sql`
      delete from inbox_message
      where ${within}
        and (${condition})`,
    );
  await remove(sql`account_id = ${account_id}`, sql`${isParty} or ${mentions}`);
  await remove(sql`account_id is null`, isParty);
}

function eraseAuditLog(search: Search): Promise<void> {
  const { account_id, addresses, placeholder } = search.erased;
  return inPortions(
    search,
    sql`audit_entry`,
    sql`account_id = ${account_id}`,
    (within) => sql`
    update audit_entry
    set subject = case when lower(subject) = any (${addresses}::text[]) then ${placeholder} else subject end,
      detail = (
        select coalesce(jsonb_object_agg(key, case when lower(value) = any (${addresses}::text[]) then ${placeholder} else value end), '{}')
        from jsonb_each_text(detail)
      )
    where ${within}
      and (
        lower(subject) = any (${addresses}::text[])
        or exists (select from jsonb_each_text(detail) where lower(value) = any (${addresses}::text[]))
      )`,
  );
}

/** SQL: whether a text in lower case contains one of the addresses as a whole. */
const names = ({ addresses }: Erased, text: Sql): Sql => sql`${text} ~ any (${addresses.map(wholeAddress)}::text[])`;

/**
 * A regular expression of PostgreSQL for an address that is no part of a longer one. Before it may be an escaped character
 * of JSON, quoted-printable or a URL. In the escaped form of bytes, other letters than ASCII are a backslash and digits.
 */
function wholeAddress(address: string): string {
  const escapedBytes = [...Buffer.from(address)]
    .map((byte) => (byte < 128 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`))
    .join('');
  const exact = [...new Set([address, escapedBytes])].map((text) => text.replace(/[^\p{L}\p{N}@]/gu, '\\$&')).join('|');
  return `(^|\\\\[bfnrt]|[=%][0-9a-f]{2}|[^a-z0-9._+-])(${exact})(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** Runs a statement over some rows of a table, in the order of their ids, a portion in each transaction. */
async function inPortions(
  { db, signal }: Search,
  table: Sql,
  rows: Sql,
  statement: (within: Sql) => Sql,
): Promise<void> {
  for (let after = 0; ; ) {
    if (signal.aborted) throw new Error('interrupted; starts again with the next worker');
    const next = await db.row<{ last: number | null }>(sql`
      select max(id) as last
      from (select id from ${table} where ${rows} and id > ${after} order by id limit ${portion}) as portion`);
    if (typeof next?.last !== 'number') return;
    await db.run(statement(sql`${rows} and id > ${after} and id <= ${next.last}`));
    after = next.last;
  }
}
