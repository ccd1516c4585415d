// Deletes a list with its subscriptions, fields, segments and automations. Refused while a campaign goes to the list or excludes it, an
// automation of it is active, or a segment of another list refers to it; without the list these would reach the wrong contacts.
import { forgetList } from '../../accounts/keys/lists.ts';
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { deleteUnused } from '../fields/shared.ts';
import { needList } from '../model/list.ts';
import { segmentsAbout } from '../segments/references.ts';

/** @throws Fault LIST_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function deleteList(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account } = context;
  // Waits for calls that are about to use the list; later calls wait and then find it gone.
  await tx.run(sql`select from list where account_id = ${account.id} and id = ${parseId(id)} for update`);
  const list = await needList(context, id);
  await needNoActiveAutomation(context, list.id);
  await needNoActiveCampaign(context, list.id);
  await needNotExcluded(context, list.id);
  await needNotInSegments(context, list.id);
  await deleteMembers(context, list.id);
  await removeFromCampaigns(context, list.id);
  await forgetList(tx, account.id, list.id);
  await tx.run(sql`delete from list where account_id = ${account.id} and id = ${list.id}`);
  await deleteUnused(context);
  // Counts left behind by erased contacts.
  await tx.run(sql`delete from member_tally where account_id = ${account.id} and list_id = ${list.id}`);
  return true;
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a campaign is being sent to the list or scheduled for it */
async function needNoActiveCampaign({ tx, account }: Context, listId: number): Promise<void> {
  const campaign = await tx.row<{ id: number; title: string; sending: boolean }>(sql`
    select c.id, c.title, c.status in ('launching', 'sending') as sending
    from campaign_list l
    join campaign c on c.account_id = l.account_id and c.id = l.campaign_id
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and (
        c.status in ('launching', 'sending', 'scheduled')
        or (c.status = 'paused' and c.paused_from = 'scheduled')
      )
      -- An email of an automation is sending until it is paused; only the automation, which is not active, gives it recipients.
      and not (
        c.type = 'auto'
        and c.status = 'sending'
        and c.auto ->> 'automation' is not null
        and not exists (
          select
          from tally t
          where t.account_id = c.account_id
            and t.campaign_id = c.id
          having sum(queued) <> 0 or sum(trying) <> 0 or sum(later) <> 0 or sum(unclear) <> 0
        )
      )
    order by sending desc, c.id
    limit 1`);
  if (campaign)
    throw new Fault(
      'CAMPAIGN_STATE_CONFLICT',
      campaign.sending
        ? message('list.being_sent_to', { member: 'id', campaign: titlesOf([campaign]) })
        : message('list.scheduled_for', { member: 'id', campaign: titlesOf([campaign]) }),
    );
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when an automation of the list is active: contacts wait on its steps */
async function needNoActiveAutomation({ tx, account }: Context, listId: number): Promise<void> {
  const automations = await tx.rows<{ id: number; title: string }>(sql`
    select id, title
    from automation
    where account_id = ${account.id}
      and list_id = ${listId}
      and status = 'active'
    order by id`);
  if (automations.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'list.of_automation', { member: 'id', automations: titlesOf(automations) });
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a campaign excludes the list or a segment of it: it would go to the excluded contacts */
async function needNotExcluded({ tx, account }: Context, listId: number): Promise<void> {
  const campaigns = await tx.rows<{ id: number; title: string }>(sql`
    select distinct c.id, c.title
    from campaign_exclusion x
    join campaign c on c.account_id = x.account_id and c.id = x.campaign_id
    where x.account_id = ${account.id}
      and (c.status <> 'sent' or c.type = 'auto')
      and (
        (x.kind = 'list' and x.target_id = ${listId})
        or (
          x.kind = 'segment'
          and x.target_id in (select id from segment where account_id = ${account.id} and list_id = ${listId})
        )
      )
    order by c.id`);
  if (campaigns.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'list.left_out_by', { member: 'id', campaigns: titlesOf(campaigns) });
}

/** @throws Fault CAMPAIGN_STATE_CONFLICT when a segment of another list refers to this one: it would silently match no one, or everyone */
async function needNotInSegments(context: Context, listId: number): Promise<void> {
  const segments = await segmentsAbout(context, listId);
  if (segments.length > 0)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'list.used_by_segment', { member: 'id', segments: titlesOf(segments) });
}

/** Deletes the subscriptions, and the contacts that are on no other list. */
async function deleteMembers({ tx, account }: Context, listId: number): Promise<void> {
  await tx.run(sql`
    with deleted as (
      delete from subscription
      where account_id = ${account.id}
        and list_id = ${listId}
      returning contact_id
    )
    delete from contact c
    using deleted
    where c.account_id = ${account.id}
      and c.id = deleted.contact_id
      and not exists (
        select from subscription s
        where s.account_id = c.account_id and s.contact_id = c.id and s.list_id <> ${listId}
      )`);
}

async function removeFromCampaigns({ tx, account }: Context, listId: number): Promise<void> {
  await tx.run(sql`
    delete from campaign_segment cs
    using segment g
    where cs.account_id = ${account.id}
      and g.account_id = cs.account_id
      and g.id = cs.segment_id
      and g.list_id = ${listId}`);
  await tx.run(sql`
    delete from campaign_exclusion x
    where x.account_id = ${account.id}
      and (
        (x.kind = 'list' and x.target_id = ${listId})
        or (
          x.kind = 'segment'
          and x.target_id in (select id from segment where account_id = ${account.id} and list_id = ${listId})
        )
      )`);
  // What was sent to other lists too is not the report of those alone.
  await tx.run(sql`
    update campaign c
    set lost_list = true
    from campaign_list l
    where l.account_id = ${account.id}
      and l.list_id = ${listId}
      and c.account_id = l.account_id
      and c.id = l.campaign_id
      and c.status <> 'draft'`);
  await tx.run(sql`delete from campaign_list where account_id = ${account.id} and list_id = ${listId}`);
}

const titlesOf = (items: { id: number; title: string }[]) =>
  items.map((item) => `${formatId(item.id)} "${item.title}"`).join(', ');
