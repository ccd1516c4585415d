// The methods that control a running campaign: pause, resume, stop, and the decision about unclear recipients.
import { z } from 'zod';
import { giveUpHours } from '../../base/relay/give-up.ts';
import { method } from '../../method/method.ts';
import { boolean, id, oneOf, params, text } from '../../method/params.ts';
import { pauseCampaign, resumeCampaign } from './pause.ts';
import { resolveUnclear } from './resolve.ts';
import { stopCampaign } from './stop.ts';

export const controlMethods = [
  method({
    name: 'campaignPause',
    group: 'campaigns',
    summary: 'Pauses a running campaign. Messages on the wire at that moment still go out, nothing else does.',
    params: params({ cid: id('The campaign.') }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{running}}' } },
    run: pauseCampaign,
  }),
  method({
    name: 'campaignResume',
    group: 'campaigns',
    summary: 'Resumes a paused campaign with exactly the recipients that are left.',
    description:
      'If its text was corrected during the pause, they get the corrected text. A campaign that was paused because of refusals tries their recipients again at once, and pauses again if the relay still refuses them. With count_refusals these refusals count as bounces of the recipients: for addresses that are really gone. campaignProgress shows as refused_alike that there are such refusals. A campaign that was paused for too many hard bounces or complaints (the value reputation of accountUpdate) is not paused for the same reason again, unless watch_again is true.',
    params: params({
      cid: id('The campaign.'),
      count_refusals: boolean(
        'Whether the refusals because of which it was paused are about the recipients and count as bounces; default false.',
      ).default(false),
      watch_again: boolean(
        'Whether it may be paused once more for hard bounces or complaints, counted from now on; default false.',
      ).default(false),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'APPROVAL_NEEDED'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{paused}}' } },
    run: resumeCampaign,
  }),
  method({
    name: 'campaignStop',
    group: 'campaigns',
    summary: 'Ends a paused campaign. The remaining recipients are skipped; returns their number.',
    description:
      'The campaign is then sent and cannot be resumed. Its report shows the remaining recipients as skipped with the reason stopped; of more than 100000 only after some minutes, and the event campaign.sent comes then. Recipients whose message may have been sent (unclear) get no further copy: they are failed with the reason unclear and not counted in the returned number. Pause the campaign first: messages on the wire at that moment take a few seconds to be decided, and until then the answer is CAMPAIGN_STATE_CONFLICT.',
    params: params({ cid: id('The campaign.') }),
    returns: z.int(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{paused}}' } },
    run: (context, params) => stopCampaign(context, params),
  }),
  method({
    name: 'campaignResolve',
    group: 'campaigns',
    summary: 'Decides what happens to recipients whose delivery could not be confirmed.',
    description: `For accounts whose setting unclear is "hold": recipients in the state unclear (campaignRecipients lists them) are held until this call, and the campaign is not finished until then. The owner gets an email after an hour; after ${giveUpHours} hours they count as not delivered, as with drop. action "resend" sends each of them a copy with the same Message-ID, which campaignRecipients marks, while the campaign is sending or when it is resumed (CAMPAIGN_STATE_CONFLICT otherwise); "drop" marks them as failed with the reason unclear. email limits the call to one recipient; without it all are decided.`,
    params: params({
      cid: id('The campaign.'),
      action: oneOf('What to do.', ['resend', 'drop']),
      email: text('Only this recipient.', 320).optional(),
    }),
    returns: z.object({ resolved: z.int().meta({ description: 'How many recipients this call decided.' }) }),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'ADDRESS_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'send',
    narrowed: true,
    example: { params: { cid: '{{paused}}', action: 'resend' } },
    run: resolveUnclear,
  }),
];
