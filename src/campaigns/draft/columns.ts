// THE list of the columns that make up a campaign: what campaignCreate writes and campaignReplicate copies. A column
// added here is written and copied, as that of an option is; state, dates and statistics are not in it. Lists, segments,
// labels, exclusions and pictures are in tables of their own (copiedTables).
import { join, raw, type Sql, sql, type Tx } from '../../db/connect.ts';
import { storedNames, storedOptions } from '../model/options.ts';

const columns = [
  'type',
  ...storedNames.map((name) => storedOptions[name].column),
  'track_opens',
  'track_html_clicks',
  'track_text_clicks',
  'analytics',
  'language',
  'html',
  'plain',
  'plain_generated',
  'template_id',
  'source_url',
  'source',
  'source_format',
  'archive_type',
  'import_warnings',
  'auto',
] as const;
type Column = (typeof columns)[number];

/** Tables of a campaign whose rows go into a copy, with their columns after account_id and campaign_id. */
const copiedTables = {
  campaign_list: ['list_id', 'position'],
  campaign_segment: ['segment_id'],
  campaign_label: ['label_id'],
  campaign_exclusion: ['kind', 'target_id'],
  campaign_asset: ['name'],
  campaign_attachment: ['no', 'name', 'content_type', 'size', 'hash'],
  campaign_test: ['share', 'winner', 'wait_minutes'],
  campaign_variant: ['no', 'language', 'subject', 'preview_text', 'from_name', 'html', 'plain'],
} as const;

/** Inserts a draft and returns its id. Values are as the columns store them; JSON is given as text. */
export async function insertCampaign(
  tx: Tx,
  accountId: number,
  values: Record<Column, string | number | boolean | null>,
): Promise<number> {
  const row = await tx.row<{ id: number }>(sql`
    insert into campaign (account_id, ${names(columns)}, created_at)
    values (${accountId}, ${join(columns.map((column) => sql`${values[column]}`))}, clock_timestamp())
    returning id`);
  return row!.id;
}

/** Copies a campaign as a draft, with everything it refers to, and returns the id of the copy. */
export async function copyCampaign(tx: Tx, accountId: number, originalId: number, title: Sql): Promise<number> {
  const values = columns.map((column) => (column === 'title' ? title : raw(column)));
  const copy = await tx.row<{ id: number }>(sql`
    insert into campaign (account_id, ${names(columns)}, in_archive, created_at)
    select account_id, ${join(values)}, ${inArchiveOfCopy}, clock_timestamp()
    from campaign
    where account_id = ${accountId}
      and id = ${originalId}
    returning id`);
  for (const [table, tableColumns] of Object.entries(copiedTables)) {
    await tx.run(sql`
      insert into ${raw(table)} (account_id, campaign_id, ${names(tableColumns)})
      select account_id, ${copy!.id}::int, ${names(tableColumns)}
      from ${raw(table)}
      where account_id = ${accountId}
        and campaign_id = ${originalId}`);
  }
  return copy!.id;
}

/** SQL: what a launch wrote down as public was decided about the recipients of then, which the copy may not have. */
const inArchiveOfCopy: Sql = sql`case when send_at is null or not in_archive then in_archive end`;

const names = (of: readonly string[]) => raw(of.join(', '));
