// Whom a delivered message concerns today. It names its recipient by the number of the contact and by the address in the
// recipient's row. Since then the contact may have been deleted, erased or added again under another number, may have
// changed its address, and the campaign may have been deleted. THE place that looks all this up, for links, pages, notices
// and bounces alike: the contact that got the message, if it still exists, and the one that has the address now.
import { addressKey } from '../../audience/address.ts';
import { placeholderOf } from '../../audience/erase/erase.ts';
import { hashOf, type Suppressible } from '../../audience/model/suppression.ts';
import { erasedDomain } from '../../base/erasure.ts';
import { prepared, type Queries, type Sql, sql } from '../../db/connect.ts';

/** To whom a message went. */
export type SentTo = {
  account: number;
  /** The number of the contact then. */
  contact: number;
  /** As the row of the recipient has it; none where only a link names the contact. */
  emails: readonly string[];
  /** The address, where a notice about an erased contact brings it. */
  stated?: string;
};

export type Concerned = {
  /** At most the one that got the message and, for each address, the one that has it now. */
  contacts: { id: number; key: string }[];
  /** The addresses that got it, as the suppression list has them: an erased one by its hash. Empty if none is known any more. */
  addresses: (Suppressible | { kind: 'hash'; value: string })[];
};

export const isErased = (email: string): boolean => email.endsWith(`@${erasedDomain}`);

/** The key of an address that is stored already. */
export const keyOf = (email: string): string => addressKey(email) ?? email.toLowerCase();

export async function concernedBy(db: Queries, { account, contact, emails, stated }: SentTo): Promise<Concerned> {
  const was = await db.row<{ present: string | null; former: string | null; hash: string | null }>(sql`
    select (select email_key from contact where account_id = ${account} and id = ${contact}) as present,
      (select email_key from former_contact where account_id = ${account} and id = ${contact}) as former,
      ${erasedHash(account, sql`${contact}::int`)} as hash`);
  const { present, former } = was!;
  const known = emails.filter((email) => !isErased(email)).map(keyOf);
  // Without the recipient's row, the contact's own address is the best answer.
  if (known.length === 0 && emails.length === 0) known.push(...[present ?? former].filter((key) => key !== null));
  // Also where a row that was written during the erasure still has the address.
  const erased = present === null ? (was!.hash ?? (await hashOfStated(db, account, emails, stated))) : null;
  const keys = [...new Set([...known, ...(stated ? [keyOf(stated)] : [])])];
  const contacts = await db.rows<{ id: number; key: string }>(sql`
    select id, email_key as key
    from contact
    where account_id = ${account}
      and (id = ${contact} or email_key = any (${keys}::text[]))
    order by id <> ${contact}, id`);
  if (erased === null) return { contacts, addresses: keys.map((value) => ({ kind: 'address' as const, value })) };
  const again = contacts.length > 0 ? contacts : await byHash(db, account, erased);
  return {
    contacts: again,
    addresses:
      again.length > 0
        ? again.map(({ key }) => ({ kind: 'address' as const, value: key }))
        : [{ kind: 'hash' as const, value: erased }],
  };
}

/** Of a recipient that was no contact, only the notice has the address. */
async function hashOfStated(db: Queries, account: number, emails: readonly string[], stated = '') {
  if (stated === '' || !emails.some(isErased)) return null;
  const row = await db.row<{ hash: string }>(sql`select ${hashOf(account, sql`${keyOf(stated)}::text`)} as hash`);
  return row!.hash;
}

/** SQL: the hash of the address that a contact had when it was erased; null for any other. */
export const erasedHash = (account: number, contact: Sql): Sql => sql`(
  select coalesce(
    (select hash from former_contact where account_id = ${account} and id = ${contact}),
    (
      select detail ->> 'hash'
      from consent
      where account_id = ${account}
        and contact_id = ${contact}
        and detail ? 'hash'
      limit 1
    )
  )
)`;

/** Reads every contact of the account: a second for a million, and only where an erased person asks. */
function byHash(db: Queries, account: number, hash: string): Promise<{ id: number; key: string }[]> {
  return db.rows(sql`
    select id, email_key as key
    from contact
    where account_id = ${account}
      and ${hashOf(account, sql`email_key`)} = ${hash}`);
}

/**
 * The addresses that got the messages of a campaign which name a contact in their links: of an autoresponder there may be
 * several. Also of a campaign that is deleted. A message of a list went to one of those that the contact has had: to all of
 * them, as far as one knows.
 */
export async function emailsOf(
  db: Queries,
  { account, campaign, contact }: { account: number; campaign: number; contact: number },
): Promise<string[]> {
  if (campaign === 0) return everyAddressOf(db, account, contact);
  const rows = await db.rows<{ email: string }>(
    prepared(sql`
    select distinct email
    from (
      select email
      from delivery
      where account_id = ${account}
        and contact_id = ${contact}
        and campaign_id = ${campaign}
      union all
      select email
      from former_recipient
      where account_id = ${account}
        and contact_id = ${contact}
        and campaign_id = ${campaign}
    ) sent`),
  );
  return rows.map(({ email }) => email);
}

/** The addresses that a contact has and had, also a deleted one. None of one that was erased. */
async function everyAddressOf(db: Queries, account: number, contact: number): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(
    prepared(sql`
    select distinct email
    from (
      select email
      from contact
      where account_id = ${account}
        and id = ${contact}
      union all
      select email_key
      from former_contact
      where account_id = ${account}
        and id = ${contact}
        and email_key is not null
      union all
      select detail ->> 'old'
      from consent
      where account_id = ${account}
        and contact_id = ${contact}
        and kind = 'address'
        and detail ? 'old'
    ) had`),
  );
  return rows.map(({ email }) => email);
}

/**
 * SQL: recipients of deleted campaigns, in a form that a condition on campaign and seq reaches into. The task that clears a
 * deleted campaign begins some seconds later and moves them by and by.
 */
export const formerRecipients = (account: number): Sql => sql`(
  select account_id, campaign_id, seq, contact_id, list_id, email, state, reply, first_at, language
  from former_recipient
  where account_id = ${account}
  union all
  select d.account_id, d.campaign_id, d.seq, d.contact_id, d.list_id, d.email, d.state, d.reply, d.first_at, d.language
  from delivery d
  where d.account_id = ${account}
    and not exists (select from campaign c where c.account_id = d.account_id and c.id = d.campaign_id)
)`;

/** Whether an address that a notice states is that of the recipient, however it is spelled; also if that was erased. */
export async function isAddressOf(db: Queries, account: number, stated: string, email: string): Promise<boolean> {
  const key = keyOf(stated);
  if (!isErased(email)) return key === keyOf(email);
  const row = await db.row<{ placeholder: string }>(
    sql`select ${placeholderOf(account, sql`${key}::text`)} as placeholder`,
  );
  return row?.placeholder === email;
}
