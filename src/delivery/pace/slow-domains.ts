// The recipient domains that delay a campaign: those that asked to try later, with their last reply.
import { z } from 'zod';
import { needCampaignId } from '../../campaigns/model/campaign.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { id, params } from '../../method/params.ts';

const maxDomains = 20;

export const slowDomainsMethod = method({
  name: 'campaignSlowDomains',
  group: 'campaigns',
  summary:
    'Lists the domains whose servers asked to try later, with the number of waiting messages and the last reply.',
  description: `At most ${maxDomains} domains, those with the most waiting messages first. reply is the last reply of the server, next_time the time of the next attempt.`,
  params: params({ cid: id('The campaign.') }),
  returns: z.array(z.object({ domain: z.string(), later: z.int(), next_time: z.string(), reply: z.string() })),
  faults: ['CAMPAIGN_UNKNOWN'],
  scope: 'read',
  narrowed: true,
  reads: true,
  example: { params: { cid: '{{campaign}}' } },
  async run(context, given) {
    const { tx, account } = context;
    const campaignId = await needCampaignId(context, given.cid);
    const rows = await tx.rows<{ domain: string; later: number; nextAt: Date | null; reply: string | null }>(sql`
      select domain, count(*)::int as later, min(next_at) as "nextAt",
        (array_agg(concat_ws(' ', reply_code, reply) order by seq desc))[1] as reply
      from delivery
      where account_id = ${account.id}
        and campaign_id = ${campaignId}
        and month = ${monthOf({ account: account.id, campaign: campaignId })}
        and state = ${states.later}
        and exists (
          select from tally t
          where t.account_id = ${account.id} and t.campaign_id = ${campaignId} and t.later > 0
        )
      group by domain
      order by count(*) desc, domain
      limit ${maxDomains}`);
    return rows.map(({ nextAt, reply, ...row }) => ({ ...row, next_time: formatDate(nextAt), reply: reply ?? '' }));
  },
});
