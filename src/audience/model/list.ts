// Lists: finding one, creating one with its first fields, and the records that methods return.

import { labelsOf, type OrderFilters, passes, type StoredLabel, shownLabels } from '../../accounts/labels/label.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { sendersOf } from '../../senders/senders/sender.ts';
import { membersWithStatus } from './tally.ts';

/** The stored settings of a list's sign-up form; a missing one has its default (signup/form.ts). */
export type StoredForm = Partial<{
  enabled: boolean;
  fields: string[];
  hidden_fields: string[];
  redirect_url: string;
  origins: string[];
  ask_consent: boolean;
  send_welcome: boolean;
  send_goodbye: boolean;
  remind_after_days: number;
  /** Lists besides its own. One that was deleted is skipped. */
  further_lists: number[];
  list_choice: 'choose' | 'all';
  check_domain: boolean;
  picture_url: string;
  picture_alt: string;
}>;

/** The labels of lists. */
export const listLabels = { table: sql`list_label`, object: sql`list_id` };

export type List = {
  id: number;
  name: string;
  emailTypeOption: boolean;
};

/** What a look-up needs of the context. */
type AccountQueries = { tx: Queries; account: { id: number } };

/** The list of a public id. @throws Fault LIST_UNKNOWN, also for a list of another account */
export async function needList({ tx, account }: AccountQueries, named: string, member = 'id'): Promise<List> {
  const list = await tx.row<List>(sql`
    select id, name, email_type_option as "emailTypeOption"
    from list
    where account_id = ${account.id}
      and id = ${parseId(named)}`);
  if (!list) throw fault('LIST_UNKNOWN', 'list.unknown', { member, id: named.slice(0, 40) });
  return list;
}

/** Creates a list with the fields every list starts with: EMAIL, FNAME, LNAME. Returns its id. @param form settings of its sign-up form */
export async function createList(context: Context, name: string, form: StoredForm = {}): Promise<number> {
  const { tx, account } = context;
  const { sender_name: settingName, sender_email: settingEmail } = account.settings;
  const [sender] = await sendersOf(tx, account.id);
  const senderName =
    (typeof settingName === 'string' && settingName) || sender?.name || account.company || account.name;
  const senderEmail = typeof settingEmail === 'string' ? settingEmail : (sender?.email ?? account.email);
  const row = await tx.row<{ id: number }>(sql`
    insert into list (account_id, name, default_from_name, default_from_email, default_language, sender_id, form)
    values (${account.id}, ${name}, ${senderName}, ${senderEmail}, ${account.language}, ${sender?.id ?? null},
      ${JSON.stringify(form)})
    returning id`);
  await tx.run(sql`
    insert into field (account_id, list_id, tag, merge_no, name, field_type, required, position)
    values
      (${account.id}, ${row!.id}, 'EMAIL', 0, 'Email Address', 'email', true, 1),
      (${account.id}, ${row!.id}, 'FNAME', 1, 'First Name', 'text', false, 2),
      (${account.id}, ${row!.id}, 'LNAME', 2, 'Last Name', 'text', false, 3)`);
  // A field of the account is the same on every list.
  await tx.run(sql`
    update field f
    set name = o.name, field_type = o.field_type, choices = o.choices
    from account_field a
    join field o on o.account_id = a.account_id and o.tag = a.tag
    where a.account_id = ${account.id}
      and o.list_id <> ${row!.id}
      and f.account_id = ${account.id}
      and f.list_id = ${row!.id}
      and f.tag = a.tag`);
  return row!.id;
}

/** The lists of the account, oldest first. */
export async function listRecords({ tx, account }: Context, page: Page & OrderFilters) {
  const rows = await tx.rows<ListRow>(sql`
    select list.id, list.web_id, list.name, list.created_at, list.email_type_option, list.default_from_name,
      list.default_from_email, list.sender_id, list.default_subject, list.default_language, list.is_hidden as hidden,
      ${labelsOf(listLabels, sql`list.account_id`, sql`list.id`)} as labels,
      ${membersWithStatus(sql`list.account_id`, sql`list.id`, 'subscribed')} as member_count,
      ${membersWithStatus(sql`list.account_id`, sql`list.id`, 'unsubscribed')} as unsubscribe_count
    from list
    where list.account_id = ${account.id}
      and ${passes(listLabels, page, { accountId: sql`list.account_id`, objectId: sql`list.id`, isHidden: sql`list.is_hidden` })}
    order by list.created_at, list.id
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    date_created: formatDate(row.created_at),
    sender: row.sender_id === null ? '' : formatId(row.sender_id),
    labels: shownLabels(row.labels),
    created_at: undefined,
    sender_id: undefined,
  }));
}

/** One list with all its settings; lists() returns only some of them. */
export async function listGet(context: Context, { id }: { id: string }) {
  const list = await needList(context, id);
  const row = await context.tx.row<ListInfoRow>(sql`
    select created_at, default_from_name, default_from_email, sender_id, default_subject, default_language, company,
      postal_address, website, time_zone, notify_to, subscription_notify, unsubscription_notify, permission_reminder,
      is_public as public, public_title, public_description, public_group, is_hidden as hidden,
      ${labelsOf(listLabels, sql`list.account_id`, sql`list.id`)} as labels,
      ${membersWithStatus(sql`list.account_id`, sql`list.id`, 'subscribed')} as member_count
    from list
    where account_id = ${context.account.id}
      and id = ${list.id}`);
  const { created_at, postal_address, time_zone, sender_id, ...rest } = row!;
  return {
    ...rest,
    id: formatId(list.id),
    title: list.name,
    email_type_option: list.emailTypeOption,
    date_created: formatDate(created_at),
    address: postal_address,
    timezone: time_zone,
    sender: sender_id === null ? '' : formatId(sender_id),
    labels: shownLabels(rest.labels),
  };
}

type ListRow = {
  id: number;
  web_id: number;
  name: string;
  created_at: Date;
  member_count: number;
  unsubscribe_count: number;
  email_type_option: boolean;
  default_from_name: string;
  default_from_email: string;
  sender_id: number | null;
  default_subject: string;
  default_language: string;
  hidden: boolean;
  labels: StoredLabel[];
};

type ListInfoRow = {
  created_at: Date;
  member_count: number;
  default_from_name: string;
  default_from_email: string;
  sender_id: number | null;
  default_subject: string;
  default_language: string;
  company: string;
  postal_address: string;
  website: string;
  time_zone: string;
  notify_to: string;
  subscription_notify: boolean;
  unsubscription_notify: boolean;
  permission_reminder: string;
  public: boolean;
  public_title: string;
  public_description: string;
  public_group: string;
  hidden: boolean;
  labels: StoredLabel[];
};
