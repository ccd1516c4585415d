// campaignCheck and campaignAudience: what a campaign would do if it were sent now. Neither changes anything.
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type MessageKey, message, renderMessage } from '../../base/messages.ts';
import { attachmentFindings } from '../check/attachments.ts';
import { audienceFindings, audienceNow } from '../check/audience.ts';
import { type Finding, pictureFindings } from '../check/check-mail.ts';
import { linkFindings } from '../check/links/findings.ts';
import { mailFindings } from '../check/mail-findings.ts';
import { attachmentsOf } from '../content/attachments.ts';
import { needCampaignId } from '../model/campaign.ts';
import { needUsable } from './sendable.ts';

/** A finding as campaignCheck returns it, in the language of the caller. */
export type ShownFinding = Omit<Finding, 'message' | 'variant'> & { message: string; found: string[]; variant: number };

/** Examples per finding. */
const maxFound = 20;

/** Returns all findings about a campaign: readiness, message, audience. @throws Fault CAMPAIGN_UNKNOWN */
export async function checkCampaign(
  context: Context,
  { cid }: { cid: string },
  leftOut: readonly string[] = [],
): Promise<ShownFinding[]> {
  const campaignId = await needCampaignId(context, cid);
  const readiness = await readinessFindings(() => needUsable(context, campaignId));
  const { findings, compiled } = await mailFindings(context, campaignId);
  const files = attachmentFindings(
    await attachmentsOf(context.tx, { account: context.account.id, campaign: campaignId }),
  );
  const links = await linkFindings(context, campaignId);
  const audience = await audienceFindings(context, campaignId, compiled);
  // That there is no content at all is said once.
  const isBlank = readiness.some(({ found }) => found?.some((option) => option === 'html' || option === 'plain'));
  const ofMail = findings.filter(({ code, variant }) => !isBlank || code !== 'content_empty' || variant);
  return [...readiness, ...ofMail, ...links, ...pictureFindings(leftOut), ...files, ...audience].map(
    ({ found = [], variant = 0, ...finding }) => ({
      ...finding,
      message: renderMessage(finding.message, context.language),
      found: [...new Set(found)].slice(0, maxFound),
      variant,
    }),
  );
}

/** Returns how many contacts would get a campaign, and how many not and why. @throws Fault CAMPAIGN_UNKNOWN */
export async function countAudience(context: Context, { cid }: { cid: string }) {
  const { recipients, leftOut } = await audienceNow(context, await needCampaignId(context, cid));
  return { recipients, left_out: leftOut };
}

/** A fault of the sending methods, as a finding. */
async function readinessFindings(check: () => Promise<void>): Promise<Finding[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [
      {
        level: 'error',
        code: 'not_ready',
        message: error.text ?? message('check.text', { text: error.message }),
        found: optionOf(error),
      },
    ];
  }
}

/** The option that is missing or not allowed, so that a page can lead to it. */
function optionOf({ text }: Fault): string[] {
  const option = text && (missingOptions[text.key] ?? text.values['member']);
  return typeof option === 'string' ? [option] : [];
}

const missingOptions: { [key in MessageKey]?: string } = {
  'campaign.no_list': 'list_id',
  'campaign.no_html': 'html',
  'campaign.no_plain': 'plain',
  'campaign.plain_missing': 'plain',
  'campaign.no_type_opts': 'type_opts',
};
