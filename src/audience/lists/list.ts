// Lists: finding one, creating one with its first fields, reading the record that methods answer with.

import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { membersInState } from '../members/tally.ts';

export type List = {
  id: number;
  name: string;
  emailTypeOption: boolean;
};

/** The list of a public id. @throws Fault LIST_UNKNOWN, also for a list of another account */
export async function needList(context: Context, named: string, member = 'id'): Promise<List> {
  const list = await context.tx.row<List>(sql`
    select id, name, email_type_option as "emailTypeOption"
    from list
    where account_id = ${context.account.id}
      and id = ${parseId(named)}`);
  if (!list) throw new Fault('LIST_UNKNOWN', `${member}: there is no list "${named.slice(0, 40)}"`);
  return list;
}

/** Creates a list with the fields every list begins with: EMAIL, FNAME, LNAME. Returns its id. */
export async function createList(context: Context, name: string): Promise<number> {
  const { tx, account } = context;
  const { sender_name: named, sender_email: address } = account.settings;
  const senderName = (typeof named === 'string' && named) || account.company || account.name;
  const senderEmail = typeof address === 'string' ? address : account.email;
  const row = await tx.row<{ id: number }>(sql`
    insert into list (account_id, name, default_from_name, default_from_email, default_language)
    values (${account.id}, ${name}, ${senderName}, ${senderEmail}, ${account.language})
    returning id`);
  await tx.run(sql`
    insert into field (account_id, list_id, tag, merge_no, name, field_type, required, position)
    values
      (${account.id}, ${row!.id}, 'EMAIL', 0, 'Email Address', 'email', true, 1),
      (${account.id}, ${row!.id}, 'FNAME', 1, 'First Name', 'text', false, 2),
      (${account.id}, ${row!.id}, 'LNAME', 2, 'Last Name', 'text', false, 3)`);
  return row!.id;
}

/** The options of a list: member name → column, and the longest value. */
export const listOptions = {
  title: ['name', 200],
  name: ['name', 200],
  default_from_name: ['default_from_name', 200],
  default_from_email: ['default_from_email', 320],
  default_subject: ['default_subject', 1_000],
  default_language: ['default_language', 20],
  email_type_option: ['email_type_option', 5],
  company: ['company', 300],
  address: ['postal_address', 1_000],
  website: ['website', 1_000],
  timezone: ['time_zone', 60],
} as const satisfies Record<string, readonly [column: string, most: number]>;

export type ListOption = keyof typeof listOptions;

/** The columns by option; written out, so that no text from outside ever becomes part of a statement. */
export function assignment(option: ListOption, value: string | boolean): Sql {
  switch (listOptions[option][0]) {
    case 'name':
      return sql`name = ${value}`;
    case 'default_from_name':
      return sql`default_from_name = ${value}`;
    case 'default_from_email':
      return sql`default_from_email = ${value}`;
    case 'default_subject':
      return sql`default_subject = ${value}`;
    case 'default_language':
      return sql`default_language = ${value}`;
    case 'email_type_option':
      return sql`email_type_option = ${value}`;
    case 'company':
      return sql`company = ${value}`;
    case 'postal_address':
      return sql`postal_address = ${value}`;
    case 'website':
      return sql`website = ${value}`;
    case 'time_zone':
      return sql`time_zone = ${value}`;
  }
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
  default_subject: string;
  default_language: string;
};

/** The records of lists, oldest first. @param where a condition on `list`, e.g. sql`list.id = ${id}` */
export async function listRecords(context: Context, where: Sql, page: { start: number; limit: number }) {
  const rows = await context.tx.rows<ListRow>(sql`
    select list.id, list.web_id, list.name, list.created_at, list.email_type_option, list.default_from_name,
      list.default_from_email, list.default_subject, list.default_language,
      ${membersInState(sql`list.account_id`, sql`list.id`, 'subscribed')} as member_count,
      ${membersInState(sql`list.account_id`, sql`list.id`, 'unsubscribed')} as unsubscribe_count
    from list
    where list.account_id = ${context.account.id}
      and ${where}
    order by list.created_at, list.id
    limit ${page.limit}
    offset ${page.start * page.limit}`);
  return rows.map((row) => ({
    ...row,
    id: formatId(row.id),
    date_created: formatDate(row.created_at),
    created_at: undefined,
  }));
}
