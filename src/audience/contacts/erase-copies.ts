// Removes what the logs and files of an account hold of an erased contact: events and attempts of webhooks, files and
// problems of imports, caught messages, failed jobs, the audit log. None of them has an index by person, so they are searched
// from end to end, a portion in each transaction: no lock is held for long, however much an account has stored. An address is
// matched as a whole: erasing a@b.example leaves aa@b.example alone. What had read the contact before it was erased may write of it
// afterwards, such as a launch or a worker that waits for a reply: the search is repeated when all that was in progress has ended,
// and while files are being imported.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { deleteFailedJobsOf } from '../../jobs/failed-jobs.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { eraseLateRows } from './erase.ts';
import { eraseFiles } from './erase-files.ts';

/** Until what is in progress is looked at again: twice as long each time. */
const pauseMs = { first: 2_000, longest: 10 * 60_000 };
/** Until files in use are looked at again. Imports take minutes; a file is deleted a week after its upload at the latest. */
const againMs = 60 * 60_000;
/** Rows a statement searches; the largest are messages and bodies of some hundred kilobytes. */
const portion = 200;

type Erased = Payload<'eraseCopies'>;
type Search = { db: Database; signal: AbortSignal; erased: Erased };

/** Safe to run twice, and after an interruption: what is removed already is not found again. */
export async function eraseCopies({ app, signal }: TaskContext, erased: Erased): Promise<void> {
  const repeat = (ms: number, open: string[], pause = pauseMs.first) =>
    enqueue(app.db, 'eraseCopies', { ...erased, open, pause }, { runAt: new Date(Date.now() + ms) });
  // The erasure is committed: what may still write of the contact is in progress now.
  const isRepeated = erased.open !== undefined;
  const open = await untilEnded(app.db, erased, erased.open ?? (await openWork(app.db, erased)));
  const { pause = pauseMs.first } = erased;
  const later = () => repeat(pause, open, Math.min(pause * 2, pauseMs.longest));
  if (isRepeated && open.length > 0) return later();
  const inUse = await removeCopies({ db: app.db, signal, erased });
  if (open.length > 0) return later();
  // An import in progress may also record problems that name the contact.
  if (inUse) await repeat(againMs, []);
}

/** @returns whether files that may name the contact are in use */
async function removeCopies(search: Search): Promise<boolean> {
  const { db, signal, erased } = search;
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
  const account = erased.account_id;
  await eraseLateRows(db, erased);
  await eraseReasons(search);
  const webhooks = ids(await db.rows(sql`select id from webhook where account_id = ${account}`));
  // Before the attempts: an attempt is recorded with the events it carries.
  for (const webhook of webhooks) await eraseEvents(search, webhook);
  for (const webhook of webhooks) await eraseAttempts(search, webhook);
  for (const fileImport of ids(await db.rows(sql`select id from import where account_id = ${account}`)))
    await eraseProblems(search, fileImport);
  for (const migration of ids(await db.rows(sql`select id from source_migration where account_id = ${account}`)))
    await eraseMigrationProblems(search, migration);
  const inUse = await eraseFiles(db, account, erased.addresses, signal);
  await eraseInbox(search);
  await deleteFailedJobsOf(db, account, (payload) => names(erased, payload));
  await eraseAuditLog(search);
  return inUse;
}

/**
 * What may have read the contact before it was erased, or holds its address for now: transactions of this database; leases of
 * the account, under which messages are in flight; requests of its webhooks; jobs; notices that are not taken yet.
 */
async function openWork(db: Database, erased: Erased): Promise<string[]> {
  const account = erased.account_id;
  const rows = await db.rows<{ name: string }>(sql`
    select 'transaction ' || pid || ' ' || extract(epoch from xact_start)::text as name
    from pg_stat_activity
    where datname = current_database()
      and xact_start is not null
      and backend_type = 'client backend'
      and pid <> pg_backend_pid()
    union all
    select 'lease ' || campaign_id || ' ' || no || ' ' || lease
    from chunk
    where account_id = ${account}
      and state = 'leased'
    union all
    select 'webhook ' || webhook_id || ' ' || lease || ' ' || coalesce(attempt_at::text, '')
    from webhook_delivery
    where account_id = ${account}
      and lease is not null
      and lease_until > now()
    union all
    -- Its number alone: a job that fails and is tried again is the same.
    select 'job ' || j.id
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier <> 'eraseCopies'
      and j.attempts < j.max_attempts
      and (
        (j.locked_at is not null and j.payload ->> 'account_id' is not distinct from ${String(account)})
        or (t.identifier in ('sendAccountNotice', 'sendTestMails') and ${names(erased, sql`lower(j.payload::text)`)})
      )
    union all
    select 'notice ' || id
    from incoming_notice
    where account_id = ${account}
      and ${names(erased, sql`lower(notice::text)`)}`);
  return rows.map(({ name }) => name);
}

