// campaignTestChoose: a person ends an A/B test.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { id, integer, params } from '../../method/params.ts';
import { chooseVariant } from './decide.ts';

export const testChooseMethod = method({
  name: 'campaignTestChoose',
  group: 'campaigns',
  summary: 'Ends the A/B test of a campaign: the recipients who wait for its result get this variant.',
  description:
    'Works from the launch until the winner is known, with every rule for the winner; a paused campaign sends to them when it is resumed. Recipients of the test group keep their variant. A second call returns CAMPAIGN_STATE_CONFLICT, as does one after the test ended automatically.',
  params: params({
    cid: id('The campaign.'),
    variant: integer('The variant; 0 is the campaign itself.', 0, 4),
  }),
  returns: z.boolean(),
  faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'INVALID_PARAMETER'],
  scope: 'send',
  narrowed: true,
  example: { params: { cid: '{{testing}}', variant: 1 } },
  run: chooseVariant,
});
