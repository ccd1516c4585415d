// campaignCreate: writes a draft from all of its options together.
// Leaves single options to requirements.ts, content to read-content.ts and lists to audience.ts.

import { maySetSender } from '../../accounts/account/plan.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { languageCodes } from '../../locales/languages.ts';
import { keepAssets } from '../content/pictures/asset.ts';
import { readTypeOpts } from '../model/autoresponder.ts';
import {
  type Analytics,
  type Content,
  noFlags,
  type OptionColumn,
  type Options,
  storedNames,
  storedOptions,
  type Tracking,
  type TypeOpts,
  typeColumn,
} from '../model/options.ts';
import { needAsciiAddress, needDomain, needInlineImages, needSender } from '../model/requirements.ts';
import { setExclusions, setLists, setSegments } from './audience.ts';
import { insertCampaign } from './columns.ts';
import { nameFrom } from './name.ts';
import { type Imported, readContent } from './read-content.ts';

/** The parameters of campaignCreate. tracking and analytics are read from here and from the options, which win. */
export type NewCampaign = {
  type: 'HTML' | 'plain' | 'auto';
  options: Options;
  content: Content;
  type_opts?: TypeOpts | undefined;
  tracking?: Tracking | undefined;
  analytics?: Analytics | undefined;
};

/**
 * Creates a draft and returns its public id.
 * @param imported what `importContent` fetched or unpacked before the transaction
 */
export async function createCampaign(context: Context, given: NewCampaign, imported: Imported): Promise<string> {
  const { tx, account } = context;
  const { options } = given;
  const type = typeColumn(given.type);
  if (type === 'auto' && !given.type_opts)
    throw fault('AUTORESPONDER_INVALID', 'campaign.type_opts_required', { member: 'type_opts' });
  if (type !== 'auto' && given.type_opts)
    throw fault('AUTORESPONDER_INVALID', 'campaign.type_opts_for_auto', { member: 'type_opts' });
  const settings = await settingColumns(context, given);
  const texts = await readContent(
    context,
    type,
    { ...given.content, templateInOptions: options.template_id, language: settings.language },
    imported,
    options.generate_text,
  );
  const campaignId = await insertCampaign(tx, account.id, {
    ...settings,
    html: texts.html,
    plain: texts.plain,
    plain_generated: texts.plainGenerated,
    template_id: texts.templateId,
    source_url: texts.sourceUrl,
    source: texts.source,
    source_format: texts.sourceFormat,
    archive_type: given.content.archive_type ?? 'zip',
    import_warnings: JSON.stringify(imported?.warnings ?? []),
    auto: null,
  });
  await setLists(context, campaignId, options.list_id, 'options.list_id');
  await setSegments(context, campaignId, options.segment_id ?? [], 'options.segment_id');
  await setExclusions(context, campaignId, 'list', options.exclude_list_id ?? [], 'options.exclude_list_id');
  await setExclusions(context, campaignId, 'segment', options.exclude_segment_id ?? [], 'options.exclude_segment_id');
  await keepAssets(context, campaignId, texts.html, imported?.assets);
  if (given.type_opts) {
    // Read last, since the date field must be one of the lists'.
    const auto = await readTypeOpts(context, campaignId, given.type_opts);
    await tx.run(
      sql`update campaign set auto = ${JSON.stringify(auto)} where account_id = ${account.id} and id = ${campaignId}`,
    );
  }
  return formatId(campaignId);
}

/** What a draft that the program makes has besides the defaults. */
export type NewDraft = {
  list: number;
  subject: string;
  /** Made from the subject without it. */
  title?: string;
  html: string;
  /** The name of its sender if neither the list nor the account has one. */
  fallbackName: string;
  /** Of its texts, and so of its footer; that of the account without it. */
  language?: string;
};

/** Makes an HTML draft for a list, from the sender of the list, and returns its public id. @throws Fault those of campaignCreate */
export async function newDraft(
  context: Context,
  { list, subject, title, html, fallbackName, language }: NewDraft,
): Promise<string> {
  const { tx, account } = context;
  const sender = (await tx.row<{ name: string; email: string; from: string }>(sql`
    select l.default_from_name as name, l.default_from_email as email, coalesce(s.email, '') as "from"
    from list l
    left join sender s on s.account_id = l.account_id and s.id = l.sender_id
    where l.account_id = ${account.id}
      and l.id = ${list}`))!;
  const given = {
    ...{ list_id: [formatId(list)], subject, title },
    ...{ from_email: sender.email || account.email, from_name: sender.name || account.name || fallbackName },
    ...{ generate_text: true, auto_footer: true },
    ...(maySetSender(account) && sender.from !== account.email && { sender: sender.from }),
  };
  const ln = Object.entries(languageCodes).find(([, tag]) => tag === language)?.[0];
  const options = { ...noFlags, ...given, ...(ln !== undefined && { ln }) };
  return createCampaign(context, { type: 'HTML', options, content: { html } }, undefined);
}

/** Everything but the content, as the columns store it. */
async function settingColumns(context: Context, given: NewCampaign) {
  const { options } = given;
  const tracking = { ...given.tracking, ...options.tracking };
  const replyTo = needAsciiAddress(options.from_email, 'options.from_email');
  const sender = needSender(context, options.sender ?? '', 'options.sender');
  return {
    ...asGiven(options),
    type: typeColumn(given.type),
    title: options.title?.trim() || nameFrom(options.subject),
    reply_to: replyTo,
    sender,
    track_opens: tracking.opens ?? true,
    track_html_clicks: tracking.html_clicks ?? true,
    track_text_clicks: tracking.text_clicks ?? false,
    analytics: JSON.stringify({ ...given.analytics, ...options.analytics }),
    inline_img: needInlineImages(context, options.inline_img, 'options.inline_img'),
    authenticate: await needDomain(context, sender, options.authenticate, 'options.authenticate'),
    best_hour: needOneTiming(options),
    language: languageCodes[options.ln ?? ''] ?? '',
  };
}

/** The options by their columns, with what a campaign has without them. */
const asGiven = (options: Options) =>
  Object.fromEntries(
    storedNames.map((name) => [storedOptions[name].column, options[name] ?? storedOptions[name].fallback]),
  ) as Record<OptionColumn, string | boolean>;

/** @throws Fault CAMPAIGN_OPTION_INVALID */
function needOneTiming({ best_hour, time_match }: Options): boolean {
  if (best_hour && time_match)
    throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.best_hour_and_time_match', { member: 'options.best_hour' });
  return best_hour;
}
