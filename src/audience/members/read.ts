// Reads the members of a list: by status, by field values, and one with its details.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { join, type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate, needTime } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { fieldsOf, readMergeVars } from '../model/field.ts';
import { needList } from '../model/list.ts';
import type { Status } from '../model/subscription-status.ts';
import { needAddress, readSubscription } from './subscription.ts';

/** The members with a status, oldest change first. */
export async function listMembers(
  context: Context,
  { id, status, since, ...page }: { id: string; status: Status; since: string } & Page,
) {
  const from = since.trim() === '' ? null : needTime(since, 'since');
  const list = await needList(context, id);
  const changed = sql`(${from}::timestamptz is null or s.status_at >= ${from}::timestamptz)`;
  return membersWhere(context, list.id, status, changed, page);
}

/** The members whose fields have these values, without regard to case; oldest change first. */
export async function listMembersByMerge(
  context: Context,
  { id, merge_vars, status, ...page }: { id: string; merge_vars: Record<string, unknown>; status: Status } & Page,
) {
  const list = await needList(context, id);
  // What is searched for is not ignored: the search would find others.
  const published = context.published && { ignored: new Map<string, number>() };
  const { values, email, special } = readMergeVars(await fieldsOf(context, list.id), merge_vars, published);
  const notField = Object.keys(special)[0] ?? published?.ignored.keys().next().value?.slice(0, 40);
  if (notField) throw fault('FIELD_INVALID', 'field.not_on_list', { member: `merge_vars.${notField}` });
  const conditions = Object.entries(values).map(
    ([tag, value]) => sql`lower(coalesce(s.fields ->> ${tag}, '')) = lower(${value})`,
  );
  if (email !== undefined) conditions.push(sql`c.email_key = ${needAddress(email, 'merge_vars.EMAIL').key}`);
  if (conditions.length === 0) throw fault('FIELD_INVALID', 'field.none_named', { member: 'merge_vars' });
  return membersWhere(context, list.id, status, join(conditions, ' and '), page);
}

async function membersWhere(
  { tx, account, published }: Context,
  listId: number,
  status: Status,
  condition: Sql,
  { start, limit }: Page,
): Promise<{ email: string; timestamp: string }[]> {
  // Published clients know contacts that have not confirmed as inactive, as listMemberInfo shows them.
  const statuses = published && status === 'inactive' ? ['inactive', 'pending'] : [status];
  const rows = await tx.rows<{ email: string; status_at: Date }>(sql`
    select c.email, s.status_at
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where s.account_id = ${account.id}
      and s.list_id = ${listId}
      and s.status = any (${statuses}::text[])
      and ${condition}
    order by s.status_at, s.contact_id
    limit ${limit}
    offset ${start * limit}`);
  return rows.map((row) => ({ email: row.email, timestamp: formatDate(row.status_at) }));
}

/** One member, found by address or contact id. */
export async function memberInfo(context: Context, { id, email_address }: { id: string; email_address: string }) {
  const list = await needList(context, id);
  const member = await readSubscription(context, list.id, email_address);
  const fields = await fieldsOf(context, list.id);
  return {
    id: formatId(member.contactId),
    email: member.email,
    email_type: member.emailType,
    merges: Object.fromEntries(
      fields.map((field) => [field.tag, field.tag === 'EMAIL' ? member.email : (member.fields[field.tag] ?? '')]),
    ),
    status: member.status,
    ip_opt: member.optinIp,
    ip_signup: member.signupIp,
    timestamp: formatDate(member.statusAt),
    language: member.language,
    timezone: member.timeZone,
    signup_time: formatDate(member.signupAt),
    confirm_time: formatDate(member.confirmAt),
  };
}
