// Removes what the logs and files of an account hold of an erased contact: events and attempts of webhooks, files and
// problems of imports, caught messages, the audit log. None of them has an index by person, so they are searched from end
// to end, a portion in each transaction: no lock is held for long, however much an account has stored.
import { type Database, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';

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
  await deleteFiles(search);
  for (const owner of [sql`account_id = ${account}`, sql`account_id is null`]) await eraseInbox(search, owner);
  await eraseAuditLog(search);
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

/** Files of finished imports are deleted whole: they are no longer needed, and a compressed one cannot be searched. */
async function deleteFiles({ db, erased }: Search): Promise<void> {
  const uploads = await db.rows<{ id: number }>(sql`
    select id
    from upload u
    where account_id = ${erased.account_id}
      and not exists (
        select from import i
        where i.account_id = u.account_id
          and i.upload_id = u.id
          and i.state not in ('done', 'undone', 'failed')
      )`);
  for (const { id } of uploads)
    await db.run(sql`delete from upload_piece where account_id = ${erased.account_id} and upload_id = ${id}`);
}

function eraseInbox(search: Search, owner: Sql): Promise<void> {
  return inPortions(
    search,
    sql`inbox_message`,
    owner,
    (within) => sql`
    delete from inbox_message
    where ${within}
      and exists (
        select from unnest(${search.erased.addresses}::text[]) as a(address)
        where lower(mail_from) = address
          or exists (select from unnest(rcpt_to) as r(rcpt) where lower(rcpt) = address)
          or position(convert_to(address, 'UTF8') in source) > 0
      )`,
  );
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

/** SQL: whether a text in lower case contains one of the addresses. */
const names = ({ addresses }: Erased, text: Sql): Sql =>
  sql`exists (select from unnest(${addresses}::text[]) as a(address) where strpos(${text}, address) > 0)`;

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
