// The values of fields of the account: a write to one subscription is passed on to the other subscriptions of the contact, in the
// transaction of the write. docs/flows.md ("Fields of the account") has the rule. Which tags are shared is read after the
// write, so that a join that was committed meanwhile is not missed.
import type { Context } from '../../base/context.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { jsonb } from '../../db/jsonb.ts';
import { emitSet } from '../../events/emit.ts';
import type { EventSource } from '../../events/types.ts';
import { needOwnContact } from './contact.ts';
import { contactData } from './contact-data.ts';

type OnList = { contactId: number; listId: number };

/** The tags of a list that are fields of the account. */
export async function sharedTags(tx: Queries, accountId: number, listId: number): Promise<string[]> {
  const rows = await tx.rows<{ tag: string }>(sql`
    select a.tag
    from account_field a
    join field f on f.account_id = a.account_id and f.list_id = ${listId} and f.tag = a.tag
    where a.account_id = ${accountId}
    order by a.tag`);
  return rows.map(({ tag }) => tag);
}

/**
 * SQL: the values of the list's shared fields that a contact has on its other lists; without those that no other list has, or
 * that differ because they are still being joined.
 */
export const valuesElsewhere = (accountId: number, listId: number, contactId: Sql): Sql => sql`
  coalesce((
    select jsonb_object_agg(v.tag, v.value)
    from (
      select a.tag, (
          array_agg(coalesce(o.fields ->> a.tag, '')
            order by o.status = 'subscribed' desc, coalesce(o.fields ->> a.tag, '') = '', o.changed_at desc, o.list_id)
        )[1] as value
      from subscription o
      join field f on f.account_id = o.account_id and f.list_id = o.list_id
      join account_field a on a.account_id = f.account_id and a.tag = f.tag
      join field own on own.account_id = f.account_id and own.list_id = ${listId} and own.tag = f.tag
      where o.account_id = ${accountId}
        and o.contact_id = ${contactId}
        and o.list_id <> ${listId}
        and o.status <> 'pending'
      group by a.tag, a.state
      having a.state = 'joined' or count(distinct nullif(o.fields ->> a.tag, '')) < 2
    ) v
  ), '{}'::jsonb)`;

/** The present values of a contact for a list that it joins: those of the lists that the caller has. */
export async function presentValues(
  { tx, account }: Context,
  listId: number,
  emailKey: string,
): Promise<Record<string, string>> {
  const row = await tx.row<{ values: Record<string, string> }>(sql`
    select ${valuesElsewhere(account.id, listId, sql`c.id`)} as values
    from contact c
    where c.account_id = ${account.id}
      and c.email_key = ${emailKey}`);
  return row?.values ?? {};
}

/** After a change of a subscription. @param changed the tags that got another value */
export async function passOnChange(
  context: Context,
  of: OnList,
  changed: readonly string[],
  source: EventSource,
): Promise<void> {
  if (changed.length === 0) return;
  const { tx, account } = context;
  const tags = (await sharedTags(tx, account.id, of.listId)).filter((tag) => changed.includes(tag));
  if (tags.length === 0) return;
  await needOwnContact(context, of.contactId, tags[0]!);
  await lockContacts(tx, account.id, sql`select ${of.contactId}::int`);
  await passOn(
    tx,
    { accountId: account.id, listId: of.listId, source, detail: { request: context.requestId } },
    sql`select s.contact_id, (${valuesIn(sql`s.fields`, tags)}) as given ${ownRow(account.id, of)}`,
  );
}

/**
 * After a contact has become subscribed: its values go through, and it gets those that it has on other lists.
 * @param typed the tags that were given; undefined for all that the subscription has
 */