/** Waits a moment. @returns those of the work that have not ended */
async function untilEnded(db: Database, erased: Erased, work: readonly string[]): Promise<string[]> {
  for (let looks = 20, left = [...work]; ; looks--) {
    if (left.length === 0 || looks === 0) return left;
    await sleep(50);
    const open = new Set(await openWork(db, erased));
    left = left.filter((one) => open.has(one));
  }
}

/** Replies of relays, which pause a campaign and may name the recipient. */
async function eraseReasons({ db, erased }: Search): Promise<void> {
  const without = (column: Sql) =>
    sql`regexp_replace(${column}, ${wholeAddress(erased.addresses)}, ${`\\1${erased.placeholder}`}, 'gi')`;
  await db.run(sql`
    update refused_reply
    set reply = ${without(sql`reply`)}
    where account_id = ${erased.account_id}
      and ${names(erased, sql`lower(reply)`)}`);
  await db.run(sql`
    update campaign
    set status_reason = ${without(sql`status_reason`)}
    where account_id = ${erased.account_id}
      and status_reason <> ''
      and ${names(erased, sql`lower(status_reason)`)}`);
}

/** Queued events keep their place but lose their data. */
function eraseEvents(search: Search, webhookId: number): Promise<void> {
  const { account_id, addresses } = search.erased;
  const contacts = numbersOf(search.erased).map(formatId);
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
        payload ->> 'contact' = any (${contacts}::text[])
        or lower(payload ->> 'email') = any (${addresses}::text[])
      )`,
  );
}

/** Attempts that named the contact lose their bodies. */
function eraseAttempts(search: Search, webhookId: number): Promise<void> {
  const contacts = numbersOf(search.erased).map(formatId);
  const { account_id } = search.erased;
  const rows = sql`account_id = ${account_id} and webhook_id = ${webhookId}`;
  return inPortions(
    search,
    sql`webhook_attempt`,
    rows,
    (within) => sql`
    update webhook_attempt
    set body = '{}', answer = ''
    where ${within}
      and (body ~ any (${contacts}::text[]) or ${names(search.erased, sql`lower(body || answer)`)})`,
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

const numbersOf = ({ contact_id, numbers }: Erased): number[] => numbers ?? [contact_id];

/** SQL: whether a text in lower case contains one of the addresses as a whole. */
const names = ({ addresses }: Erased, text: Sql): Sql => sql`${text} ~ ${wholeAddress(addresses)}`;

/**
 * A regular expression of PostgreSQL for one of the addresses that is no part of a longer one. Before it may be an escaped character
 * of JSON, quoted-printable or a URL; what is no letter or digit may be encoded so within it.
 */
function wholeAddress(addresses: readonly string[]): string {
  const exact = addresses.map((address) => [...address].map(formsOf).join('')).join('|');
  return `(^|\\\\[bfnrt]|[=%][0-9a-f]{2}|[^a-z0-9._+-])(?:${exact})(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** A character as it is, in a URL or quoted-printable, in JSON, and in the escaped form of bytes: a backslash and digits. */
function formsOf(character: string): string {
  if (/[a-z0-9]/.test(character)) return character;
  const bytes = [...Buffer.from(character)];
  const hex = (lead: string) => bytes.map((byte) => `${lead}${byte.toString(16).padStart(2, '0')}`).join('');
  const forms = [character.replace(/[^\p{L}\p{N}@]/gu, '\\$&'), hex('%'), hex('=')];
  if (bytes.length > 1) {
    forms.push(bytes.map((byte) => `\\\\${byte.toString(8)}`).join(''));
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    forms.push(units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join(''));
  }
  return `(?:${forms.join('|')})`;
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
