// The methods for the files attached to a campaign: add, list, delete.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { bytesOrText, contentType, filledLine, id, integer, params } from '../../method/params.ts';
import { attachmentLimits } from '../content/limits.ts';
import { unsendable } from '../release/sendable.ts';
import { addAttachment, deleteAttachment, listAttachments } from './attachments.ts';

const record = named(
  'CampaignAttachment',
  z.object({
    no: z.int().meta({ description: 'Its number within the campaign.' }),
    name: z.string(),
    content_type: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
  }),
);

export const attachmentMethods = [
  method({
    name: 'campaignAttachmentCreate',
    group: 'campaigns',
    summary: 'Attaches a file to a campaign.',
    description: `Every recipient gets the file with the message. A campaign has at most ${attachmentLimits.files} files of ${attachmentLimits.bytes / 1024 / 1024} MiB together. It works as long as campaignUpdate does. Copies of the campaign (campaignReplicate, campaignFollowUp, the issues of a recurring campaign) have its attachments; the web version shows none. For large files a link is better: many servers reject or delay large messages.`,
    params: params({
      cid: id('The campaign.'),
      name: filledLine('The name of the file.', 200),
      content: bytesOrText('The content: base64, or text in Base64.', 10_000_000),
      content_type: contentType('Its type, such as application/pdf; without it, that of the name.').default(''),
    }),
    returns: record,
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'TOO_LARGE', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: {
      params: {
        cid: '{{campaign}}',
        name: 'hours.txt',
        content: 'T3BlbiBmcm9tIDkgdG8gNQo=',
        content_type: 'text/plain',
      },
    },
    run: addAttachment,
  }),
  method({
    name: 'campaignAttachments',
    group: 'campaigns',
    summary: 'Returns the files attached to a campaign, in the order in which they are in the message.',
    params: params({ cid: id('The campaign.') }),
    returns: z.array(record),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listAttachments,
  }),
  method({
    name: 'campaignAttachmentDelete',
    group: 'campaigns',
    summary: 'Removes an attached file from a campaign that has not been sent.',
    params: params({
      cid: id('The campaign.'),
      no: integer('The number of the file, from campaignAttachments.', 1, 1_000_000),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{attached}}', no: 1 } },
    run: deleteAttachment,
  }),
];
