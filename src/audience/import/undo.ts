// Undoes an import, in batches that each record their progress: restores what it changed and removes what it added, unless
// it has changed since. The consent log only grows; fields the import created stay.
import type { App } from '../../base/context.ts';
import { isLostRace, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { emitSet } from '../../events/emit.ts';
import { passOnRestored } from '../model/account-values.ts';
import { contactData } from '../model/contact-data.ts';
import { lookAgain } from '../segments/watched.ts';
import { type ImportRecord, importRecords, type UndoCounts } from './record.ts';
import type { RunEnd } from './run.ts';

const batchRows = 2_000;
const maxAttempts = 6;

/** Undoes an import in state undoing. */
export async function undoImport(
  app: Pick<App, 'db'>,
  accountId: number,
  importId: number,
  signal: AbortSignal,
): Promise<RunEnd> {
  for (let attempts = 1; ; ) {
    if (signal.aborted) return 'interrupted';
    try {
      const more = await app.db.transaction((tx) => undoBatch(tx, accountId, importId));
      if (!more) return 'finished';
      attempts = 1;
    } catch (error) {
      if (attempts++ === maxAttempts || !isLostRace(error)) throw error;
    }
  }
}

/** True when there is more to do. */
async function undoBatch(tx: Tx, accountId: number, importId: number): Promise<boolean> {
  const held = await tx.row(sql`
    select
    from import
    where account_id = ${accountId}
      and id = ${importId}
      and state = 'undoing'
    for no key update`);
  if (!held) return false;
  const [record] = await importRecords(tx, accountId, sql`i.id = ${importId}`);
  await tx.client.query(
    'set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off; set local client_min_messages = warning; create temporary table if not exists import_undone_rows (contact_id int) on commit delete rows',
  );
  const { last, counts } = record!.undoPhase === 'changed' ? await putBack(tx, record!) : await remove(tx, record!);
  const before = record!.undoCounts;
  const sums: UndoCounts = {
    removed: (before.removed ?? 0) + counts.removed,
    put_back: (before.put_back ?? 0) + counts.put_back,
    kept: (before.kept ?? 0) + counts.kept,
  };
  const ended = last === null && record!.undoPhase === 'added';
  if (ended) await lookAgain(tx, accountId);
  await tx.run(sql`
    update import
    set undo_counts = ${JSON.stringify(sums)}, seen_at = now(), undo_after = ${last ?? -1},
      undo_phase = ${last === null ? 'added' : record!.undoPhase}, state = ${ended ? 'undone' : 'undoing'}
    where account_id = ${accountId}
      and id = ${importId}`);
  return !ended;
}

type Step = { last: number | null; counts: UndoCounts };

async function putBack(tx: Tx, { accountId, id, listId, source, undoAfter }: ImportRecord): Promise<Step> {
  const found = await tx.row<{ count: number; last: number | null }>(sql`
    with batch as materialized (
      select contact_id, before ? 'subscription' as is_member
      from import_change
      where account_id = ${accountId}
        and import_id = ${id}
        and contact_id > ${undoAfter}
      order by contact_id
      limit ${batchRows}
    )
    select count(*) filter (where is_member) as count, max(contact_id) as last
    from batch`);
  if (!found || found.last === null) return { last: null, counts: { removed: 0, put_back: 0, kept: 0 } };
  await tx.run(sql`
    update contact c
    set language = h.before ->> 'language', time_zone = h.before ->> 'time_zone', changed_at = now(),
      tags = case
        when h.before ? 'tags' then array(select jsonb_array_elements_text(h.before -> 'tags'))
        else c.tags
      end
    from import_change h
    where h.account_id = ${accountId}
      and h.import_id = ${id}
      and h.contact_id > ${undoAfter}
      and h.contact_id <= ${found.last}
      and h.before ? 'subscription'
      and c.account_id = ${accountId}
      and c.id = h.contact_id
      and c.changed_at = h.at`);
  const count = await tx.run(sql`
    with restored as (
      update subscription b
      set status = r.status, email_type = r.email_type, fields = r.fields, source = r.source, signup_ip = r.signup_ip,
        signup_at = r.signup_at, optin_ip = r.optin_ip, optin_at = r.optin_at, confirm_ip = r.confirm_ip,
        confirm_at = r.confirm_at, unsubscribe_ip = r.unsubscribe_ip, unsubscribe_at = r.unsubscribe_at,
        unsubscribe_campaign_id = r.unsubscribe_campaign_id, unsubscribe_reason = r.unsubscribe_reason,
        status_at = r.status_at, changed_at = now()
      from import_change h
      join subscription o
        on o.account_id = ${accountId} and o.list_id + 0 = ${listId} and o.contact_id = h.contact_id
      -- Columns that were not saved were not changed.
      cross join lateral jsonb_populate_record(o, h.before -> 'subscription') r
      where h.account_id = ${accountId}
        and h.import_id = ${id}
        and h.contact_id > ${undoAfter}
        and h.contact_id <= ${found.last}
        and h.before ? 'subscription'
        and b.account_id = ${accountId}
        and b.list_id + 0 = ${listId}
        and b.contact_id = h.contact_id
        and b.changed_at = h.at
        -- Restored above, or as it was before the import; otherwise it has changed since.
        and exists (
          select
          from contact c
          where c.account_id = b.account_id and c.id = b.contact_id and (c.changed_at <= h.at or c.changed_at = now())
        )
      returning b.contact_id
    )
    insert into import_undone_rows
    select contact_id
    from restored`);
  await tx.run(sql`
    insert into consent (account_id, contact_id, list_id, kind, source, detail)
    select ${accountId}, contact_id, ${listId}, 'import_undone', 'import', jsonb_build_object('import', ${formatId(id)}::text)
    from import_undone_rows`);
  await emitSet(
    tx,
    accountId,
    ['contact.update'],
    sql`
      select 'contact.update' as type, ${source}::text as source, ${listId}::int as list_id, ${contactData(source)} as data
      from ${undoneRows(accountId)} j
      join subscription b on b.account_id = j.account_id and b.list_id + 0 = ${listId} and b.contact_id = j.contact_id
      join contact c on c.account_id = j.account_id and c.id = j.contact_id`,
  );
  const batch = { accountId, listId, source, detail: { import: formatId(id) } };
  await passOnRestored(tx, batch, sql`select contact_id from import_undone_rows`);
  const elsewhere = await tx.rows<{ contact: number }>(sql`
    update subscription b
    set fields = b.fields || (h.before -> 'elsewhere')
    from import_change h
    join contact c on c.account_id = ${accountId} and c.id = h.contact_id and c.changed_at <= h.at
    where h.account_id = ${accountId}
      and h.import_id = ${id}
      and h.contact_id > ${undoAfter}
      and h.contact_id <= ${found.last}
      and h.before ? 'elsewhere'
      and b.account_id = ${accountId}
      and b.list_id + 0 = ${listId}
      and b.contact_id = h.contact_id
      and b.changed_at = h.at
    returning b.contact_id as contact`);
  const contacts = elsewhere.map(({ contact }) => contact);
  if (contacts.length > 0) await passOnRestored(tx, batch, sql`select unnest(${contacts}::int[]) as contact_id`);
  return { last: found.last, counts: { removed: 0, put_back: count, kept: found.count - count } };
}

async function remove(tx: Tx, { accountId, id, listId, source, undoAfter }: ImportRecord): Promise<Step> {
  const found = await tx.row<{ count: number; unchanged: number; last: number | null }>(sql`
    with taken as materialized (
      select contact_id, signup_at, changed_at = signup_at and status_at = signup_at as unchanged
      from subscription
      where account_id = ${accountId}
        and list_id = ${listId}
        and contact_id > ${undoAfter}
        and import_id = ${id}
      order by contact_id
      limit ${batchRows}
      for update
    ), batch as materialized (
      -- A pause, tracking, tags, language and address are the contact's: they would be lost with it.
      select t.contact_id, t.unchanged and c.changed_at <= t.signup_at as unchanged
      from (select *, ${accountId}::int as account_id from taken offset 0) t
      join contact c on c.account_id = t.account_id and c.id = t.contact_id
      order by t.contact_id
      for no key update of c
    ), kept as (
      insert into import_undone_rows
      select contact_id
      from batch
      where unchanged
    )
    select count(*) as count, count(*) filter (where unchanged) as unchanged, max(contact_id) as last
    from batch`);
  if (!found || found.last === null) return { last: null, counts: { removed: 0, put_back: 0, kept: 0 } };
  await emitSet(
    tx,
    accountId,
    ['contact.delete'],
    sql`
      select 'contact.delete' as type, ${source}::text as source, ${listId}::int as list_id, ${contactData(source)} as data
      from ${undoneRows(accountId)} j
      join subscription b on b.account_id = j.account_id and b.list_id + 0 = ${listId} and b.contact_id = j.contact_id
      join contact c on c.account_id = j.account_id and c.id = j.contact_id`,
  );
  await tx.run(sql`
    insert into consent (account_id, contact_id, list_id, kind, source, detail)
    select ${accountId}, contact_id, ${listId}, 'delete', 'import', jsonb_build_object('import', ${formatId(id)}::text)
    from import_undone_rows`);
  await tx.run(sql`
    delete from subscription b
    using ${undoneRows(accountId)} j
    where b.account_id = j.account_id
      and b.list_id + 0 = ${listId}
      and b.contact_id = j.contact_id`);
  await tx.run(sql`
    delete from contact c
    using ${undoneRows(accountId)} j
    where c.account_id = j.account_id
      and c.id = j.contact_id
      and not exists (select from subscription s where s.account_id = c.account_id and s.contact_id = c.id)
      -- It may have been a contact before, without any list. Looked up only in accounts with events.
      and not (
        (select exists (select from event_name where account_id = ${accountId}))
        and exists (select from contact_event e where e.account_id = c.account_id and e.contact_id = c.id)
      )`);
  return { last: found.last, counts: { removed: found.unchanged, put_back: 0, kept: found.count - found.unchanged } };
}

/** The rows of the batch, in a form that a query plan must start with, as in write.ts. */
const undoneRows = (accountId: number) =>
  sql`(select contact_id, ${accountId}::int as account_id from import_undone_rows offset 0)`;
