// The methods that report on a campaign: its progress, its recipients, and why an address did or did not get it.
import { z } from 'zod';
import { statuses } from '../../campaigns/model/campaign.ts';
import { stateNames } from '../../db/states.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { id, oneOf, params, text } from '../../method/params.ts';
import { showProgress } from './campaign-progress.ts';
import { explainRecipient, outcomes } from './explain.ts';
import { listRecipients, recipientRecord } from './recipients.ts';

export const progressMethods = [
  method({
    name: 'campaignProgress',
    group: 'campaigns',
    summary: 'Returns the number of recipients in each state, the sending rate and the expected end.',
    description:
      'recipients is at every moment the sum of the seven states queued, trying, accepted, later, failed, skipped and unclear. recipients_complete is false in the first seconds of a large campaign: its first messages leave while the rest of its audience is still being recorded, so recipients grows. resent counts the copies sent again after an unclear outcome. rate is in messages a second over the last ten seconds, or since sending began or was resumed; finish_at is a forecast, "" when none can be given; when all that is left waits for a later time, it is the last of these times. waits_for says what all that is left waits for: local_time, best_hour, due_time, retry (the receiving servers put them off), quota (the account has sent what its warm_up allows today), monthly_quota (the account has sent what its operator allows it in a month, UTC), test (the winner of the A/B test is not known yet), window (the send window of the account is closed), decision (only recipients that are held are left), or "" when something can go now; next_time is then when the next go. held counts the unclear recipients for whom a person decides (campaignResolve); held_until is when the first of them counts as not delivered. refused_alike is whether the campaign is paused because of refusals that may be about the sender or about the recipients (campaignResume says what becomes of them). too_many is bounces or complaints if the campaign was paused because it had too many of them (campaignResume with watch_again watches it further), else "". late_by is by how many seconds a scheduled campaign was started after its time, 0 when it was in time. warnings reports what could not be done as wanted: picture_not_embedded names the pictures that inline_img could not put into the message.',
    params: params({ cid: id('The campaign.') }),
    returns: named(
      'CampaignProgress',
      z.object({
        recipients: z.int(),
        recipients_complete: z.boolean(),
        recipients_kept: z.boolean().meta({
          description:
            'Whether campaignRecipients still lists every recipient; false once old ones were deleted by age, which only the numbers include.',
        }),
        queued: z.int(),
        trying: z.int(),
        accepted: z.int(),
        later: z.int(),
        failed: z.int(),
        skipped: z.int(),
        unclear: z.int(),
        resent: z.int(),
        rate: z.number(),
        finish_at: z.string(),
        waits_for: z.enum([
          '',
          'local_time',
          'best_hour',
          'due_time',
          'retry',
          'quota',
          'monthly_quota',
          'test',
          'window',
          'decision',
        ]),
        next_time: z.string(),
        late_by: z.int(),
        warnings: z.array(z.object({ code: z.string(), message: z.string(), found: z.array(z.string()) })),
        held: z.int(),
        held_until: z.string(),
        refused_alike: z.boolean(),
        too_many: z.enum(['', 'bounces', 'complaints']),
        delivery_status: z.enum(statuses),
        status_reason: z.string(),
        excluded: z.record(z.string(), z.int()),
      }),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    primary: true,
    example: { params: { cid: '{{campaign}}' } },
    run: showProgress,
  }),
  method({
    name: 'campaignRecipients',
    group: 'campaigns',
    summary: 'Lists the recipients of a campaign with state, attempts, replies and times.',
    params: params({
      cid: id('The campaign.'),
      filter: oneOf('Which state; default all.', ['all', ...stateNames, 'resent']).default('all'),
      ...paging(100, 15_000),
    }),
    returns: z.object({ total: z.int(), data: z.array(recipientRecord) }),
    faults: ['CAMPAIGN_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', filter: 'failed' } },
    run: listRecipients,
  }),
  method({
    name: 'campaignExplain',
    group: 'campaigns',
    summary: 'Explains why an address did or did not get a campaign.',
    params: params({ cid: id('The campaign.'), email: text('The address.', 320) }),
    returns: z.object({
      email: z.string(),
      outcome: z.enum(outcomes),
      explanation: z.string(),
      deliveries: z.array(recipientRecord),
    }),
    faults: ['CAMPAIGN_UNKNOWN', 'ADDRESS_INVALID'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', email: '{{email}}' } },
    run: explainRecipient,
  }),
];
