// What an approval is about: everything of a campaign that is sent, to whom and how. Two campaigns with the same version send the same.
// The version of a campaign is a hash of two halves: its content, and its audience. An empty value counts as a missing one, so an
// option that is added to the program leaves the versions as they are. The name of a campaign is in no message, and not in it.
import { createHash } from 'node:crypto';
import { readerName } from '../../audience/model/reader-name.ts';
import { type Queries, type Sql, sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';

type Value = string | number | boolean | null | readonly Value[] | { readonly [member: string]: Value };
export type Members = { readonly [member: string]: Value };

/** What a campaign is: its two parts by member, without empty values. */
export type Contents = { content: Members; audience: Members };

export type Version = Contents & {
  /** Names the version: the hash of the content, a dot, and that of the audience. */
  name: string;
  /** The email of an automation, whose audience is that of the automation. */
  isOfAutomation: boolean;
};

/**
 * Reads what a campaign is now.
 * @param locks its segments, lists and fields, which are not changed before the transaction ends; the campaign is locked by the caller
 */
export const readVersion = (tx: Tx, of: CampaignKey, locks = false): Promise<Version> =>
  // The same for all callers: a segment may have conditions on a list that one of them does not see.
  onWhole(tx, (whole) => readWhole(whole, of, locks));

async function readWhole(db: Queries, of: CampaignKey, locks: boolean): Promise<Version> {
  const { auto, ...row } = (await db.row<Row>(sql`
    select c.type, c.subject, c.preview_text, c.from_name, coalesce(nullif(c.sender, ''), a.email) as sender, c.reply_to as from_email,
      c.to_name as to_email, c.html, c.plain, coalesce(nullif(c.language, ''), a.language) as language, c.auto_footer, c.inline_css,
      c.inline_img, c.authenticate, c.analytics, c.track_opens, c.track_html_clicks, c.track_text_clicks, c.time_match, c.best_hour,
      c.any_time, c.auto
    from campaign c
    join account a on a.id = c.account_id
    where c.account_id = ${of.account}
      and c.id = ${of.campaign}
    ${locks ? sql`for share of a` : sql``}`))!;
  const { type, time_match, best_hour, any_time, ...texts } = row;
  const isOfAutomation = auto?.['event'] === 'automation';
  const languages = await variantsOf(db, of, sql`language <> ''`);
  const attachments = await attachmentsOf(db, of);
  const content = full({ ...texts, is_plain: type === 'plain', languages, attachments });
  const audience = isOfAutomation ? {} : await audienceOf(db, of, JSON.stringify(content), locks);
  const timing: Members = isOfAutomation ? { any_time } : { time_match, best_hour, any_time, auto };
  const rest = full({ ...audience, ...timing });
  return { content, audience: rest, isOfAutomation, name: `${hashOf(content)}.${hashOf(rest)}` };
}

/** Whether a campaign is still what was approved. @param name of the version that was */
export const isSame = (name: string, present: Version): boolean =>
  present.isOfAutomation ? name.split('.')[0] === present.name.split('.')[0] : name === present.name;

async function audienceOf(db: Queries, of: CampaignKey, texts: string, locks: boolean): Promise<Members> {
  const lists = await listsOf(db, of, locks);
  const segments = await segmentsOf(
    db,
    sql`select segment_id from campaign_segment where account_id = ${of.account} and campaign_id = ${of.campaign}`,
    of,
    locks,
  );
  const without = await segmentsOf(
    db,
    sql`
      select target_id from campaign_exclusion
      where account_id = ${of.account} and campaign_id = ${of.campaign} and kind = 'segment'`,
    of,
    locks,
  );
  const excluded = await db.rows<{ id: number; name: string }>(sql`
    select l.id, l.name
    from campaign_exclusion x
    join list l on l.account_id = x.account_id and l.id = x.target_id
    where x.account_id = ${of.account}
      and x.campaign_id = ${of.campaign}
      and x.kind = 'list'
    order by l.id`);
  const test = await testOf(db, of);
  return {
    list_id: lists,
    segment_id: segments,
    exclude_list_id: excluded.map(({ id }) => formatId(id)),
    exclude_segment_id: without,
    // A field that only the other side of a test shows counts too.
    fields: await fieldsOf(db, of, texts + JSON.stringify(test), locks),
    ab_test: test,
  };
}

/** The lists, with the texts of them that merge tags and the footer show. */
async function listsOf(db: Queries, of: CampaignKey, locks: boolean): Promise<Members[]> {
  const rows = await db.rows<{ id: number } & Record<string, string | number>>(sql`
    select l.id, ${readerName(sql`l`)} as name, coalesce(nullif(l.company, ''), nullif(a.company, ''), a.name) as company,
      coalesce(nullif(l.postal_address, ''), a.postal_address) as address, coalesce(nullif(l.website, ''), a.website) as url,
      l.permission_reminder as reminder
    from campaign_list cl
    join list l on l.account_id = cl.account_id and l.id = cl.list_id
    join account a on a.id = l.account_id
    where cl.account_id = ${of.account}
      and cl.campaign_id = ${of.campaign}
    order by cl.position, l.id
    ${locks ? sql`for share of l` : sql``}`);
  return rows.map(({ id, ...texts }) => full({ id: formatId(id), ...texts }));
}

/** @param ids SQL: which */
async function segmentsOf(db: Queries, ids: Sql, of: CampaignKey, locks: boolean): Promise<Members[]> {
  const rows = await db.rows<{ id: number; match: string; filter: Value }>(sql`
    select id, match, filter
    from segment
    where account_id = ${of.account}
      and id in (${ids})
    order by id
    ${locks ? sql`for share` : sql``}`);
  return rows.map(({ id, match, filter }) => ({ id: formatId(id), match, filter }));
}

/** The fields that the texts may show: what a contact without a value gets. */
async function fieldsOf(db: Queries, of: CampaignKey, texts: string, locks: boolean): Promise<Members[]> {
  const rows = await db.rows<{ no: number; tag: string; type: string; without: string }>(sql`
    select f.merge_no as no, f.tag, f.field_type as type, f.default_value as without
    from campaign_list cl
    join field f on f.account_id = cl.account_id and f.list_id = cl.list_id
    where cl.account_id = ${of.account}
      and cl.campaign_id = ${of.campaign}
    order by cl.position, f.list_id, f.tag
    ${locks ? sql`for share of f` : sql``}`);
  const written = texts.toUpperCase();
  return rows.filter(({ tag, no }) => written.includes(tag.toUpperCase()) || written.includes(`MERGE${no}`)).map(full);
}

async function testOf(db: Queries, of: CampaignKey): Promise<Value> {
  const test = await db.row<Members>(sql`
    select share, winner, wait_minutes
    from campaign_test
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  return test ? { ...full(test), variants: await variantsOf(db, of, sql`language = ''`) } : null;
}

/** The language versions, or the variants of the A/B test. */
async function variantsOf(db: Queries, of: CampaignKey, which: Sql): Promise<Members[]> {
  const rows = await db.rows<Members>(sql`
    select no, language, subject, preview_text, from_name, html, plain
    from campaign_variant
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and ${which}
    order by no`);
  // Null is what the campaign has, and an empty text is not.
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
}

async function attachmentsOf(db: Queries, of: CampaignKey): Promise<Members[]> {
  return db.rows<Members>(sql`
    select name, content_type, hash
    from campaign_attachment
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by no`);
}

/** Without members that are empty. */
function full(given: Members): Members {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value)));
}

const isEmpty = (value: Value): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isEmpty));

/** The members in one order, whatever order they were read in. */
const hashOf = (members: Members): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))))
    .digest('hex');

type Row = {
  type: string;
  time_match: boolean;
  best_hour: boolean;
  any_time: boolean;
  auto: Members | null;
} & Record<string, Value>;
