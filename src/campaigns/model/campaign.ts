// Finding a campaign by its public id, its states and its types.
// Guarantees one fault for an unknown campaign and one for a campaign in the wrong state.
import type { Context } from '../../base/context.ts';
import { type Fault, fault } from '../../base/faults.ts';
import { type MessageKey, message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { AutoSettings } from './autoresponder.ts';
import type { SourceFormat } from './source-format.ts';

/** The internal states, and the word of the specification (sent, draft, paused, sending) that each is shown as. */
export const shownStatus = {
  draft: 'draft',
  scheduled: 'sending',
  launching: 'sending',
  sending: 'sending',
  paused: 'paused',
  sent: 'sent',
} as const;
export type Status = keyof typeof shownStatus;
export const statuses = Object.keys(shownStatus) as [Status, ...Status[]];
export const shownStatuses = ['draft', 'sending', 'paused', 'sent'] as const satisfies (typeof shownStatus)[Status][];

export const shownType = { html: 'HTML', plain: 'plain text', auto: 'auto' } as const;
export type CampaignType = keyof typeof shownType;

/** The labels of campaigns. */
export const campaignLabels = { table: sql`campaign_label`, object: sql`campaign_id` };

/** What the state must allow, as the fault explains it (messages `campaign.rule.*`). */
export type Rule = Extract<MessageKey, `campaign.rule.${string}`> extends `campaign.rule.${infer Name}` ? Name : never;

export type Campaign = {
  id: number;
  type: CampaignType;
  status: Status;
  title: string;
  subject: string;
  html: string;
  plain: string;
  plainGenerated: boolean;
  source: string;
  sourceFormat: 'html' | SourceFormat;
  generateText: boolean;
  sender: string;
  authenticate: boolean;
  auto: AutoSettings | null;
  /** '' for that of the account. */
  language: string;
};

/** Returns a campaign, its row locked until the end of the transaction. @throws Fault CAMPAIGN_UNKNOWN */
export async function lockCampaign(context: Context, cid: string): Promise<Campaign> {
  const row = await context.tx.row<Campaign>(sql`
    select id, type, status, title, subject, html, plain, plain_generated as "plainGenerated", generate_text as "generateText", sender,
      authenticate, auto, source, source_format as "sourceFormat", language
    from campaign
    where account_id = ${context.account.id}
      and id = ${parseId(cid)}
      and type <> 'message'
    for update`);
  if (!row) throw unknownCampaign(cid);
  return row;
}

/** Locks a campaign that must be in one of these states. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function lockInStatus(
  context: Context,
  cid: string,
  allowed: readonly Status[],
  rule: Rule,
): Promise<Campaign> {
  const campaign = await lockCampaign(context, cid);
  if (!allowed.includes(campaign.status)) throw wrongStatus(campaign.status, rule);
  return campaign;
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT for the email of an automation, which alone sends it */
export function needNotOfAutomation({ type, auto }: Campaign): void {
  if (type === 'auto' && auto?.event === 'automation')
    throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.email_of_automation');
}

/** Returns the stored id of a campaign of the account. @throws Fault CAMPAIGN_UNKNOWN */
export async function needCampaignId({ tx, account }: Context, cid: string): Promise<number> {
  const row = await tx.row<{ id: number }>(
    sql`select id from campaign where account_id = ${account.id} and id = ${parseId(cid)} and type <> 'message'`,
  );
  if (!row) throw unknownCampaign(cid);
  return row.id;
}

/** The same with its account. @throws Fault CAMPAIGN_UNKNOWN */
export const needCampaignKey = async (context: Context, cid: string): Promise<CampaignKey> => ({
  account: context.account.id,
  campaign: await needCampaignId(context, cid),
});

/** The fault for a public id that is no campaign of the account. */
export function unknownCampaign(cid: string, member = 'cid'): Fault {
  return fault('CAMPAIGN_UNKNOWN', 'campaign.unknown', { member, id: cid.slice(0, 40) });
}

/** The fault for a campaign whose status does not allow the call. */
export function wrongStatus(status: Status, rule: Rule): Fault {
  return fault('CAMPAIGN_STATE_CONFLICT', 'campaign.wrong_state', {
    state: message(`campaign.state.${status}`),
    rule: message(`campaign.rule.${rule}`),
  });
}
