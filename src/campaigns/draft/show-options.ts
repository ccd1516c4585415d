// campaignGet: every option of a campaign, named as in campaignCreate, as the composer shows them.

import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { join, raw, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { languageCodes } from '../../locales/languages.ts';
import { formatDate } from '../../method/date.ts';
import { named } from '../../method/named.ts';
import { undoLeft, undoSecondsLeft } from '../list/record.ts';
import type { AnalyticsOption } from '../markup/analytics.ts';
import type { AutoSettings } from '../model/autoresponder.ts';
import { type CampaignType, needCampaignId, type Status, shownType, statuses } from '../model/campaign.ts';
import { autoEvents, autoUnits, directions, type StoredOption, storedNames, storedOptions } from '../model/options.ts';
import { listEdits } from './editors/edits.ts';
import { shownEdit } from './editors/presence.ts';
import { canBeCorrected, isUnsent } from './unsent.ts';

export const shownOptions = named(
  'CampaignOptions',
  z.object({
    type: z.enum(shownType),
    delivery_status: z.enum(statuses),
    schedule_time: z.string(),
    undo_seconds_left: undoSecondsLeft,
    list_id: z.array(z.string()),
    segment_id: z.array(z.string()),
    exclude_list_id: z.array(z.string()),
    exclude_segment_id: z.array(z.string()),
    ...shownAsGiven(),
    sender_address: z.string().meta({ description: 'The address in From.' }),
    tracking: z.object({ opens: z.boolean(), html_clicks: z.boolean(), text_clicks: z.boolean() }),
    analytics: z.object({
      google: z.string(),
      source: z.string().optional(),
      medium: z.string().optional(),
      term: z.string().optional(),
      content: z.string().optional(),
    }),
    plain_generated: z.boolean().meta({ description: 'The plain text was made from the HTML.' }),
    ln: z.string().meta({ description: '"" for the language of the account.' }),
    template_id: z.string(),
    source_url: z.string(),
    type_opts: z
      .object({
        'offset-units': z.enum(['', ...autoUnits]),
        'offset-time': z.int(),
        'offset-dir': z.enum(['', ...directions]),
        event: z.enum(['', ...autoEvents, 'automation']),
        'event-datemerge': z.string(),
      })
      .meta({ description: 'event is "" when there are none, and automation for the email of an automation.' }),
    changed_at: z.string(),
    edits: z.array(shownEdit).meta({ description: 'The last change of each part that has been changed.' }),
    can_change: z.boolean().meta({ description: 'Whether campaignUpdate works: the campaign has not been sent.' }),
    can_correct: z.boolean().meta({
      description:
        'Whether campaignUpdate works for subject and content only: it is an autoresponder or email of an automation that is being sent, or paused after it has reached some.',
    }),
    revision: z
      .int()
      .meta({ description: 'How many times its text was frozen for recipients; see campaignRevisions.' }),
    unpublished: z.boolean().meta({
      description:
        'Its text was corrected and no one gets the correction yet: campaignRevisionCreate publishes it, or campaignResume if it is paused.',
    }),
  }),
);

/** The results of the options that a column stores as they are given. */
function shownAsGiven() {
  return Object.fromEntries(storedNames.map((name) => [name, storedOptions[name].shown])) as {
    [K in StoredOption]: (typeof storedOptions)[K]['shown'];
  };
}

/** SQL: their values by name. */
const asGiven = sql`
  jsonb_build_object(${join(storedNames.map((name) => sql`${raw(`'${name}'`)}, ${raw(storedOptions[name].column)}`))}) as options`;

/** Returns every option of a campaign, and its settings as an autoresponder. @throws Fault CAMPAIGN_UNKNOWN */
export async function showOptions(context: Context, { cid }: { cid: string }): Promise<z.input<typeof shownOptions>> {
  const { tx, account } = context;
  const campaignId = await needCampaignId(context, cid);
  const row = (await tx.row<Row>(sql`
    select type, status, schedule_at, ${undoLeft} as undo_seconds_left, track_opens, track_html_clicks, track_text_clicks, analytics,
      plain_generated, language, template_id, source_url, auto, changed_at, revision, corrected_at is not null as unpublished,
      ${asGiven},
      array(
        select list_id from campaign_list l
        where l.account_id = c.account_id and l.campaign_id = c.id
        order by position, list_id
      ) as lists,
      array(
        select segment_id from campaign_segment g
        where g.account_id = c.account_id and g.campaign_id = c.id
        order by segment_id
      ) as segments,
      array(
        select target_id from campaign_exclusion x
        where x.account_id = c.account_id and x.campaign_id = c.id and x.kind = 'list'
        order by target_id
      ) as not_lists,
      array(
        select target_id from campaign_exclusion x
        where x.account_id = c.account_id and x.campaign_id = c.id and x.kind = 'segment'
        order by target_id
      ) as not_segments
    from campaign c
    where account_id = ${account.id}
      and id = ${campaignId}`))!;
  return {
    type: shownType[row.type],
    delivery_status: row.status,
    schedule_time: row.status === 'scheduled' ? formatDate(row.schedule_at) : '',
    undo_seconds_left: row.undo_seconds_left,
    list_id: row.lists.map(formatId),
    segment_id: row.segments.map(formatId),
    exclude_list_id: row.not_lists.map(formatId),
    exclude_segment_id: row.not_segments.map(formatId),
    ...row.options,
    sender_address: row.options.sender || account.email,
    tracking: { opens: row.track_opens, html_clicks: row.track_html_clicks, text_clicks: row.track_text_clicks },
    analytics: { google: '', ...row.analytics },
    plain_generated: row.plain_generated,
    ln: Object.entries(languageCodes).find(([, tag]) => tag === row.language)?.[0] ?? '',
    template_id: row.template_id === null ? '' : formatId(row.template_id),
    source_url: row.source_url,
    type_opts: {
      'offset-units': row.auto?.units ?? '',
      'offset-time': row.auto?.time ?? 0,
      'offset-dir': row.auto?.direction ?? '',
      event: row.auto?.event ?? '',
      'event-datemerge': row.auto?.tag ?? '',
    },
    changed_at: formatDate(row.changed_at),
    edits: (await listEdits(context, campaignId, '')).map(({ own: _, ...edit }) => edit),
    can_change: await isUnsent(context, campaignId, row.status),
    can_correct: await canBeCorrected(context, { ...row, id: campaignId }),
    revision: row.revision,
    unpublished: row.unpublished,
  };
}

type Row = {
  type: CampaignType;
  status: Status;
  schedule_at: Date | null;
  undo_seconds_left: number;
  lists: number[];
  segments: number[];
  not_lists: number[];
  not_segments: number[];
  options: Pick<z.input<typeof shownOptions>, StoredOption>;
  track_opens: boolean;
  track_html_clicks: boolean;
  track_text_clicks: boolean;
  analytics: AnalyticsOption;
  plain_generated: boolean;
  language: string;
  template_id: number | null;
  source_url: string;
  auto: AutoSettings | null;
  changed_at: Date;
  revision: number;
  unpublished: boolean;
};
