// campaignCheck: all that can be said about a draft before it is sent.
import { z } from 'zod';
import { Fault } from '../../base/faults.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';
import { needCampaignId } from '../record.ts';
import { needUsable } from '../release/sendable.ts';
import type { Finding } from './check.ts';
import { audienceFindings, audienceNow, mailFindings } from './check-campaign.ts';

export const checkMethod = method({
  name: 'campaignCheck',
  group: 'campaigns',
  summary: 'Looks a campaign over before it is sent: links, merge tags, size, sender, audience.',
  description:
    'Errors keep the campaign from being sent: campaignSendNow and campaignSchedule answer them with a fault. Warnings and infos do not. Links are looked at for their form; nobody follows them. Codes: not_ready, link_broken, link_empty, link_relative, link_scheme, tag_unknown, tag_without_value, unsubscribe_missing, address_missing, address_not_shown, alt_missing, html_clipped, from_bad, from_not_authenticated, authenticate_off, import_missing, import_page_link, import_mismatched, import_unused, import_undecodable, import_style_import, import_local_address, import_linked_style, import_bad_address, no_recipients, audience, left_out_segment, left_out_duplicate, left_out_excluded_list, left_out_excluded_segment, left_out_suppressed, left_out_paused, left_out_unsubscribed, left_out_pending, left_out_bounced, left_out_inactive.',
  params: params({ cid: id('The campaign.') }),
  returns: z.array(
    z.object({
      level: z.string().meta({ description: 'error, warning or info.' }),
      code: z.string(),
      message: z.string(),
      found: z
        .array(z.string())
        .meta({ description: 'What it is about, as it stands in the content: the addresses or merge tags.' }),
    }),
  ),
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  async run(context, { cid }) {
    const campaignId = await needCampaignId(context, cid);
    const ready = await readiness(() => needUsable(context, campaignId));
    const { findings, compiled } = await mailFindings(context, campaignId);
    const all = [...ready, ...findings, ...(await audienceFindings(context, campaignId, compiled))];
    return all.map(({ found = [], ...finding }) => ({ ...finding, found: [...new Set(found)].slice(0, 20) }));
  },
});

export const audienceMethod = method({
  name: 'campaignAudience',
  group: 'campaigns',
  summary: 'Tells how many would get a campaign if it were sent now, and how many would be left out for what reason.',
  params: params({ cid: id('The campaign.') }),
  returns: z.object({
    recipients: z.int(),
    left_out: z.array(
      z.object({
        reason: z.string().meta({
          description:
            'segment, duplicate, excluded_list, excluded_segment, suppressed, paused, unsubscribed, pending, inactive or bounced.',
        }),
        count: z.int(),
      }),
    ),
  }),
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  async run(context, { cid }) {
    const { recipients, leftOut } = await audienceNow(context, await needCampaignId(context, cid));
    return { recipients, left_out: leftOut };
  },
});

/** A fault of the sending methods as a finding. */
async function readiness(look: () => Promise<void>): Promise<Finding[]> {
  try {
    await look();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ level: 'error', code: 'not_ready', message: error.message }];
  }
}
