// The members of a list as CSV, page by page along the primary key: flat memory for any list, and no transaction held
// open by a slow reader. Cells that a spreadsheet would take for a formula get an apostrophe in front; an import takes
// it away again. Members that change while the file is written appear as they are when their page is read.

import { Fault } from '../../base/faults.ts';
import { type Database, type Queries, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { fieldsOf } from '../fields/field.ts';
import { asksContact, type SegmentFilter, segmentCondition, wholeList } from '../segments/segment.ts';

export const exportStatuses = ['', 'subscribed', 'unsubscribed', 'pending', 'inactive', 'bounced'] as const;

export type ExportWish = { list: string; status: string; segment: string; bom: boolean };

type Member = {
  id: number;
  email: string;
  status: string;
  email_type: string;
  fields: Record<string, string>;
  language: string;
  time_zone: string;
  optin_ip: string;
  optin_at: Date | null;
  confirm_ip: string;
  confirm_at: Date | null;
  signup_at: Date;
  unsubscribe_at: Date | null;
  unsubscribe_reason: string;
};

const pageRows = 2_000;

export type Exported = { condition: Sql /** Whether it speaks of the contact (c). */; contact: boolean };

/**
 * @param whole whether one statement goes through all members, as opposed to many through a page each
 * @throws Fault LIST_UNKNOWN, SEGMENT_INVALID, OPTIONS_STRUCT_INVALID
 */
export async function exportCondition(
  db: Queries,
  accountId: number,
  wish: ExportWish,
  whole: boolean,
): Promise<Exported> {
  const listId = parseId(wish.list);
  const list = await db.row(sql`select from list where account_id = ${accountId} and id = ${listId}`);
  if (!list) throw new Fault('LIST_UNKNOWN', `id: there is no list "${wish.list.slice(0, 40)}"`);
  if (!(exportStatuses as readonly string[]).includes(wish.status))
    throw new Fault(
      'OPTIONS_STRUCT_INVALID',
      `status: "${wish.status.slice(0, 40)}" is none of ${exportStatuses.slice(1).join(', ')}`,
    );
  let chosen = sql`true`;
  let contact = false;
  if (wish.segment !== '') {
    const segment = await db.row<{ match: 'all' | 'any'; filter: SegmentFilter }>(sql`
      select match, filter
      from segment
      where account_id = ${accountId}
        and list_id = ${listId}
        and id = ${parseId(wish.segment)}`);
    if (!segment)
      throw new Fault('SEGMENT_INVALID', `segment: there is no segment "${wish.segment.slice(0, 40)}" of this list`);
    const each = { accountId, listId };
    const place = whole ? await wholeList(db, each, segment.filter) : each;
    chosen = segmentCondition(segment.match, segment.filter, place);
    contact = asksContact(segment.filter);
  }
  const condition = sql`
    s.account_id = ${accountId}
    and s.list_id = ${listId}
    and (${wish.status} = '' or s.status = ${wish.status})
    and ${chosen}`;
  return { condition, contact };
}

/** The file, in pieces of text. */
export async function* exportRows(db: Database, accountId: number, wish: ExportWish): AsyncGenerator<string> {
  const { condition } = await exportCondition(db, accountId, wish, false);
  const fields = await fieldsOf({ tx: db, account: { id: accountId } }, parseId(wish.list));
  const tags = fields.map((field) => field.tag).filter((tag) => tag !== 'EMAIL' && !builtIn.includes(tag));
  yield `${wish.bom ? '\ufeff' : ''}${csvLine(['EMAIL', ...tags, ...builtIn])}`;
  for (let after = -1; ; ) {
    const page: Member[] = await db.rows<Member>(sql`
      select c.id, c.email, s.status, s.email_type, s.fields, c.language, c.time_zone, s.optin_ip, s.optin_at,
        s.confirm_ip, s.confirm_at, s.signup_at, s.unsubscribe_at, s.unsubscribe_reason
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where ${condition}
        and s.contact_id > ${after}
      order by s.contact_id
      limit ${pageRows}`);
    if (page.length > 0) yield page.map((one) => memberLine(one, tags)).join('');
    if (page.length < pageRows) return;
    after = page.at(-1)!.id;
  }
}

const builtIn = [
  'STATUS',
  'EMAIL_TYPE',
  'LANGUAGE',
  'TIMEZONE',
  'OPTINIP',
  'OPTINTIME',
  'CONFIRM_IP',
  'CONFIRM_TIME',
  'SIGNUP_TIME',
  'UNSUBSCRIBE_TIME',
  'UNSUBSCRIBE_REASON',
];

function memberLine(one: Member, tags: readonly string[]): string {
  return csvLine([
    one.email,
    ...tags.map((tag) => one.fields[tag] ?? ''),
    one.status,
    one.email_type,
    one.language,
    one.time_zone,
    one.optin_ip,
    formatDate(one.optin_at),
    one.confirm_ip,
    formatDate(one.confirm_at),
    formatDate(one.signup_at),
    formatDate(one.unsubscribe_at),
    one.unsubscribe_reason,
  ]);
}

/** A line of CSV (RFC 4180) whose cells no spreadsheet computes. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
