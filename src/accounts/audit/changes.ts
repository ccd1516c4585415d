// What a call changes of an account, campaign, list, segment, template, automation and the like: the values before and after it, for the
// audit log. Reads one row by its key before the method and one after it. Columns are named here one by one, none of them a secret:
// of a URL, which may hold one, only the host is kept. Of a long value, its beginning and its length; of HTML, only the length.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { cut } from '../../db/jsonb.ts';
import { formatDate } from '../../method/date.ts';

export type Change = { name: string; before: string; after: string; before_length: number; after_length: number };

/** Characters of a value that are kept. */
const maxKept = 200;

type Key = { account: number; id: number };

const accountRow = ({ account }: Key) => sql`
  select name, company, postal_address, phone, website, email, language, time_zone, settings as "*"
  from account
  where id = ${account}`;

const listRow = ({ account, id }: Key) => sql`
  select name, default_from_name, default_from_email, default_subject, default_language, email_type_option, company, postal_address,
    website, time_zone, in_archive, notify_to, subscription_notify, unsubscription_notify, permission_reminder, is_public,
    public_title, public_description, public_group, form as "*"
  from list
  where account_id = ${account}
    and id = ${id}`;

const campaignRow = ({ account, id }: Key) => sql`
  select c.title, c.subject, c.from_name, c.reply_to as from_email, c.sender, c.to_name, c.language, c.preview_text,
    c.generate_text, c.track_opens, c.track_html_clicks, c.track_text_clicks, c.analytics, c.auto_footer, c.authenticate,
    c.inline_img, c.inline_css, c.time_match, c.best_hour, c.schedule_at as schedule_time, c.in_archive, c.auto,
    c.source_format, ${begun(sql`c.plain`)} as plain, ${begun(sql`c.source`)} as source, ${measured(sql`c.html`)} as html, (
      select string_agg(l.name, ', ' order by cl.position, l.name)
      from campaign_list cl
      join list l on l.account_id = cl.account_id and l.id = cl.list_id
      where cl.account_id = c.account_id and cl.campaign_id = c.id
    ) as lists, (
      select string_agg(s.title, ', ' order by s.title)
      from campaign_segment cs
      join segment s on s.account_id = cs.account_id and s.id = cs.segment_id
      where cs.account_id = c.account_id and cs.campaign_id = c.id
    ) as segments
  from campaign c
  where c.account_id = ${account}
    and c.id = ${id}`;

const segmentRow = ({ account, id }: Key) => sql`
  select title, match, filter, auto_update
  from segment
  where account_id = ${account}
    and id = ${id}`;

const templateRow = ({ account, id }: Key) => sql`
  select name, alias, subject, layout, ${measured(sql`source`)} as source
  from template
  where account_id = ${account}
    and id = ${id}`;

const automationRow = ({ account, id }: Key) => sql`
  select title, trigger_type as trigger, ${measured(sql`definition::text`)} as steps
  from automation
  where account_id = ${account}
    and id = ${id}`;

const recurringRow = ({ account, id }: Key) => sql`
  select title, schedule, time_zone, ${hostOf(sql`source_url`)} as source_url, max_items, approve
  from recurring
  where account_id = ${account}
    and id = ${id}`;

const webhookRow = ({ account, id }: Key) => sql`
  select title, ${hostOf(sql`url`)} as url, events, sources, format, algorithm, signature_header, status
  from webhook
  where account_id = ${account}
    and id = ${id}`;

const senderRow = ({ account, id }: Key) => sql`
  select name, email
  from sender
  where account_id = ${account}
    and id = ${id}`;

const labelRow = ({ account, id }: Key) => sql`
  select name, colour
  from label
  where account_id = ${account}
    and id = ${id}`;

type Watched = { row: (key: Key) => Sql /** The parameter with the id. */; member?: string };

const list = { row: listRow, member: 'id' };
const campaign = { row: campaignRow, member: 'cid' };

