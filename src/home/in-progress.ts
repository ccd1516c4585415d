// What is in progress: campaigns that are scheduled, being sent or paused, with how far they are, and the automations that run.
import { z } from 'zod';
import { mayDo } from '../accounts/keys/permissions.ts';
import type { Context } from '../base/context.ts';
import { undoLeft, undoSecondsLeft } from '../campaigns/list/record.ts';
import { type Status, statuses } from '../campaigns/model/campaign.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { forecastOf } from '../delivery/progress/campaign-progress.ts';
import { formatDate } from '../method/date.ts';

/** Of each kind. */
const maxShown = 50;

const figures = {
  recipients: z.int(),
  queued: z.int(),
  trying: z.int(),
  later: z.int(),
  rate: z.number(),
  finish_at: z.string(),
};

export const inProgressRecord = z
  .object({
    campaigns: z.array(
      z.object({
        id: z.string(),
        title: z.string().meta({ description: 'Its subject if it has no title.' }),
        delivery_status: z.enum(statuses),
        schedule_time: z.string(),
        undo_seconds_left: undoSecondsLeft,
        ...figures,
      }),
    ),
    automations: z.array(
      z.object({
        id: z.string().meta({ description: 'Of the automation, or of the campaign that is an autoresponder.' }),
        kind: z.enum(['automation', 'autoresponder']),
        title: z.string(),
        waiting: z.int().meta({ description: 'Contacts that are in it now; emails of an autoresponder that wait.' }),
      }),
    ),
  })
  .meta({
    description: `Campaigns that are paused, scheduled or being sent, with figures as in campaignProgress, and the automations that are active; at most ${maxShown} of each.`,
  });

type InProgress = z.input<typeof inProgressRecord>;

export async function whatIsInProgress(context: Context): Promise<InProgress> {
  if (!mayDo(context.caller, 'campaigns:read')) return { campaigns: [], automations: [] };
  return { campaigns: await campaignsInProgress(context), automations: await activeAutomations(context) };
}

type Sums = Record<'recipients' | 'queued' | 'trying' | 'later' | 'unclear', number>;
type Row = Sums & {
  id: number;
  title: string;
  type: string;
  status: Status;
  scheduleAt: Date | null;
  undo: number;
  isFreezing: boolean;
};

/** The paused first, then the newest. */
async function campaignsInProgress({ tx, account, now }: Context): Promise<InProgress['campaigns']> {
  const rows = await tx.rows<Row>(sql`
    select c.id, coalesce(nullif(c.title, ''), c.subject) as title, c.type, c.status, c.schedule_at as "scheduleAt",
      ${undoLeft} as undo, exists (
        select from freezing f where f.account_id = c.account_id and f.campaign_id = c.id
      ) as "isFreezing", t.recipients, t.queued, t.trying, t.later, t.unclear
    from campaign c
    cross join lateral (
      select coalesce(sum(recipients), 0)::int as recipients, coalesce(sum(queued), 0)::int as queued,
        coalesce(sum(trying), 0)::int as trying, coalesce(sum(later), 0)::int as later,
        coalesce(sum(unclear), 0)::int as unclear
      from tally
      where account_id = c.account_id
        and campaign_id = c.id
    ) as t
    where c.account_id = ${account.id}
      and c.status in ('scheduled', 'launching', 'sending', 'paused')
      and c.type not in ('auto', 'message')
    order by c.status <> 'paused', c.created_at desc, c.id
    limit ${maxShown}`);
  const shown: InProgress['campaigns'] = [];
  for (const row of rows) {
    const { rate, finishAt } = await forecastOf(tx, { account: account.id, campaign: row.id }, row, now);
    const { title, status, scheduleAt, undo, recipients, queued, trying, later } = row;
    shown.push({
      ...{ id: formatId(row.id), title, delivery_status: status, schedule_time: formatDate(scheduleAt) },
      ...{ undo_seconds_left: undo, recipients, queued, trying, later, rate, finish_at: formatDate(finishAt) },
    });
  }
  return shown;
}

async function activeAutomations({ tx, account }: Context): Promise<InProgress['automations']> {
  const rows = await tx.rows<Omit<InProgress['automations'][number], 'id'> & { id: number }>(sql`
    (
      select a.id, 'automation' as kind, a.title, coalesce(t.waiting, 0)::int as waiting
      from automation a
      left join automation_tally t on t.account_id = a.account_id and t.automation_id = a.id and t.step = ''
      where a.account_id = ${account.id}
        and a.status = 'active'
      order by a.created_at desc, a.id
      limit ${maxShown}
    )
    union all
    (
      select c.id, 'autoresponder' as kind, coalesce(nullif(c.title, ''), c.subject) as title, (
          select coalesce(sum(queued + trying + later + unclear), 0)::int
          from tally
          where account_id = c.account_id
            and campaign_id = c.id
        ) as waiting
      from campaign c
      where c.account_id = ${account.id}
        and c.type = 'auto'
        and c.status in ('launching', 'sending')
        and c.auto ->> 'event' is distinct from 'automation'
      order by c.created_at desc, c.id
      limit ${maxShown}
    )`);
  return rows.map((row) => ({ ...row, id: formatId(row.id) }));
}