export async function passOnJoining(
  context: Context,
  of: OnList,
  source: EventSource,
  typed?: readonly string[],
): Promise<void> {
  const { tx, account } = context;
  const tags = await sharedTags(tx, account.id, of.listId);
  if (tags.length === 0) return;
  await lockContacts(tx, account.id, sql`select ${of.contactId}::int`);
  const given = typed ? tags.filter((tag) => typed.includes(tag)) : tags;
  await passOn(
    tx,
    { accountId: account.id, listId: of.listId, source, detail: { request: context.requestId } },
    sql`select s.contact_id, (${valuesIn(sql`s.fields`, given, 'filled')}) as given ${ownRow(account.id, of)}`,
  );
  await tx.run(sql`
    update subscription s
    set fields = s.fields || e.missing
    from (
      select jsonb_object_agg(k.key, k.value) as missing
      from jsonb_each(${valuesElsewhere(account.id, of.listId, sql`${of.contactId}::int`)}) k
      join subscription o
        on o.account_id = ${account.id} and o.list_id = ${of.listId} and o.contact_id = ${of.contactId}
      where coalesce(o.fields ->> k.key, '') = ''
        and k.value <> '""'
    ) e
    where s.account_id = ${account.id}
      and s.list_id = ${of.listId}
      and s.contact_id = ${of.contactId}
      and e.missing is not null`);
}

type Batch = { accountId: number; listId: number; source: EventSource; detail: Record<string, unknown> };

/** Before the batch writes: as members/subscription.ts locks one contact. */
export async function lockSharing(tx: Tx, { accountId, listId }: { accountId: number; listId: number }): Promise<void> {
  if ((await sharedTags(tx, accountId, listId)).length === 0) return;
  await lockContacts(
    tx,
    accountId,
    sql`select contact_id from import_compared where outcome in ('added', 'updated') and not is_new`,
  );
}

/**
 * After a batch of an import, whose rows are in import_compared.
 * @param columns the tags for which the file has a column
 */
export async function passOnImported(tx: Tx, batch: Batch & { importId: number; columns: readonly string[] }) {
  const { accountId, listId, importId, columns } = batch;
  const tags = await sharedTags(tx, accountId, listId);
  if (tags.length === 0) return;
  const rows = sql`
    select *, ${accountId}::int as account_id
    from import_compared
    where outcome in ('added', 'updated')
      and next_status <> 'pending'
    offset 0`;
  await lockContacts(tx, accountId, sql`select contact_id from (${rows}) j where not is_new`);
  const inFile = tags.filter((tag) => columns.includes(tag));
  const given = sql`
    select j.contact_id,
      case when j.was_status is null or j.was_status = 'pending'
        then (${valuesIn(sql`j.next_fields`, tags, 'filled')})
        else (${valuesIn(sql`j.next_fields`, inFile)})
      end as given
    from (${rows}) j
    where not j.is_new`;
  // Of new members there is no earlier value to save but those of the other lists, which an undo writes back.
  await tx.run(sql`
    insert into import_change (account_id, import_id, contact_id, before, at)
    select ${accountId}, ${importId}, j.contact_id, jsonb_build_object('elsewhere', e.known), now()
    from (${rows}) j
    cross join lateral (select ${valuesElsewhere(accountId, listId, sql`j.contact_id`)} as known) e
    where j.outcome = 'added'
      and not j.is_new
      and exists (
        select
        from jsonb_each_text(e.known) v
        where coalesce(j.next_fields ->> v.key, '') <> v.value
      )`);
  await passOn(tx, batch, given);
}

/** After a batch of an undo. @param contacts selects contact_id of subscriptions that have their earlier values again */
export async function passOnRestored(tx: Tx, batch: Batch, contacts: Sql): Promise<void> {
  const { accountId, listId } = batch;
  const tags = await sharedTags(tx, accountId, listId);
  if (tags.length === 0) return;
  await lockContacts(tx, accountId, contacts);
  await passOn(
    tx,
    batch,
    sql`
      select s.contact_id, (${valuesIn(sql`s.fields`, tags)}) as given
      from (select contact_id, ${accountId}::int as account_id from (${contacts}) r offset 0) j
      join subscription s
        on s.account_id = j.account_id and s.list_id + 0 = ${listId} and s.contact_id = j.contact_id and s.status <> 'pending'`,
  );
}

