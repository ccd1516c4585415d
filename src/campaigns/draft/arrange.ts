// The part of campaignUpdate that changes nothing of what is sent, and is possible in every state: labels, and whether the screens
// leave the campaign out. It makes no version and is no correction.
import { changeLabel, isLabelChange, labelChanges } from '../../accounts/labels/label.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { boolean, id, struct } from '../../method/params.ts';
import { readValue } from '../../method/read-value.ts';
import { campaignLabels, lockCampaign, type Status, wrongStatus } from '../model/campaign.ts';

export const arrangements = ['hidden', ...labelChanges] as const;
export type Arrangement = (typeof arrangements)[number];

const types = struct(
  'The new value.',
  { hidden: boolean('').optional(), add_label: id('').optional(), remove_label: id('').optional() },
  { fault: 'CAMPAIGN_OPTION_INVALID' },
);

/** The arrangement that a name of campaignUpdate means, if any. */
export const arrangementOf = (name: string): Arrangement | undefined =>
  arrangements.find((one) => one === name.trim().toLowerCase());

/** What is being sent, or waits to be, is always shown. */
const hideable: readonly Status[] = ['draft', 'sent'];

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_OPTION_INVALID, LABEL_UNKNOWN, LABEL_INVALID */
export async function arrangeCampaign(
  context: Context,
  cid: string,
  arrangement: Arrangement,
  value: unknown,
): Promise<true> {
  const campaign = await lockCampaign(context, cid);
  if (value === undefined) throw fault('INVALID_PARAMETER', 'parameter.required', { member: 'value' });
  const given = readValue(types, { [arrangement]: value });
  if (isLabelChange(arrangement)) {
    const label = given[arrangement] ?? '';
    await changeLabel(context, campaignLabels, campaign.id, { change: arrangement, label, member: 'value' });
    return true;
  }
  const hidden = given.hidden === true;
  if (hidden && !hideable.includes(campaign.status)) throw wrongStatus(campaign.status, 'hide');
  await context.tx.run(sql`
    update campaign
    set is_hidden = ${hidden}
    where account_id = ${context.account.id}
      and id = ${campaign.id}`);
  return true;
}
