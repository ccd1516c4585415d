// Why a subscriber has no message of an autoresponder yet: the sentences of campaignExplain.

import { audienceCondition } from '../../audience/segments/audience.ts';
import { type Message, message } from '../../base/messages.ts';
import { nextOccasion } from '../../campaigns/release/occasions.ts';
import { sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { formatDate } from '../../method/date.ts';
import { type Auto, factsOf, ruleOf } from './autoresponder-planner.ts';

type Subscribed = { name: string; signupAt: Date | null; day: string | null; zone: string; chosen: boolean };

/** For a contact subscribed to a list of the autoresponder that has no recipient row and is excluded by nothing else. */
export async function whyNoOccasion(
  tx: Tx,
  of: CampaignKey,
  emailKey: string,
): Promise<[outcome: 'not due' | 'excluded', explanation: Message[]]> {
  const campaign = (await tx.row<{
    auto: Auto;
    isOfAutomation: boolean;
    begunAt: Date;
    now: Date;
    zone: string;
    status: string;
  }>(sql`
    select c.auto, c.auto ->> 'event' = 'automation' as "isOfAutomation", c.send_at as "begunAt", now() as now, a.time_zone as zone, c.status
    from campaign c
    join account a on a.id = c.account_id
    where c.account_id = ${of.account}
      and c.id = ${of.campaign}`))!;
  if (campaign.isOfAutomation) return ['not due', [message('explain.email_of_automation')]];
  const chosen = await audienceCondition(tx, of);
  const members = await tx.rows<Subscribed>(sql`
    select li.name, coalesce(nullif(c.time_zone, ''), nullif(li.time_zone, ''), '') as zone,
      coalesce(s.confirm_at, s.optin_at, s.signup_at) as "signupAt", s.fields ->> ${campaign.auto.tag}::text as day,
      ${chosen} as chosen
    from campaign_list l
    join list li on li.account_id = l.account_id and li.id = l.list_id
    join subscription s on s.account_id = l.account_id and s.list_id = l.list_id and s.status = 'subscribed'
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    where l.account_id = ${of.account}
      and l.campaign_id = ${of.campaign}
      and c.email_key = ${emailKey}
    order by l.position, li.id`);
  const inAudience = members.filter((member) => member.chosen);
  if (inAudience.length === 0) return ['excluded', [message('explain.no_segment')]];
  const rule = ruleOf(campaign.auto);
  const facts = inAudience.map((member) => factsOf(member, campaign.zone));
  if (rule.event !== 'signup' && facts.every((fact) => fact.day === null))
    return ['not due', [message('explain.no_date', { tag: campaign.auto.tag })]];
  const paused = campaign.status === 'paused' ? [message('explain.autoresponder_paused')] : [];
  const due = facts
    .flatMap((fact) => nextOccasion(rule, fact, campaign.now) ?? [])
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())[0];
  if (due) return ['not due', [message('explain.due_at', { time: formatDate(due.dueAt) }), ...paused]];
  const missed = facts.some((fact) => nextOccasion(rule, fact, campaign.begunAt));
  return missed
    ? ['not due', [message('explain.due_now'), ...paused]]
    : ['not due', [message('explain.occasion_before_start', { time: formatDate(campaign.begunAt) })]];
}