/** The next call that writes a value waits, and then sees the one of this transaction. */
async function lockContacts(tx: Tx, accountId: number, contacts: Sql): Promise<void> {
  await tx.run(sql`
    select
    from contact
    where account_id = ${accountId}
      and id in (${contacts})
    order by id
    for no key update`);
}

const ownRow = (accountId: number, { contactId, listId }: OnList): Sql => sql`
  from subscription s
  where s.account_id = ${accountId}
    and s.list_id = ${listId}
    and s.contact_id = ${contactId}`;

/** SQL: the values of these tags as an object; null if there is none. */
const valuesIn = (fields: Sql, tags: readonly string[], which: 'all' | 'filled' = 'all'): Sql => sql`
  select jsonb_object_agg(tag, coalesce(${fields} ->> tag, ''))
  from unnest(${[...tags]}::text[]) as tag
  where ${which === 'all'} or coalesce(${fields} ->> tag, '') <> ''`;

/**
 * Writes values to all other subscriptions of their contacts that have the field, except pending ones; with the entries of
 * the consent log and the events.
 * @param given selects contact_id and given, an object of values by tag or null
 */
async function passOn(tx: Tx, { accountId, listId, source, detail }: Batch, given: Sql): Promise<void> {
  await changeOthers(tx, {
    accountId,
    source,
    detail: { ...detail, through: formatId(listId) },
    changes: sql`
      select s.contact_id, s.list_id, jsonb_object_agg(v.key, v.value) as next, array_agg(v.key order by v.key) as tags
      from (select g.*, ${accountId}::int as account_id from (${given}) g where g.given is not null offset 0) g
      join subscription s
        on s.account_id = g.account_id and s.contact_id = g.contact_id and s.list_id <> ${listId} and s.status <> 'pending'
      cross join lateral jsonb_each_text(g.given) v
      where coalesce(s.fields ->> v.key, '') <> v.value
        and exists (
          select from field f where f.account_id = s.account_id and f.list_id = s.list_id and f.tag = v.key
        )
      group by s.contact_id, s.list_id`,
  });
}

/**
 * Carries out changes of values, with their consequences. Returns the subscriptions.
 * @param changes selects contact_id, list_id, next (values by tag) and tags (those that change)
 */
export async function changeOthers(
  tx: Tx,
  change: { accountId: number; source: EventSource; detail: Record<string, unknown>; changes: Sql },
): Promise<{ contacts: number[]; lists: number[] }> {
  const { accountId, source, detail, changes } = change;
  const row = await tx.row<{ contacts: number[]; lists: number[] }>(sql`
    with change as materialized (${changes}),
    done as (
      update subscription s
      set fields = s.fields || h.next, changed_at = now()
      from (select *, ${accountId}::int as account_id from change offset 0) h
      where s.account_id = h.account_id
        and s.contact_id = h.contact_id
        and s.list_id = h.list_id
    ), logged as (
      insert into consent (account_id, contact_id, list_id, kind, source, detail)
      select ${accountId}, contact_id, list_id, 'update', ${source}, ${jsonb(detail)}::jsonb || jsonb_build_object('fields', tags)
      from change
      order by contact_id, list_id
    )
    select coalesce(array_agg(contact_id), '{}') as contacts, coalesce(array_agg(list_id), '{}') as lists
    from change`);
  const { contacts, lists } = row!;
  if (contacts.length > 0)
    await emitSet(
      tx,
      accountId,
      ['contact.update'],
      sql`
        select 'contact.update' as type, ${source}::text as source, b.list_id, ${contactData(source)} as data
        from (
          select contact_id, list_id, ${accountId}::int as account_id
          from unnest(${contacts}::int[], ${lists}::int[]) as j(contact_id, list_id)
          offset 0
        ) j
        join subscription b on b.account_id = j.account_id and b.contact_id = j.contact_id and b.list_id = j.list_id
        join contact c on c.account_id = j.account_id and c.id = j.contact_id`,
    );
  return { contacts, lists };
}
