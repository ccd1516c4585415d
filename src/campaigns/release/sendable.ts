// Checks whether a campaign can be sent: at campaignSendNow and campaignSchedule, at a change of a scheduled campaign, and
// again at launch. Refuses only what makes sending impossible: no list, no content, a sender, domain or setting that may not
// be used. Everything else that campaignCheck reports is a warning.
import type { Context } from '../../base/context.ts';
import { type FaultName, fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { checkErrors } from '../check/mail-findings.ts';
import { compileCampaign } from '../compile/compile-campaign.ts';
import type { AutoSettings } from '../model/autoresponder.ts';
import { dateField, needDateField } from '../model/autoresponder.ts';
import { needDomain, needInlineImages, needOwnDomain, needOwnSender } from '../model/requirements.ts';
import { variantCount } from '../model/variant.ts';

/** The faults of a campaign that cannot be sent. */
export const unsendable = [
  'CONTENT_INVALID',
  'AUTORESPONDER_INVALID',
  'CAMPAIGN_OPTION_INVALID',
  'SENDING_NOT_ALLOWED',
  'NOT_ALLOWED',
  'ADDON_MISSING',
  'APPROVAL_NEEDED',
] as const satisfies FaultName[];

/**
 * Checks that a campaign can be launched, and that its message and those of its variants can be compiled.
 * @throws Fault UNAVAILABLE when too much is being compiled, and those of needLaunchable
 */
export async function needSendable(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
): Promise<void> {
  await needLaunchable(context, campaignId);
  const { app, tx, account } = context;
  const count = await variantCount(context, campaignId);
  for (let no = 0; no < count; no++) await compileCampaign(tx, app, account, campaignId, [], { no });
}

/**
 * Checks that a campaign is usable and that its message has no errors. The launch itself compiles the message.
 * @throws Fault SENDING_NOT_ALLOWED, CONTENT_INVALID, AUTORESPONDER_INVALID, NOT_ALLOWED, ADDON_MISSING, CAMPAIGN_OPTION_INVALID
 */
export async function needLaunchable(context: Pick<Context, 'account' | 'tx'>, campaignId: number): Promise<void> {
  await lockLists(context, campaignId);
  await needUsable(context, campaignId);
  const errors = await checkErrors(context, campaignId);
  if (errors.length > 0)
    throw fault('CONTENT_INVALID', 'campaign.not_ready', { problems: errors.map((error) => error.message) });
}

/**
 * Checks that a campaign has what it needs to be sent. Also repeats the checks of its options, since plans, add-ons and
 * domains expire and lists are deleted.
 * @throws Fault SENDING_NOT_ALLOWED, CONTENT_INVALID, AUTORESPONDER_INVALID, NOT_ALLOWED, ADDON_MISSING, CAMPAIGN_OPTION_INVALID
 */
export async function needUsable(context: Pick<Context, 'account' | 'tx'>, campaignId: number): Promise<void> {
  const { tx, account } = context;
  if (!account.maySend) throw fault('SENDING_NOT_ALLOWED', 'campaign.sending_not_allowed');
  const row = await tx.row<Sendable>(sql`
    select trim(html) <> '' as html, trim(plain) <> '' as plain, type, auto, sender, inline_img as inline, authenticate,
      (select count(*)::int from campaign_list l where l.account_id = c.account_id and l.campaign_id = c.id) as lists
    from campaign c
    where account_id = ${account.id}
      and id = ${campaignId}`);
  const { html, plain, type, lists, auto, sender, inline, authenticate } = row!;
  if (lists === 0) throw fault('CONTENT_INVALID', 'campaign.no_list');
  if (type === 'plain' ? !plain : !html)
    throw fault('CONTENT_INVALID', type === 'plain' ? 'campaign.no_plain' : 'campaign.no_html');
  if (type !== 'plain' && !plain) throw fault('CONTENT_INVALID', 'campaign.plain_missing');
  if (type === 'auto') {
    if (!auto) throw fault('AUTORESPONDER_INVALID', 'campaign.no_type_opts');
    await needDateField(context, campaignId, auto, dateField);
  }
  needOwnSender(context, sender, 'sender');
  needInlineImages(context, inline, 'inline_img');
  await needDomain(context, sender, authenticate, 'authenticate');
  await needOwnDomain(context, sender);
}

/** Locks the lists, so that listDelete waits and then sees that the campaign is being sent. */
async function lockLists({ tx, account }: Pick<Context, 'account' | 'tx'>, campaignId: number): Promise<void> {
  await tx.run(sql`
    select
    from campaign_list cl
    join list l on l.account_id = cl.account_id and l.id = cl.list_id
    where cl.account_id = ${account.id}
      and cl.campaign_id = ${campaignId}
    order by l.id
    for key share of l`);
}

type Sendable = {
  html: boolean;
  plain: boolean;
  type: string;
  auto: AutoSettings | null;
  sender: string;
  inline: boolean;
  authenticate: boolean;
  lists: number;
};
