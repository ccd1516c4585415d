// automationSearch: automations and autoresponders in one table, newest first, as the screen shows them. Their figures are read for the page
// alone, so that it does not matter how many there are.
import { labelsOf, type OrderFilters, passes, type StoredLabel, shownLabels } from '../accounts/labels/label.ts';
import type { Context } from '../base/context.ts';
import { campaignLabels } from '../campaigns/model/campaign.ts';
import { empty, type Sql, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { Page } from '../method/paging.ts';
import { automationLabels } from './model/automation.ts';
import type { Definition } from './model/definition.ts';
import { everyStep } from './model/flow.ts';
import { type Occasion, shownOccasion } from './read.ts';

export const foundKinds = ['automation', 'autoresponder'] as const;
export const foundStatuses = ['active', 'paused', 'draft', 'ended'] as const;
type Kind = (typeof foundKinds)[number];
type FoundStatus = (typeof foundStatuses)[number];

type Search = { query: string; status?: FoundStatus | undefined } & OrderFilters;

type Row = {
  kind: Kind;
  id: number;
  title: string;
  status: FoundStatus;
  list: number;
  listName: string;
  definition: Definition | null;
  auto: Occasion | null;
  createdAt: Date;
  hidden: boolean;
  labels: StoredLabel[];
  entered: number;
  waiting: number;
};

const ofAutomation = { accountId: sql`a.account_id`, objectId: sql`a.id`, isHidden: sql`a.is_hidden` };
const ofCampaign = { accountId: sql`c.account_id`, objectId: sql`c.id`, isHidden: sql`c.is_hidden` };

export async function searchAutomations(context: Context, { start, limit, hidden, status, ...rest }: Search & Page) {
  const { tx } = context;
  const groups = await tx.rows<{ status: FoundStatus; hidden: boolean; count: number }>(sql`
    select status, hidden, count(*)::int as count
    from (${found(context, rest)}) as f
    group by 1, 2`);
  const passing = groups.filter((group) => hidden === undefined || group.hidden === hidden);
  const counts = Object.fromEntries(foundStatuses.map((name) => [name, 0])) as Record<FoundStatus, number>;
  for (const { status: name, count } of passing) counts[name] += count;
  const sum = (some: typeof groups) => some.reduce((total, { count }) => total + count, 0);
  const rows = await tx.rows<Row>(sql`
    select f.*, coalesce(l.id, -1) as list, coalesce(l.name, '') as "listName",
      coalesce(t.entered, r.entered, 0)::int as entered, coalesce(t.waiting, r.waiting, 0)::int as waiting,
      case f.kind
        when 'automation' then ${labelsOf(automationLabels, sql`f.account_id`, sql`f.id`)}
        else ${labelsOf(campaignLabels, sql`f.account_id`, sql`f.id`)}
      end as labels
    from (
      select *
      from (${found(context, rest)}) as all_of_them
      where ${hidden === undefined ? sql`true` : sql`hidden = ${hidden}`}
        and ${status === undefined ? sql`true` : sql`status = ${status}`}
      order by "createdAt" desc, id
      limit ${limit}
      offset ${start * limit}
    ) as f
    left join lateral (
      select f."ownList" as id
      where f."ownList" is not null
      union all
      (
        select cl.list_id
        from campaign_list cl
        where f.kind = 'autoresponder'
          and cl.account_id = f.account_id
          and cl.campaign_id = f.id
        order by cl.position, cl.list_id
        limit 1
      )
    ) as first on true
    left join list l on l.account_id = f.account_id and l.id = first.id
    left join automation_tally t on f.kind = 'automation' and t.account_id = f.account_id and t.automation_id = f.id and t.step = ''
    left join lateral (
      select sum(recipients) as entered, sum(queued + trying + later + unclear) as waiting
      from tally
      where f.kind = 'autoresponder'
        and tally.account_id = f.account_id
        and tally.campaign_id = f.id
    ) as r on true
    order by f."createdAt" desc, f.id`);
  const sent = await sentBy(context, rows.flatMap(emailsOf));
  return {
    total: sum(passing.filter((group) => status === undefined || group.status === status)),
    counts,
    hidden: sum(groups.filter((group) => group.hidden)),
    data: rows.map((row) => ({
      kind: row.kind,
      id: formatId(row.id),
      title: row.title,
      status: row.status,
      list: row.list === -1 ? '' : formatId(row.list),
      list_name: row.listName,
      trigger: row.definition?.trigger?.type ?? ('' as const),
      ...shownOccasion(row.auto),
      entered: row.entered,
      waiting: row.waiting,
      sent: emailsOf(row).reduce((total, cid) => total + (sent.get(cid) ?? 0), 0),
      emails: emailsOf(row).map(formatId),
      date_created: formatDate(row.createdAt),
      labels: shownLabels(row.labels),
      hidden: row.hidden,
    })),
  };
}

/** Those that match everything but the state and whether they are hidden. */
function found({ account }: Context, { query, label }: { query: string } & OrderFilters): Sql {
  const part = query.trim();
  const named = (title: Sql) => (part === '' ? empty : sql`and position(lower(${part}) in lower(${title})) > 0`);
  return sql`
    select a.account_id, 'automation' as kind, a.id, a.title, a.status::text as status, a.list_id as "ownList", a.definition, null::jsonb as auto,
      a.created_at as "createdAt", a.is_hidden as hidden
    from automation a
    where a.account_id = ${account.id}
      and ${passes(automationLabels, { label }, ofAutomation)}
      ${named(sql`a.title`)}
    union all
    select c.account_id, 'autoresponder', c.id, coalesce(nullif(c.title, ''), c.subject),
      case c.status when 'draft' then 'draft' when 'paused' then 'paused' when 'sent' then 'ended' else 'active' end,
      null, null, c.auto, c.created_at, c.is_hidden
    from campaign c
    where c.account_id = ${account.id}
      and c.type = 'auto'
      and c.auto ->> 'event' is distinct from 'automation'
      and ${passes(campaignLabels, { label }, ofCampaign)}
      ${named(sql`coalesce(nullif(c.title, ''), c.subject)`)}`;
}

const emailsOf = ({ kind, id, definition }: Row): number[] =>
  kind === 'autoresponder'
    ? [id]
    : [
        ...new Set(
          everyStep(definition?.steps ?? []).flatMap((step) =>
            step.type === 'send' && step.campaign !== '' ? [parseId(step.campaign)] : [],
          ),
        ),
      ];

/** How many of each of these emails were delivered. */
async function sentBy({ tx, account }: Context, campaigns: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx.rows<{ campaign: number; sent: number }>(sql`
    select campaign_id as campaign, sum(accepted)::int as sent
    from tally
    where account_id = ${account.id}
      and campaign_id = any (${[...campaigns]}::int[])
    group by campaign_id`);
  return new Map(rows.map(({ campaign, sent }) => [campaign, sent]));
}
