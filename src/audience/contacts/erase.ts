// Erases a contact: its address and values are removed from every table of the account. The numbers of reports and the
// bare consent log stay, under a hash that only the account's salt can compute.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { hashOf } from '../suppression/suppression.ts';
import type { Contact } from './contact.ts';

/** The domain of the placeholder addresses under which rows of erased contacts stay. */
export const erasedDomain = 'erased.invalid';

/** Who is erased, in the forms the tables hold. */
type Erased = {
  contact: Contact;
  /** Its address and earlier ones, in lower case. */
  addresses: string[];
  hash: string;
  /** Replaces the address where a row must stay. */
  placeholder: string;
};

/** @param keepSuppressed whether the address gets no mail in future either, known only by its hash */
export async function eraseContact(context: Context, contact: Contact, keepSuppressed: boolean): Promise<void> {
  const { tx, account } = context;
  const addresses = await addressesOf(context, contact);
  const { hash } = (await tx.row<{ hash: string }>(
    sql`select ${hashOf(account.id, sql`${contact.key}::text`)} as hash`,
  ))!;
  const erased: Erased = { contact, addresses, hash, placeholder: `${hash.slice(0, 32)}@${erasedDomain}` };
  await eraseDeliveries(context, erased);
  await eraseConsentLog(context, erased);
  await eraseEvents(context, erased);
  await eraseImports(context, erased);
  await eraseInbox(context, erased);
  await eraseAuditLog(context, erased);
  await replaceSuppression(context, erased, keepSuppressed);
  await keepGrowth(context, contact);
  // Cascades to its subscriptions and their values.
  await tx.run(sql`delete from contact where account_id = ${account.id} and id = ${contact.id}`);
}

/** The address and those the contact had before, in lower case. */
async function addressesOf({ tx, account }: Context, contact: Contact): Promise<string[]> {
  const rows = await tx.rows<{ old: string }>(sql`
    select detail ->> 'old' as old
    from consent
    where account_id = ${account.id}
      and contact_id = ${contact.id}
      and detail ? 'old'
    union
    select email
    from delivery
    where account_id = ${account.id}
      and contact_id = ${contact.id}`);
  const all = [contact.key, contact.email, ...rows.map((row) => row.old)];
  return [...new Set(all.map((address) => address.toLowerCase()))];
}

/** However many deliveries there are, each statement is one index scan: by contact, or by campaign and seq. */
async function eraseDeliveries({ tx, account }: Context, { contact, placeholder }: Erased): Promise<void> {
  await tx.run(sql`
    update hit h
    set ip = '', user_agent = ''
    from delivery d
    where d.account_id = ${account.id}
      and d.contact_id = ${contact.id}
      and h.account_id = d.account_id
      and h.campaign_id = d.campaign_id
      and h.seq = d.seq`);
  await tx.run(sql`
    update notice n
    set email = ${placeholder}, reply = ''
    from delivery d
    where d.account_id = ${account.id}
      and d.contact_id = ${contact.id}
      and n.account_id = d.account_id
      and n.campaign_id = d.campaign_id
      and n.seq = d.seq`);
  await tx.run(sql`
    update delivery
    set email = ${placeholder}, domain = ${erasedDomain}, reply = null
    where account_id = ${account.id}
      and contact_id = ${contact.id}`);
}

async function eraseConsentLog({ tx, account }: Context, { contact, hash }: Erased): Promise<void> {
  await tx.run(sql`
    update consent
    set ip = '',
      -- The report of a campaign counts who unsubscribed by it.
      detail = jsonb_strip_nulls(jsonb_build_object('hash', ${hash}::text, 'campaign', detail -> 'campaign'))
    where account_id = ${account.id}
      and contact_id = ${contact.id}`);
}

