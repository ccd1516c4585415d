// The members of a list as CSV, page by page along the primary key: flat memory for any list, and no transaction held
// open by a slow reader. Cells that a spreadsheet would read as a formula get an apostrophe in front; an import removes
// it. Members that change while the file is written appear as they are when their page is read.
import { fault } from '../../base/faults.ts';
import { type Database, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { guardFormulas } from '../formula-guard.ts';
import { fieldsOf } from '../model/field.ts';
import { needList } from '../model/list.ts';
import { usesContact } from '../model/segment.ts';
import { segmentCondition } from '../segments/condition-sql.ts';
import { zoneOf } from '../segments/days.ts';
import { wholeList } from '../segments/scope.ts';
import { needSegmentOf } from '../segments/stored.ts';

export const exportStatuses = ['', 'subscribed', 'unsubscribed', 'pending', 'inactive', 'bounced'] as const;

export type ExportOptions = { list: string; status: string; segment: string; bom: boolean };

type Member = {
  id: number;
  email: string;
  status: string;
  email_type: string;
  fields: Record<string, string>;
  language: string;
  time_zone: string;
  tags: string[];
  optin_ip: string;
  optin_at: Date | null;
  confirm_ip: string;
  confirm_at: Date | null;
  signup_at: Date;
  unsubscribe_at: Date | null;
  unsubscribe_reason: string;
};

const pageRows = 2_000;

export type ExportCondition = {
  listId: number;
  condition: Sql;
  /** Whether the condition refers to the contact (alias c). */
  usesContact: boolean;
};

/**
 * @param db a transaction when one statement reads all members; the database when there is one for each page
 * @throws Fault LIST_UNKNOWN, SEGMENT_INVALID, OPTIONS_STRUCT_INVALID
 */
export async function exportCondition(
  db: Tx | Database,
  accountId: number,
  options: ExportOptions,
): Promise<ExportCondition> {
  const account = { tx: db, account: { id: accountId } };
  const { id: listId } = await needList(account, options.list);
  if (!(exportStatuses as readonly string[]).includes(options.status))
    throw fault('OPTIONS_STRUCT_INVALID', 'parameter.unknown_choice', {
      member: 'status',
      value: options.status.slice(0, 40),
      choices: exportStatuses.slice(1).join(', '),
    });
  let inSegment = sql`true`;
  let withContact = false;
  if (options.segment !== '') {
    const { match, filter } = await needSegmentOf(account, listId, options.segment);
    const scope = { accountId, listId, zone: await zoneOf(db, accountId) };
    inSegment = segmentCondition(match, filter, 'client' in db ? await wholeList(db, scope, filter) : scope);
    withContact = usesContact(filter);
  }
  const condition = sql`
    s.account_id = ${accountId}
    and s.list_id = ${listId}
    and (${options.status} = '' or s.status = ${options.status})
    and ${inSegment}`;
  return { listId, condition, usesContact: withContact };
}

/** The file, in pieces of text. */
export async function* exportRows(db: Database, accountId: number, options: ExportOptions): AsyncGenerator<string> {
  const { listId, condition } = await exportCondition(db, accountId, options);
  const fields = await fieldsOf({ tx: db, account: { id: accountId } }, listId);
  const tags = fields.map((field) => field.tag).filter((tag) => tag !== 'EMAIL' && !builtInColumns.includes(tag));
  yield `${options.bom ? '\ufeff' : ''}${csvLine(['EMAIL', ...tags, ...builtInColumns])}`;
  for (let after = -1; ; ) {
    const page: Member[] = await db.rows<Member>(sql`
      select c.id, c.email, s.status, s.email_type, s.fields, c.language, c.time_zone, c.tags, s.optin_ip, s.optin_at,
        s.confirm_ip, s.confirm_at, s.signup_at, s.unsubscribe_at, s.unsubscribe_reason
      from subscription s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where ${condition}
        and s.contact_id > ${after}
      order by s.contact_id
      limit ${pageRows}`);
    if (page.length > 0) yield page.map((member) => memberLine(member, tags)).join('');
    if (page.length < pageRows) return;
    after = page.at(-1)!.id;
  }
}

const builtInColumns = [
  'STATUS',
  'EMAIL_TYPE',
  'LANGUAGE',
  'TIMEZONE',
  'TAGS',
  'OPTINIP',
  'OPTINTIME',
  'CONFIRM_IP',
  'CONFIRM_TIME',
  'SIGNUP_TIME',
  'UNSUBSCRIBE_TIME',
  'UNSUBSCRIBE_REASON',
];

function memberLine(member: Member, tags: readonly string[]): string {
  return csvLine([
    member.email,
    ...tags.map((tag) => member.fields[tag] ?? ''),
    member.status,
    member.email_type,
    member.language,
    member.time_zone,
    member.tags.join(', '),
    member.optin_ip,
    formatDate(member.optin_at),
    member.confirm_ip,
    formatDate(member.confirm_at),
    formatDate(member.signup_at),
    formatDate(member.unsubscribe_at),
    member.unsubscribe_reason,
  ]);
}

/** A line of CSV (RFC 4180) whose cells no spreadsheet reads as formulas, also one that divides at semicolons or tabs. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = guardFormulas(text);
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
