// Erases a contact: its address and values are removed from every table of the account. The numbers of reports and the
// bare consent log stay, under a hash that only the account's salt can compute. The transaction finds every row by a key
// and is short, since workers wait for the contact's deliveries; logs and files are left to copies.ts. The tables of other
// slices are erased by their parts (base/erasure.ts).
import type { Context } from '../../base/context.ts';
import { type Erased, type ErasurePart, erasedDomain } from '../../base/erasure.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload } from '../../jobs/tasks.ts';
import { forgetSalts, lockChain } from '../consent/chain.ts';
import type { Contact } from '../model/contact.ts';
import { hashOf } from '../model/suppression.ts';

type Parts = readonly ErasurePart[];

/** @param keepSuppressed whether the address gets no mail in future either, known only by its hash */
export async function eraseContact(
  context: Context,
  contact: Contact,
  keepSuppressed: boolean,
  parts: Parts,
): Promise<void> {
  const { tx, account } = context;
  const numbers = await numbersOf(context, contact);
  const addresses = await addressesOf(context, contact, numbers, parts);
  const key = sql`${contact.key}::text`;
  const { hash, placeholder } = (await tx.row<{ hash: string; placeholder: string }>(
    sql`select ${hashOf(account.id, key)} as hash, ${placeholderOf(account.id, key)} as placeholder`,
  ))!;
  const erased: Erased = { account: account.id, numbers, addresses, placeholder };
  await eraseConsentLog(tx, erased, hash);
  await eraseImportChanges(tx, erased);
  await keepGrowth(context, contact);
  for (const { rows } of parts) await rows?.(tx, erased);
  await eraseSuppression(tx, erased, keepSuppressed);
  // Cascades to its subscriptions and their values.
  await tx.run(sql`delete from contact where account_id = ${account.id} and id = ${contact.id}`);
  await eraseFormer(tx, erased);
  const now = (await tx.row<{ at: string }>(sql`select clock_timestamp()::text as at`))!;
  await enqueue(tx, 'eraseCopies', {
    account_id: account.id,
    contact_id: contact.id,
    numbers,
    addresses,
    placeholder,
    erased_at: now.at,
    suppressed: keepSuppressed,
  });
}

/**
 * Erases what a transaction wrote that had read the contact before it was erased, such as the launch of a campaign. Messages to the
 * address and suppressions of it that were made since then stay: its person has come back, or the account has decided it.
 */
export async function eraseLateRows(
  db: Database,
  erased: Erased,
  { erased_at: erasedAt, suppressed }: Payload<'eraseCopies'>,
  parts: Parts,
): Promise<void> {
  const { account, addresses } = erased;
  await db.transaction(async (tx) => {
    const { hash } = (await tx.row<{ hash: string }>(
      sql`select ${hashOf(account, sql`${addresses[0]}::text`)} as hash`,
    ))!;
    await eraseConsentLog(tx, erased, hash);
    await eraseImportChanges(tx, erased);
    for (const { rows } of parts) await rows?.(tx, erased, { erasedAt });
    if (erasedAt !== undefined) await eraseSuppression(tx, erased, suppressed === true, erasedAt);
  });
}

/** The address under which the rows of an erased contact stay. @param key the address the contact had, in normal form */
export function placeholderOf(accountId: number, key: Sql): Sql {
  return sql`left(${hashOf(accountId, key)}, 32) || ${`@${erasedDomain}`}::text`;
}

async function numbersOf({ tx, account }: Context, contact: Contact): Promise<number[]> {
  const former = await tx.rows<{ id: number }>(sql`
    select id from former_contact where account_id = ${account.id} and email_key = ${contact.key}`);
  return [contact.id, ...former.map(({ id }) => id)];
}

/** The address and those the contact had before, in lower case. */
async function addressesOf(
  { tx, account }: Context,
  contact: Contact,
  numbers: readonly number[],
  parts: Parts,
): Promise<string[]> {
  const rows = await tx.rows<{ old: string }>(sql`
    select detail ->> 'old' as old
    from consent
    where account_id = ${account.id}
      and contact_id = any (${[...numbers]}::int[])
      and detail ? 'old'`);
  const all = [contact.key, contact.email, ...rows.map((row) => row.old)];
  for (const { addresses } of parts) all.push(...((await addresses?.(tx, account.id, numbers)) ?? []));
  return [...new Set(all.map((address) => address.toLowerCase()))];
}

async function eraseConsentLog(tx: Tx, { account, numbers }: Erased, hash: string): Promise<void> {
  // The chain must not be reading these records now.
  await lockChain(tx);
  await tx.run(sql`
    update consent
    set ip = '',
      -- The report of a campaign counts who unsubscribed by it.
      detail = jsonb_strip_nulls(jsonb_build_object('hash', ${hash}::text, 'campaign', detail -> 'campaign'))
    where account_id = ${account}
      and contact_id = any (${numbers}::int[])`);
  for (const number of numbers) await forgetSalts(tx, account, number);
}

/** What undoing an import would restore. */
async function eraseImportChanges(tx: Tx, { account, numbers }: Erased): Promise<void> {
  await tx.run(sql`
    delete from import_change h
    using import i
    where i.account_id = ${account}
      and h.account_id = i.account_id
      and h.import_id = i.id
      and h.contact_id = any (${numbers}::int[])`);
}

/** The numbers stay, with the hash: an old message leads to it, and so to the address if that is added again. */
async function eraseFormer(tx: Tx, { account, numbers, addresses }: Erased): Promise<void> {
  await tx.run(sql`
    update former_contact
    set email_key = null, hash = ${hashOf(account, sql`email_key`)}, untracked = false, paused_until = null
    where account_id = ${account}
      and email_key is not null
      and (id = any (${numbers}::int[]) or email_key = any (${addresses}::text[]))`);
}

/** @param until of those that were made by then */
async function eraseSuppression(tx: Tx, { account, addresses }: Erased, keep: boolean, until?: string): Promise<void> {
  const found = await tx.run(sql`
    delete from suppression
    where account_id = ${account}
      and kind = 'address'
      and value = any (${addresses}::text[])
      and ${madeBy(until)}`);
  if (!keep || (until !== undefined && found === 0)) return;
  await tx.run(sql`
    insert into suppression (account_id, kind, value, reason)
    select ${account}::int, 'hash', ${hashOf(account, sql`address`)}, 'erased'
    from unnest(${addresses}::text[]) as a(address)
    on conflict (account_id, kind, value) do nothing`);
}

const madeBy = (until: string | undefined): Sql =>
  until === undefined ? sql`true` : sql`created_at <= ${until}::timestamptz`;

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