/** The methods whose changes are recorded. */
export const watched: Readonly<Record<string, Watched>> = {
  accountUpdate: { row: accountRow },
  brandUpdate: { row: accountRow },
  campaignApprovalRuleUpdate: { row: accountRow },
  listUpdate: list,
  listFormUpdate: list,
  campaignUpdate: campaign,
  campaignSchedule: campaign,
  campaignUnschedule: campaign,
  listSegmentUpdate: { row: segmentRow, member: 'id' },
  templateUpdate: { row: templateRow, member: 'template_id' },
  automationUpdate: { row: automationRow, member: 'id' },
  recurringUpdate: { row: recurringRow, member: 'id' },
  webhookUpdate: { row: webhookRow, member: 'wid' },
  senderUpdate: { row: senderRow, member: 'id' },
  labelUpdate: { row: labelRow, member: 'id' },
};

/** A value as it is kept, with what it is compared by. */
type Kept = { text: string; length: number; hash: string };
/** The values of an object by name. */
export type Snapshot = ReadonlyMap<string, Kept>;

/** The values that a call may change; undefined where nothing is recorded, or nothing is there. */
export async function snapshotFor(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  method: string,
  params: unknown,
): Promise<Snapshot | undefined> {
  const watch = Object.hasOwn(watched, method) ? watched[method] : undefined;
  if (!watch) return undefined;
  const { row, member } = watch;
  const id = member === undefined ? 0 : parseId(String((params as Record<string, unknown>)[member] ?? ''));
  if (id === null) return undefined;
  const found = await tx.row<Record<string, unknown>>(row({ account: account.id, id }));
  return found && new Map(Object.entries(found).flatMap(([name, value]) => keptOf(name, value)));
}

/** @returns undefined where nothing is recorded */
export function changesBetween(before: Snapshot | undefined, after: Snapshot | undefined): Change[] | undefined {
  if (!before || !after) return undefined;
  const none: Kept = { text: '', length: 0, hash: hashOf('') };
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name) ?? none, after.get(name) ?? none];
    if (old.hash === now.hash) return [];
    return [{ name, before: old.text, after: now.text, before_length: old.length, after_length: now.length }];
  });
}

/** Members that methods name otherwise than they are stored. */
const publicNames: Record<string, string> = { colour: 'color', logoUrl: 'logo_url' };

/** The settings of an object in one column, "*", are values of their own; so are their members, as in "brand.color". */
function keptOf(name: string, value: unknown): [string, Kept][] {
  if (isObject(value) && 'hash' in value) return [[name, shortened(value as Kept)]];
  if (isObject(value))
    return Object.entries(value).flatMap(([inner, one]) =>
      keptOf(name === '*' ? inner : `${name}.${publicNames[inner] ?? inner}`, one),
    );
  const text = inWords(value);
  return [[name, shortened({ text: cut(text, maxKept), length: text.length, hash: hashOf(text) })]];
}

/** A beginning ends with a whole word: half an address would not be found when a contact is erased. */
const shortened = (kept: Kept): Kept =>
  kept.text.length === maxKept && kept.length > maxKept
    ? { ...kept, text: kept.text.replace(/\S+$/, '').trimEnd() }
    : kept;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Conditions, and whatever else is made of parts, as a line: "EMAIL contains example; FNAME is Ann". */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return formatDate(value);
  if (Array.isArray(value)) return value.map(inWords).join(value.some(isObject) ? '; ' : ', ');
  if (isObject(value)) {
    // The database has its own order.
    const { field, condition, value: compared, ...others } = value;
    return [field, condition, compared, ...Object.values(others)].map(inWords).filter(Boolean).join(' ');
  }
  return String(value);
}

const hashOf = (text: string): string => createHash('md5').update(text).digest('hex');

/** SQL: a long text, of which the beginning is kept. */
function begun(text: Sql): Sql {
  return sql`jsonb_build_object('text', left(${text}, ${maxKept}), 'length', char_length(${text}), 'hash', md5(${text}))`;
}

/** SQL: a long text, of which only the length is kept. */
function measured(text: Sql): Sql {
  return sql`jsonb_build_object('text', '', 'length', char_length(${text}), 'hash', md5(${text}))`;
}

/** SQL: a URL, of which only the host is kept. */
function hostOf(url: Sql): Sql {
  return sql`jsonb_build_object('text', coalesce(substring(${url} from '^[a-z]+://(?:[^/?#]*@)?([^/?#]*)'), ''),
    'length', char_length(${url}), 'hash', md5(${url}))`;
}
