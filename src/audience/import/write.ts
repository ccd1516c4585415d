// Writes a compared batch: contacts, subscriptions, consent log, previous values, events and confirmations; each with one
// statement for the whole batch, in the transaction that also records the progress.

import { message, packMessage } from '../../base/messages.ts';
import { join, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { emitSet } from '../../events/emit.ts';
import type { EventSource } from '../../events/types.ts';
import { enqueueSet } from '../../jobs/queue.ts';
import { lockSharing, passOnImported } from '../model/account-values.ts';
import { contactData } from '../model/contact-data.ts';
import { maxTags } from '../model/contact-tag.ts';
import type { Target } from './compare.ts';
import type { Counts } from './plan.ts';

export type Writing = Target & { importId: number; source: EventSource };

/** A member changed between the comparison and the write; the batch is retried. */
class BatchOvertaken extends Error {
  readonly code = '40001';
}

/** Writes the contacts and members. @throws BatchOvertaken, and what a lost race throws */
export async function writeMembers(tx: Tx, writing: Writing, counts: Partial<Counts>): Promise<void> {
  await lockSharing(tx, writing);
  if (counts.added) await add(tx, writing);
  if (counts.updated) await change(tx, writing, counts.updated);
  if (!counts.added && !counts.updated) return;
  await logConsent(tx, writing);
  const { accountId, listId, importId, source, tags } = writing;
  const detail = { import: formatId(importId) };
  await passOnImported(tx, { accountId, listId, importId, source, columns: tags, detail });
}

/** Writes the events, the confirmation jobs, and why rows were rejected. */
export async function writeConsequences(tx: Tx, writing: Writing, counts: Partial<Counts>): Promise<void> {
  const { accountId, listId, importId } = writing;
  if (counts.added || counts.updated) await emitChanges(tx, writing);
  if ((counts.added || counts.updated) && writing.rules.doubleOptin)
    await enqueueSet(
      tx,
      'askToConfirm',
      { account_id: sql`${accountId}::int`, list_id: sql`${listId}::int`, contact_id: sql`contact_id` },
      sql`
        from import_compared
      where outcome in ('added', 'updated')
        and next_status = 'pending'
        and was_status is distinct from 'pending'`,
    );
  if (!counts.suppressed && !counts.left && !counts.invalid && !counts.values_left_out) return;
  await tx.run(sql`
    insert into import_problem (account_id, import_id, line, heading, value, reason)
    select ${accountId}, ${importId}, line, '', email,
      case outcome
        when 'suppressed' then ${packMessage(message('import.suppressed'))}
        when 'left' then ${packMessage(message('import.left'))}
        when 'invalid' then (
          select replace(${packMessage(message('import.required', { tags: '{tags}' }))}, '{tags}', string_agg(tag, ', '))
          from unnest(${writing.required}::text[]) as tag
          where coalesce(next_fields ->> tag, '') = ''
        )
        else ${packMessage(message('import.left_out', { problem: message('import.too_many_tags', { count: maxTags }) }))}
      end
    from import_compared
    where outcome in ('suppressed', 'left', 'invalid')
      or (too_many_tags and outcome in ('added', 'updated', 'unchanged'))
    order by line`);
}

async function add(tx: Tx, { accountId, listId, importId }: Writing): Promise<void> {
  await lockParents(tx, accountId, listId);
  await tx.run(sql`
    insert into contact (account_id, id, email, email_key, domain, language, time_zone, tags)
    select ${accountId}, contact_id, email, email_key, domain, language, time_zone, coalesce(tags, '{}')
    from import_compared
    where outcome = 'added'
      and is_new`);
  await tx.run(sql`
    insert into subscription (account_id, list_id, contact_id, status, email_type, fields, source, optin_ip, optin_at,
      confirm_ip, confirm_at, signup_at, unsubscribe_at, unsubscribe_reason, import_id)
    select ${accountId}, ${listId}, contact_id, next_status, email_type, next_fields, 'import', coalesce(nullif(optin_ip, ''), confirm_ip, ''),
      case when next_status in ('subscribed', 'pending') then coalesce(optin_at, confirm_at, now()) else optin_at end,
      case when next_status = 'pending' then '' when next_status = 'subscribed' then coalesce(confirm_ip, optin_ip)
        else coalesce(confirm_ip, '') end,
      case when next_status = 'pending' then null when next_status = 'subscribed' then coalesce(confirm_at, optin_at, now())
        else confirm_at end,
      coalesce(signup_at, now()),
      case when next_status = 'unsubscribed' then coalesce(unsubscribe_at, now()) end,
      case when next_status = 'unsubscribed' then coalesce(unsubscribe_reason, '') else '' end, ${importId}
    from import_compared
    where outcome = 'added'
    order by contact_id`);
  await updateContacts(tx, accountId, 'added');
}

/** Does what the trigger subscription_needs_parents would do, without looking up the contacts created here. */
async function lockParents(tx: Tx, accountId: number, listId: number): Promise<void> {
  const list = await tx.run(sql`
    select from list where account_id = ${accountId} and id = ${listId} for key share`);
  const gone = await tx.row<{ count: number }>(sql`
    with held as (
      select j.contact_id, c.id
      from ${comparedRows(accountId, sql`outcome = 'added' and not is_new`)} j
      join contact c on c.account_id = j.account_id and c.id = j.contact_id
      for key share of c
    )
    select (select count(*) from import_compared where outcome = 'added' and not is_new) - count(*) as count
    from held`);
  if (list === 0 || gone!.count !== 0) throw new BatchOvertaken('the list or a contact was removed');
  await tx.run(sql`set local postrider.parents_held = 'yes'`);
}

async function change(tx: Tx, { accountId, listId, importId, tags }: Writing, count: number): Promise<void> {
  await savePreviousValues(tx, { accountId, listId, importId, tags });
  const sameStatus = await changeFields(tx, accountId, listId);
  const otherStatus = sameStatus < count ? await changeStatus(tx, accountId, listId) : 0;
  if (sameStatus + otherStatus !== count) throw new BatchOvertaken('members were changed while they were compared');
  await updateContacts(tx, accountId, 'updated');
}

/** Changes members whose status stays. Returns how many. */
async function changeFields(tx: Tx, accountId: number, listId: number): Promise<number> {
  // Nothing that member_tally counts: comparing all rows before and after would take a tenth of the batch.
  await tx.run(sql`set local postrider.counts_stay = 'yes'`);
  const changed = await tx.run(sql`
    update subscription b
    set fields = j.next_fields, email_type = j.email_type, changed_at = now()
    from ${comparedRows(accountId, sql`outcome = 'updated' and next_status = was_status`)} j
    where b.account_id = j.account_id
      and b.list_id + 0 = ${listId}
      and b.contact_id = j.contact_id
      and b.changed_at = j.was_changed_at
      and b.status = j.was_status`);
  await tx.run(sql`set local postrider.counts_stay = 'no'`);
  return changed;
}

/** Changes members whose status changes. Returns how many. */
async function changeStatus(tx: Tx, accountId: number, listId: number): Promise<number> {
  return tx.run(sql`
    update subscription b
    set fields = j.next_fields, email_type = j.email_type, changed_at = now(), status = j.next_status, status_at = now(),
      signup_at = case when j.next_status in ('subscribed', 'pending') and b.status not in ('subscribed', 'pending')
        then now() else b.signup_at end,
      optin_ip = case when j.next_status in ('subscribed', 'pending') then j.optin_ip else b.optin_ip end,
      optin_at = case when j.next_status in ('subscribed', 'pending') then coalesce(j.optin_at, j.confirm_at, now())
        else b.optin_at end,
      confirm_ip = case when j.next_status = 'subscribed' then coalesce(j.confirm_ip, j.optin_ip) when j.next_status = 'pending' then ''
        else b.confirm_ip end,
      confirm_at = case when j.next_status = 'subscribed' then coalesce(j.confirm_at, j.optin_at, now())
        when j.next_status = 'pending' then null else b.confirm_at end,
      unsubscribe_at = case when j.next_status = 'unsubscribed' then coalesce(b.unsubscribe_at, j.unsubscribe_at, now())
        when j.next_status in ('subscribed', 'pending') then null else b.unsubscribe_at end,
      unsubscribe_ip = case when j.next_status in ('subscribed', 'pending') then '' else b.unsubscribe_ip end,
      unsubscribe_reason = case when j.next_status in ('subscribed', 'pending') then ''
        when j.next_status = 'unsubscribed' and b.unsubscribe_reason = '' then coalesce(j.unsubscribe_reason, '')
        else b.unsubscribe_reason end,
      unsubscribe_campaign_id = case when j.next_status in ('subscribed', 'pending') then null
        else b.unsubscribe_campaign_id end
    from ${comparedRows(accountId, sql`outcome = 'updated' and next_status <> was_status`)} j
    where b.account_id = j.account_id
      and b.list_id + 0 = ${listId}
      and b.contact_id = j.contact_id
      and b.changed_at = j.was_changed_at
      and b.status = j.was_status`);
}

/** Saves the previous values for an undo, and logs which data changes, as logChange does (model/consent-log.ts). */
async function savePreviousValues(
  tx: Tx,
  { accountId, listId, importId, tags }: Pick<Writing, 'accountId' | 'listId' | 'importId' | 'tags'>,
) {
  const changed = [
    ...tags.map((tag) => changedSql(tag, sql`b.fields ->> ${tag}`, sql`j.next_fields ->> ${tag}`)),
    changedSql('EMAIL_TYPE', sql`b.email_type`, sql`j.email_type`),
    changedSql('LANGUAGE', sql`c.language`, sql`j.language`),
    changedSql('TIMEZONE', sql`c.time_zone`, sql`j.time_zone`),
    sql`case when not coalesce(j.tags <@ c.tags, true) then 'TAGS' end`,
  ];
  await tx.run(sql`
    with met as materialized (
      select j.contact_id, j.line, array_remove(array[${join(changed, ', ')}], null) as tags,
        case
          when j.next_status = b.status then jsonb_build_object('fields', b.fields, 'email_type', b.email_type)
          else to_jsonb(b)
        end as member, c.language as was_language, c.time_zone as was_zone,
        case when not coalesce(j.tags <@ c.tags, true) then c.tags end as was_tags
      from ${comparedRows(accountId, sql`outcome = 'updated'`)} j
      join subscription b on b.account_id = j.account_id and b.list_id + 0 = ${listId} and b.contact_id = j.contact_id
      join contact c on c.account_id = j.account_id and c.id = j.contact_id
    ), before as (
      insert into import_change (account_id, import_id, contact_id, before, at)
      select ${accountId}, ${importId}, contact_id,
        jsonb_build_object('subscription', member, 'language', was_language, 'time_zone', was_zone)
          || case when was_tags is null then '{}' else jsonb_build_object('tags', was_tags) end, now()
      from met
    )
    insert into consent (account_id, contact_id, list_id, kind, source, detail)
    select ${accountId}, contact_id, ${listId}, 'update', 'import',
      (${`{"import": "${formatId(importId)}", "line": `} || line || ', "fields": ' || to_json(tags) || '}')::jsonb
    from met
    where tags <> '{}'
    order by contact_id`);
}

/** The tag if the value differs, null if not; no value is the same as an empty one. */
const changedSql = (tag: string, was: Sql, next: Sql) =>
  sql`case when coalesce(${was}, '') <> coalesce(${next}, '') then ${tag}::text end`;

/** Language, time zone and tags, which belong to the contact and not to the list. */
async function updateContacts(tx: Tx, accountId: number, outcome: 'added' | 'updated'): Promise<void> {
  await tx.run(sql`
    update contact c
    set language = j.language, time_zone = j.time_zone, changed_at = now(),
      -- Added to those of this moment: another call may have changed them since the comparison.
      tags = case
        when j.tags is null then c.tags
        else array(select distinct tag from unnest(c.tags || j.tags) as tag order by tag)
      end
    from ${comparedRows(accountId, sql`outcome = ${outcome} and person_changes`)} j
    where c.account_id = j.account_id
      and c.id = j.contact_id`);
}

/** Logs who was subscribed, unsubscribed or resubscribed by this import, and on what grounds. */
async function logConsent(tx: Tx, { accountId, listId, importId, rules }: Writing): Promise<void> {
  await tx.run(sql`
    insert into consent (account_id, contact_id, list_id, kind, source, ip, detail)
    select ${accountId}, contact_id, ${listId},
      case next_status
        when 'subscribed' then 'subscribe'
        when 'pending' then 'signup'
        when 'unsubscribed' then 'unsubscribe'
        else 'import'
      end,
      'import', optin_ip,
      case
        when was_status in ('unsubscribed', 'bounced', 'inactive') and next_status in ('subscribed', 'pending')
          then jsonb_build_object('import', ${formatId(importId)}::text, 'line', line, 'was', was_status,
            'grounds', ${rules.resubscribe}::text)
        -- As text: half the time of jsonb_build_object.
        else (${`{"import": "${formatId(importId)}", "line": `} || line || '}')::jsonb
      end
    from import_compared
    where outcome in ('added', 'updated')
      and was_status is distinct from next_status
    order by contact_id`);
}

async function emitChanges(tx: Tx, { accountId, listId, source }: Writing): Promise<void> {
  await emitSet(
    tx,
    accountId,
    ['contact.subscribe', 'contact.unsubscribe', 'contact.update'],
    sql`
      select
        case
          when j.was_status is distinct from b.status and b.status = 'subscribed' then 'contact.subscribe'
          when j.was_status <> b.status and b.status = 'unsubscribed' then 'contact.unsubscribe'
          else 'contact.update'
        end as type,
        ${source}::text as source, ${listId}::int as list_id, ${contactData(source)} as data
      from ${comparedRows(accountId, sql`outcome = 'updated' or (outcome = 'added' and next_status = 'subscribed')`)} j
      join subscription b on b.account_id = j.account_id and b.list_id + 0 = ${listId} and b.contact_id = j.contact_id
      join contact c on c.account_id = j.account_id and c.id = j.contact_id`,
  );
}

/**
 * Rows of the batch, to join with stored ones. The account is one of their columns, and `offset 0` hides that from the
 * planner, so it can only start with the batch and look up each row. In tables that have grown since their statistics it
 * would otherwise compare all rows of the account with each row of the batch.
 */
const comparedRows = (accountId: number, which: Sql) => sql`(
      select *, ${accountId}::int as account_id
      from import_compared
      where ${which}
      offset 0
    )`;
