// The methods that check a campaign before it is sent.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { id, params } from '../../method/params.ts';
import { levels } from '../check/check-mail.ts';
import { codesInWords, findingCodes, leftOutReasons } from '../check/codes.ts';
import { leftOutPictures } from '../check/left-out-pictures.ts';
import { followLater } from '../check/links/follow-links.ts';
import { checkCampaign, countAudience } from './check-campaign.ts';

export const checkMethods = [
  method({
    name: 'campaignCheck',
    group: 'campaigns',
    summary: 'Checks a campaign before it is sent: links, merge tags, size, sender, audience.',
    description: `An error makes sending impossible: campaignSendNow and campaignSchedule return a fault. It is one of not_ready (no list, no content, a sender, domain or setting that may not be used), content_empty (nothing that a reader would see), sample_email (the sample letter of a new campaign as it was), from_bad and segment_gone. sample_email is a warning for a starter template as it was; the web application sends neither. Warnings and infos do not prevent sending; the web application asks the user to confirm warnings. A part without an unsubscribe link gets the footer. Links are checked for their form. A job that the check queues follows them, and later checks have what it found; the check does not wait for it. With inline_img the images are fetched, for up to 15 seconds. Codes: ${codesInWords}.`,
    params: params({ cid: id('The campaign.') }),
    returns: z.array(
      named(
        'CampaignFinding',
        z.object({
          level: z.enum(levels),
          code: z.enum(findingCodes),
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
    narrowed: true,
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
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: countAudience,
  }),
];
