// Recurring campaigns and their issues as methods return them.
import type { Context } from '../base/context.ts';
import { message, packMessage, renderMessage, renderPacked } from '../base/messages.ts';
import type { Status } from '../campaigns/model/campaign.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { type IssueState, needRecurring, type Recurring, recurringColumns } from './schedule/recurring.ts';
import type { Schedule } from './schedule/schedule.ts';
import { timesAfter } from './schedule/schedule.ts';

type Row = Recurring & {
  started: boolean;
  tryAt: Date | null;
  createdAt: Date;
  originalTitle: string | null;
  list: number | null;
  listName: string | null;
};

const columns = sql`
  ${recurringColumns}, r.started, r.try_at as "tryAt", r.created_at as "createdAt", c.title as "originalTitle", l.id as list,
  l.name as "listName"`;
const from = sql`
  from recurring r
  left join campaign c on c.account_id = r.account_id and c.id = r.original_id
  left join lateral (
    select t.id, t.name
    from campaign_list cl
    join list t on t.account_id = cl.account_id and t.id = cl.list_id
    where cl.account_id = r.account_id
      and cl.campaign_id = r.original_id
    order by cl.position, t.id
    limit 1
  ) as l on true`;

export async function listRecurring(context: Context, { start, limit }: Page) {
  const { tx, account } = context;
  const count = await tx.row<{ total: number }>(sql`
    select count(*) as total from recurring where account_id = ${account.id}`);
  const rows = await tx.rows<Row>(sql`
    select ${columns}
    ${from}
    where r.account_id = ${account.id}
    order by r.created_at desc, r.id
    limit ${limit}
    offset ${start * limit}`);
  const data = [];
  for (const row of rows) data.push(await record(context, row));
  return { total: count!.total, data };
}

/** @throws Fault RECURRING_UNKNOWN */
export async function recurringInfo(context: Context, { id }: { id: string }) {
  const recurring = await needRecurring(context, id);
  const row = await context.tx.row<Row>(sql`
    select ${columns}
    ${from}
    where r.account_id = ${context.account.id}
      and r.id = ${recurring.id}`);
  const { schedule, timeZone } = row!;
  return {
    ...(await record(context, row!)),
    next_times: timesAfter(schedule, timeZone, context.now, 5).map(formatDate),
  };
}

/** The issues, the latest first. @throws Fault RECURRING_UNKNOWN */
export async function listIssues(context: Context, { id, start, limit }: Page & { id: string }) {
  const recurring = await needRecurring(context, id);
  const count = await context.tx.row<{ total: number }>(sql`
    select count(*) as total
    from recurring_issue
    where account_id = ${context.account.id}
      and recurring_id = ${recurring.id}`);
  return { total: count!.total, data: await issues(context, recurring.id, { start, limit }) };
}

/** Issues that wait for approval, and the latest ones that failed, for Home. */
export async function issuesInNeed({ tx, account, language }: Context) {
  const rows = await tx.rows<{ id: number; title: string; state: IssueState; reason: string }>(sql`
    select distinct on (r.id) r.id, r.title, i.state, i.reason
    from recurring r
    join recurring_issue i on i.account_id = r.account_id and i.recurring_id = r.id
    left join campaign c on c.account_id = i.account_id and c.id = i.campaign_id
    where r.account_id = ${account.id}
      and case i.state
        when 'waiting' then c.status = 'draft'
        when 'failed' then r.status = 'active' and coalesce(c.status, 'draft') = 'draft' and not exists (
          select
          from recurring_issue later
          where later.account_id = i.account_id
            and later.recurring_id = i.recurring_id
            and later.occurrence_at > i.occurrence_at
        )
        else false
      end
    order by r.id, i.state desc
    limit 10`);
  return rows.map(({ id, title, state, reason }) => ({
    kind: 'issue' as const,
    id: formatId(id),
    name: title,
    detail: state === 'waiting' ? 'waiting' : renderPacked(reason, language),
    count: 0,
  }));
}

async function record(context: Context, row: Row) {
  const { language } = context;
  const latest = await issues(context, row.id, { start: 0, limit: 1 });
  const {
    type,
    time = '',
    weekdays = [],
    day = 0,
    cron = '',
  } = row.schedule as {
    type: Schedule['type'];
    time?: string;
    weekdays?: number[];
    day?: number;
    cron?: string;
  };
  return {
    id: formatId(row.id),
    title: row.title,
    status: row.status,
    started: row.started,
    problem: row.originalId === null ? renderMessage(message('recurring.original_gone'), language) : '',
    campaign: row.originalId === null ? '' : formatId(row.originalId),
    list: row.list === null ? '' : formatId(row.list),
    list_name: row.listName ?? '',
    schedule: { type, time, weekdays, day, cron },
    time_zone: row.timeZone,
    source: row.source,
    source_url: row.sourceUrl,
    max_items: row.maxItems,
    approve: row.approve,
    next_at: formatDate(row.nextAt),
    latest,
    date_created: formatDate(row.createdAt),
  };
}

type IssueRow = {
  at: Date;
  state: IssueState;
  reason: string;
  byHand: boolean;
  attempts: number;
  campaign: number | null;
  hasCampaign: boolean;
  items: number;
  title: string | null;
  subject: string | null;
  status: Status | null;
  sent: number;
};

async function issues({ tx, account, language }: Context, recurringId: number, { start, limit }: Page) {
  const rows = await tx.rows<IssueRow>(sql`
    select i.occurrence_at as at, i.by_hand as "byHand", i.attempts, i.campaign_id as campaign, i.has_campaign as "hasCampaign",
      i.items, c.title, c.subject, c.status,
      -- A draft that was sent from its own screen, or deleted.
      case
        when i.state in ('waiting', 'failed', 'expired') and c.status <> 'draft' then 'sent'
        when i.state = 'waiting' and c.id is null then 'skipped'
        else i.state
      end as state,
      case
        when i.state in ('waiting', 'failed', 'expired') and c.status <> 'draft' then ''
        when i.state = 'waiting' and c.id is null then ${packMessage(message('recurring.campaign_deleted'))}
        else i.reason
      end as reason,
      coalesce((
        select sum(t.accepted) from tally t where t.account_id = i.account_id and t.campaign_id = i.campaign_id
      ), 0)::int as sent
    from recurring_issue i
    left join campaign c on c.account_id = i.account_id and c.id = i.campaign_id
    where i.account_id = ${account.id}
      and i.recurring_id = ${recurringId}
    order by i.occurrence_at desc
    limit ${limit}
    offset ${start * limit}`);
  return rows.map((row) => ({
    at: formatDate(row.at),
    state: row.state,
    reason: renderPacked(row.reason, language),
    by_hand: row.byHand,
    attempts: row.attempts,
    items: row.items,
    campaign: row.campaign === null ? '' : formatId(row.campaign),
    campaign_deleted: row.hasCampaign && row.campaign === null,
    title: row.title ?? '',
    subject: row.subject ?? '',
    delivery_status: row.status ?? ('' as const),
    emails_sent: row.sent,
  }));
}
