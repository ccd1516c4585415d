// The methods that check a campaign before it is sent.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { id, params } from '../../method/params.ts';
import { leftOutReasons } from '../check/audience.ts';
import { levels } from '../check/check-mail.ts';
import { leftOutPictures } from '../check/left-out-pictures.ts';
import { followLater } from '../check/links/follow-links.ts';
import { checkCampaign, countAudience } from './check-campaign.ts';

export const checkMethods = [
  method({
    name: 'campaignCheck',
    group: 'campaigns',
    summary: 'Checks a campaign before it is sent: links, merge tags, size, sender, audience.',
    description:
      'An error makes sending impossible: campaignSendNow and campaignSchedule return a fault. It is one of not_ready (no list, no content, a sender, domain or setting that may not be used), content_empty (nothing that a reader would see), sample_email (the sample letter of a new campaign as it was), from_bad and segment_gone. sample_email is a warning for a starter template as it was; the web application sends neither. Warnings and infos do not prevent sending; the web application asks the user to confirm warnings. A part without an unsubscribe link gets the footer. Links are checked for their form. A job that the check queues follows them, and later checks have what it found; the check does not wait for it. With inline_img the images are fetched, for up to 15 seconds. Codes: not_ready, content_empty, sample_email, sample_left, link_broken, link_empty, link_relative, link_scheme, link_private, link_gone (no such page), link_failing (no answer), picture_empty, picture_relative, picture_scheme, picture_private, picture_broken, picture_svg, tag_unknown, tag_broken (no complete merge tag), tag_foreign (a merge tag of another program), tag_of_feed, tag_without_value, tag_default_format, unsubscribe_missing, address_missing, address_not_shown, alt_missing, picture_not_embedded, html_clipped, from_bad, from_not_authenticated, authenticate_off, links_not_https, bounces_not_seen, segment_gone, import_missing, import_page_link, import_mismatched, import_unused, import_undecodable, import_style_import, import_svg, import_local_address, import_linked_style, import_bad_address, no_recipients, audience, test_too_small, left_out_segment, left_out_duplicate, left_out_excluded_list, left_out_excluded_segment, left_out_suppressed, left_out_paused, left_out_unsubscribed, left_out_pending, left_out_bounced, left_out_inactive.',
    params: params({ cid: id('The campaign.') }),
    returns: z.array(
      named(
        'CampaignFinding',
        z.object({
          level: z.enum(levels),
          code: z.string(),
          message: z.string(),
          found: z
            .array(z.string())
            .meta({ description: 'The addresses or merge tags concerned, as written in the content.' }),
          variant: z.int().meta({ description: 'The variant of the A/B test; 0 is the campaign itself.' }),
        }),
      ),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    prepare: async (context, params) => {
      await followLater(context, params.cid);
      return leftOutPictures(context, params);
    },
    run: checkCampaign,
  }),
  method({
    name: 'campaignAudience',
    group: 'campaigns',
    summary:
      'Returns how many contacts would get a campaign if it were sent now, and how many would be left out and why.',
    params: params({ cid: id('The campaign.') }),
    returns: z.object({
      recipients: z.int(),
      left_out: z.array(
        z.object({
          reason: z.enum(leftOutReasons),
          count: z.int(),
        }),
      ),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: countAudience,
  }),
];
