// The Campaign struct that campaigns() and campaignSearch return.
// Reads a whole page of campaigns with their lists, segments and sent counts in one statement.
import { z } from 'zod';
import { labelsOf, orderRecord, type StoredLabel, shownLabels } from '../../accounts/labels/label.ts';
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { named } from '../../method/named.ts';
import type { AnalyticsOption } from '../markup/analytics.ts';
import { archiveUrl } from '../model/archive-address.ts';
import {
  type CampaignType,
  campaignLabels,
  type Status,
  shownStatus,
  shownStatuses,
  shownType,
  statuses,
} from '../model/campaign.ts';

// spec: Campaign. delivery_status, schedule_time, undo_seconds_left, the ids of lists and segments, labels and hidden are additions to the specification.
/** Of campaignSendNow with undo_seconds. */
export const undoSecondsLeft = z.int().meta({
  description:
    'How long campaignUnschedule still takes back campaignSendNow, in seconds; 0 when there is nothing to take back.',
});

export const campaignRecord = named(
  'Campaign',
  z.object({
    id: z.string(),
    web_id: z.int().meta({ description: 'Campaign id of the web version, used in archive links.' }),
    title: z.string(),
    type: z.enum(shownType),
    create_time: z.string(),
    send_time: z.string(),
    emails_sent: z.int(),
    status: z.enum(shownStatuses),
    from_name: z.string(),
    from_email: z.string(),
    subject: z.string(),
    to_email: z.boolean(),
    archive_url: z.string(),
    analytics: z.boolean(),
    analytcs_tag: z.string(),
    track_clicks_text: z.boolean(),
    track_clicks_html: z.boolean(),
    track_opens: z.boolean(),
    delivery_status: z.enum(statuses),
    schedule_time: z.string(),
    undo_seconds_left: undoSecondsLeft,
    list_ids: z.array(z.string()),
    segment_ids: z.array(z.string()),
    exclude_list_ids: z.array(z.string()),
    exclude_segment_ids: z.array(z.string()),
    ...orderRecord,
  }),
);

export type CampaignRecord = z.input<typeof campaignRecord>;

type Row = {
  id: number;
  web_id: number;
  title: string;
  type: CampaignType;
  created_at: Date;
  send_at: Date | null;
  schedule_at: Date | null;
  status: Status;
  from_name: string;
  reply_to: string;
  subject: string;
  to_name: string;
  archive_key: string;
  analytics: AnalyticsOption;
  track_text_clicks: boolean;
  track_html_clicks: boolean;
  track_opens: boolean;
  undo_seconds_left: number;
  emails_sent: number;
  lists: number[];
  segments: number[];
  not_lists: number[];
  not_segments: number[];
  hidden: boolean;
  labels: StoredLabel[];
};

/** The seconds in which the start of a campaign `c` can be undone. */
export const undoLeft = sql`
  case
    when c.status = 'launching' and c.undo_until > now()
    then ceil(extract(epoch from c.undo_until - now()))::int
    else 0
  end`;

/** An order on `c` that an index has. */
export const newestFirst = sql`c.created_at desc, c.id`;

/** Returns a page of the campaigns that match a condition on `c`, in an order on `c`, or on `total`: the emails sent of each. */
export async function campaignRecords(
  context: Context,
  where: Sql,
  order: Sql,
  page: { start: number; limit: number },
): Promise<CampaignRecord[]> {
  const { tx, account, app } = context;
  const rows = await tx.rows<Row>(sql`
    with page as (
      select c.id, c.web_id, c.title, c.type, c.created_at, c.send_at, c.schedule_at, c.status, c.from_name, c.reply_to, c.subject,
        c.to_name, c.archive_key, c.analytics, c.track_text_clicks, c.track_html_clicks, c.track_opens, c.is_hidden,
        ${undoLeft} as undo_seconds_left,
        row_number() over (order by ${order}) as place
      from campaign c
      -- Not read unless it orders the rows, as it has one row for each campaign.
      left join (
        select campaign_id, sum(accepted) as accepted
        from tally
        where account_id = ${account.id}
        group by campaign_id
      ) as total on total.campaign_id = c.id
      where c.account_id = ${account.id}
        and c.type <> 'message'
        and ${where}
      order by ${order}
      limit ${page.limit}
      offset ${page.start * page.limit}
    ), sent as (
      select t.campaign_id, sum(t.accepted)::int as accepted
      from tally t
      where t.account_id = ${account.id}
        and t.campaign_id in (select id from page)
      group by t.campaign_id
    ), listed as (
      select l.campaign_id, array_agg(l.list_id order by l.position, l.list_id) as ids
      from campaign_list l
      where l.account_id = ${account.id}
        and l.campaign_id in (select id from page)
      group by l.campaign_id
    ), segmented as (
      select g.campaign_id, array_agg(g.segment_id order by g.segment_id) as ids
      from campaign_segment g
      where g.account_id = ${account.id}
        and g.campaign_id in (select id from page)
      group by g.campaign_id
    ), excluded as (
      select x.campaign_id, array_agg(x.target_id order by x.target_id) filter (where x.kind = 'list') as lists,
        array_agg(x.target_id order by x.target_id) filter (where x.kind = 'segment') as segments
      from campaign_exclusion x
      where x.account_id = ${account.id}
        and x.campaign_id in (select id from page)
      group by x.campaign_id
    )
    select p.id, p.web_id, p.title, p.type, p.created_at, p.send_at, p.schedule_at, p.status, p.from_name, p.reply_to, p.subject, p.to_name,
      p.archive_key, p.analytics, p.track_text_clicks, p.track_html_clicks, p.track_opens,
      p.undo_seconds_left, coalesce(sent.accepted, 0) as emails_sent, coalesce(listed.ids, '{}') as lists, coalesce(segmented.ids, '{}') as segments,
      coalesce(excluded.lists, '{}') as not_lists, coalesce(excluded.segments, '{}') as not_segments, p.is_hidden as hidden,
      ${labelsOf(campaignLabels, sql`${account.id}`, sql`p.id`)} as labels
    from page p
    left join sent on sent.campaign_id = p.id
    left join listed on listed.campaign_id = p.id
    left join segmented on segmented.campaign_id = p.id
    left join excluded on excluded.campaign_id = p.id
    order by p.place`);
  return rows.map((row) => ({
    id: formatId(row.id),
    web_id: row.web_id,
    title: row.title,
    type: shownType[row.type],
    create_time: formatDate(row.created_at),
    send_time: formatDate(row.send_at),
    emails_sent: row.emails_sent,
    status: shownStatus[row.status],
    from_name: row.from_name,
    from_email: row.reply_to,
    subject: row.subject,
    to_email: row.to_name !== '',
    archive_url: archiveUrl(app.baseUrl, row.web_id, row.archive_key),
    analytics: Object.values(row.analytics).some((value) => value !== ''),
    analytcs_tag: row.analytics.google ?? '',
    track_clicks_text: row.track_text_clicks,
    track_clicks_html: row.track_html_clicks,
    track_opens: row.track_opens,
    delivery_status: row.status,
    schedule_time: row.status === 'scheduled' ? formatDate(row.schedule_at) : '',
    undo_seconds_left: row.undo_seconds_left,
    list_ids: row.lists.map(formatId),
    segment_ids: row.segments.map(formatId),
    exclude_list_ids: row.not_lists.map(formatId),
    exclude_segment_ids: row.not_segments.map(formatId),
    labels: shownLabels(row.labels),
    hidden: row.hidden,
  }));
}
