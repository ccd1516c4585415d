// campaignFollowUp.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { id, oneOf, params } from '../../method/params.ts';
import { followUp } from './follow-up.ts';

export const followUpMethod = method({
  name: 'campaignFollowUp',
  group: 'campaigns',
  summary: 'Copies a sent campaign into a draft for the recipients it did not reach. Returns the id of the copy.',
  description:
    'to says whom: not_opened (got it and is not known to have opened it), not_clicked (got it and did not click), failed (their servers refused it). The audience of the copy is a segment on each of its lists, which is made unless there is one. Contacts who have unsubscribed, bounced or reacted by the time the copy is sent to them do not get it, nor do those whose opens and clicks are not recorded get not_opened or not_clicked. After an A/B test the copy has the content of the winner.',
  params: params({
    cid: id('The campaign.'),
    to: oneOf('not_opened, not_clicked or failed.', ['not_opened', 'not_clicked', 'failed']),
  }),
  returns: z.string(),
  faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_OPTION_INVALID'],
  scope: 'write',
  narrowed: true,
  example: { params: { cid: '{{sent}}', to: 'not_opened' } },
  run: followUp,
});
