// Who got, opened and clicked in a large campaign, as bits (recipient_block), so that a segment of a million members reads
// some hundred rows instead of millions. A summary is made when a campaign ends. It counts while as many recipients have
// accepted as it contains: an accepted recipient stays accepted. Later opens and clicks are appended to new_reaction in the
// transaction that stores them, and a task moves them to the bits: blocks and new reactions together are always complete.

import { bitOf, blockOf, noBits } from '../audience/segments/summary-sql.ts';
import { sql, type Tx } from '../db/connect.ts';
import { jsonb } from '../db/jsonb.ts';
import type { CampaignKey } from '../db/keys.ts';
import { states } from '../db/states.ts';
import type { Payload, TaskContext } from '../jobs/tasks.ts';

/** Smaller campaigns are read fast without a summary, which might take more space than their recipients. */
const minRecipients = 50_000;
/** The recipients of a campaign to millions take a while to read. */
const summaryMs = 600_000;

/** What to delete with the recipients of a campaign. */
export const summaryTables = ['recipient_summary', 'recipient_block', 'new_reaction'] as const;

/** Makes the summary of a campaign, or makes it again. */
export async function summariseRecipients(
  { app: { db } }: Pick<TaskContext, 'app'>,
  { account_id, campaign_id }: Payload<'summariseRecipients'>,
  min = minRecipients,
): Promise<void> {
  const of = { account: account_id, campaign: campaign_id };
  await db.transaction(async (tx) => {
    // The planner expects a block for each contact and would sort bits of all recipients; a few megabytes hold the blocks.
    await tx.run(sql`
      select set_config('statement_timeout', ${String(summaryMs)}, true), set_config('enable_sort', 'off', true),
        set_config('work_mem', '64MB', true)`);
    const campaign = await tx.row<{ month: string; accepted: number }>(sql`
      select c.month::text as month, (
          select coalesce(sum(accepted), 0)::int from tally where account_id = c.account_id and campaign_id = c.id
        ) as accepted
      from campaign c
      where c.account_id = ${of.account}
        and c.id = ${of.campaign}
        and c.type in ('html', 'plain')
        and not exists (select from kept_report k where k.account_id = c.account_id and k.campaign_id = c.id)
      for key share`);
    if (!campaign || campaign.accepted < min) return;
    await lockSummary(tx, of);
    await tx.run(sql`delete from new_reaction where account_id = ${of.account} and campaign_id = ${of.campaign}`);
    await tx.run(sql`delete from recipient_block where account_id = ${of.account} and campaign_id = ${of.campaign}`);
    await tx.run(sql`
      insert into recipient_block (account_id, campaign_id, block, accepted, opened, clicked)
      select ${of.account}::int, ${of.campaign}::int, block, coalesce(bit_or(contact) filter (where kind = 0), ${noBits}),
        coalesce(bit_or(contact) filter (where kind > 0), ${noBits}), coalesce(bit_or(contact) filter (where kind = 2), ${noBits})
      from (
        select ${blockOf(sql`contact_id`)} as block, ${bitOf(sql`contact_id`)} as contact, 0 as kind
        from delivery
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
          and month = ${campaign.month}
          and state = ${states.accepted}
        union all
        select ${blockOf(sql`contact_id`)}, ${bitOf(sql`contact_id`)}, case when clicks > 0 then 2 else 1 end
        from engagement
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
          and month = ${campaign.month}
          and (opens > 0 or clicks > 0)
      ) as done
      group by block`);
    await tx.run(sql`
      update recipient_summary
      set accepted = (
        select coalesce(sum(bit_count(accepted)), 0)
        from recipient_block
        where account_id = ${of.account}
          and campaign_id = ${of.campaign}
      )
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}`);
  }, summaryMs + 5_000);
}

/** Moves new opens and clicks to the bits of their campaigns. */
export async function foldReactions({ app: { db }, signal }: Pick<TaskContext, 'app' | 'signal'>): Promise<void> {
  const campaigns = await db.rows<CampaignKey>(sql`
    select distinct account_id as account, campaign_id as campaign
    from new_reaction`);
  for (const of of campaigns) {
    if (signal.aborted) return;
    await db.transaction((tx) => fold(tx, of));
  }
}

export type Uncounted = CampaignKey & { contact: number; opens: number; clicks: number };

/** Removes from the bits the contacts without any open or click of a person left. */
export async function uncountReactions(tx: Tx, recipients: readonly Uncounted[]): Promise<void> {
  const byCampaign = Map.groupBy(recipients, ({ campaign }) => campaign);
  // Always in the same order, so that two processes never deadlock.
  for (const [campaign, own] of [...byCampaign].sort(([a], [b]) => a - b)) {
    const of = { account: own[0]!.account, campaign };
    await fold(tx, of);
    await tx.run(sql`
      update recipient_block r
      set opened = r.opened & ~ m.opened, clicked = r.clicked & ~ m.clicked
      from (
        select ${blockOf(sql`contact`)} as block, coalesce(bit_or(${bitOf(sql`contact`)}) filter (where clicks = 0), ${noBits}) as clicked,
          coalesce(bit_or(${bitOf(sql`contact`)}) filter (where clicks = 0 and opens = 0), ${noBits}) as opened
        from jsonb_to_recordset(${jsonb(own)}::jsonb) as u(contact int, opens int, clicks int)
        group by 1
      ) as m
      where r.account_id = ${of.account}
        and r.campaign_id = ${of.campaign}
        and r.block = m.block`);
  }
}

/** Without a summary the new reactions are only deleted: `engagement` has them. */
async function fold(tx: Tx, of: CampaignKey): Promise<void> {
  const accepted = await lockSummary(tx, of);
  await tx.run(sql`
    with gone as (
      delete from new_reaction
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
      returning opened, clicked
    ), reaction as (
      select contact, false as clicked from gone, unnest(opened) as contact
      union all
      select contact, true from gone, unnest(clicked) as contact
    )
    insert into recipient_block as r (account_id, campaign_id, block, accepted, opened, clicked)
    select ${of.account}::int, ${of.campaign}::int, ${blockOf(sql`contact`)}, ${noBits}, bit_or(${bitOf(sql`contact`)}),
      coalesce(bit_or(${bitOf(sql`contact`)}) filter (where clicked), ${noBits})
    from reaction
    where ${accepted}::int >= 0
    group by 3
    on conflict (account_id, campaign_id, block) do update
    set opened = r.opened | excluded.opened, clicked = r.clicked | excluded.clicked`);
}

/** Lets one transaction at a time change the bits of a campaign. @returns how many recipients they contain; -1 for none made */
async function lockSummary(tx: Tx, of: CampaignKey): Promise<number> {
  const row = await tx.row<{ accepted: number }>(sql`
    insert into recipient_summary as r (account_id, campaign_id, accepted)
    values (${of.account}, ${of.campaign}, -1)
    on conflict (account_id, campaign_id) do update set accepted = r.accepted
    returning accepted`);
  return row!.accepted;
}