/** Queued webhook events keep their place but lose their data; attempts that named the contact lose their bodies. */
async function eraseEvents({ tx, account }: Context, { contact, addresses }: Erased): Promise<void> {
  const id = formatId(contact.id);
  await tx.run(sql`
    update webhook_event e
    set payload = (
      select jsonb_object_agg(key, case when key in ('id', 'contact', 'list', 'campaign', 'ts', 'source', 'bounce', 'code') then value
        when jsonb_typeof(value) = 'object' then '{}'::jsonb else '""'::jsonb end)
      from jsonb_each(payload)
    )
    where account_id = ${account.id}
      and (
        payload ->> 'contact' = ${id}
        or lower(payload ->> 'email') = any (${addresses}::text[])
      )`);
  await tx.run(sql`
    update webhook_attempt
    set body = '{}', answer = ''
    where account_id = ${account.id}
      and (
        strpos(body, ${id}) > 0
        or exists (select from unnest(${addresses}::text[]) as a(address) where strpos(lower(body || answer), address) > 0)
      )`);
}

/** Files of finished imports are deleted whole: they are no longer needed, and a compressed one cannot be searched. */
async function eraseImports({ tx, account }: Context, { contact, addresses }: Erased): Promise<void> {
  await tx.run(sql`delete from import_change where account_id = ${account.id} and contact_id = ${contact.id}`);
  await tx.run(sql`
    delete from import_problem p
    where p.account_id = ${account.id}
      and exists (select from unnest(${addresses}::text[]) as a(address) where strpos(lower(p.value || p.reason), address) > 0)`);
  await tx.run(sql`
    delete from upload_piece p
    where p.account_id = ${account.id}
      and not exists (
        select from import i
        where i.account_id = p.account_id
          and i.upload_id = p.upload_id
          and i.state not in ('done', 'undone', 'failed')
      )`);
}

async function eraseInbox({ tx, account }: Context, { addresses }: Erased): Promise<void> {
  await tx.run(sql`
    delete from inbox_message
    where (account_id = ${account.id} or account_id is null)
      and exists (
        select from unnest(${addresses}::text[]) as a(address)
        where lower(mail_from) = address
          or exists (select from unnest(rcpt_to) as r(rcpt) where lower(rcpt) = address)
          or position(convert_to(address, 'UTF8') in source) > 0
      )`);
}

async function eraseAuditLog({ tx, account }: Context, { addresses, placeholder }: Erased): Promise<void> {
  await tx.run(sql`
    update audit_entry
    set subject = case when lower(subject) = any (${addresses}::text[]) then ${placeholder} else subject end,
      detail = (
        select coalesce(jsonb_object_agg(key, case when lower(value) = any (${addresses}::text[]) then ${placeholder} else value end), '{}')
        from jsonb_each_text(detail)
      )
    where account_id = ${account.id}
      and (
        lower(subject) = any (${addresses}::text[])
        or exists (select from jsonb_each_text(detail) where lower(value) = any (${addresses}::text[]))
      )`);
}

async function replaceSuppression({ tx, account }: Context, { addresses }: Erased, keep: boolean): Promise<void> {
  await tx.run(sql`
    delete from suppression
    where account_id = ${account.id}
      and kind = 'address'
      and value = any (${addresses}::text[])`);
  if (!keep) return;
  await tx.run(sql`
    insert into suppression (account_id, kind, value, reason)
    select ${account.id}::int, 'hash', ${hashOf(account.id, sql`address`)}, 'erased'
    from unnest(${addresses}::text[]) as a(address)
    on conflict (account_id, kind, value) do nothing`);
}

/**
 * Keeps the growth history of lists: adds to the monthly counts what deleting the subscriptions is about to subtract. A
 * contact that is still a member counts as unsubscribed today.
 */
async function keepGrowth({ tx, account }: Context, contact: Contact): Promise<void> {
  await tx.run(sql`
    insert into member_tally (account_id, list_id, fact, month, count)
    select s.account_id, s.list_id, f.fact, date_trunc('month', f.at at time zone 'UTC')::date, 1
    from subscription s
    cross join lateral (
      values ('joined', s.confirm_at),
        ('gone', case when s.confirm_at is null then null when s.status in ('subscribed', 'pending') then now() else s.status_at end),
        ('left', case when s.confirm_at is null then s.unsubscribe_at else coalesce(s.unsubscribe_at, now()) end)
    ) f (fact, at)
    where s.account_id = ${account.id}
      and s.contact_id = ${contact.id}
      and f.at is not null`);
}
