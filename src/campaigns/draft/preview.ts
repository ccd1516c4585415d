// campaignPreview: a campaign as one contact would read it, with merge tags filled and nothing counted.
import { mayDo } from '../../accounts/keys/permissions.ts';
import { addressKey } from '../../audience/address.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { compileCampaign } from '../compile/compile-campaign.ts';
import { withExample } from '../compile/example.ts';
import { preview } from '../compile/fill.ts';
import type { Recipient } from '../markup/compiled.ts';
import { needCampaignId } from '../model/campaign.ts';
import { needVariant } from '../model/variant.ts';

/** @throws Fault CAMPAIGN_UNKNOWN, ADDRESS_UNKNOWN, INVALID_PARAMETER */
export async function previewCampaign(
  context: Context,
  { cid, email, variant = 0 }: { cid: string; email?: string | undefined; variant?: number | undefined },
) {
  const { tx, app, account, now } = context;
  const campaignId = await needCampaignId(context, cid);
  await needVariant(context, campaignId, variant);
  const compiled = (await compileCampaign(tx, app, account, campaignId, [], { no: variant }))!;
  // Who may not see addresses reads it with the defaults of the tags.
  const reader = mayDo(context.caller, 'contacts:read')
    ? await readerOf(context, campaignId, email?.trim() ?? '')
    : undefined;
  const shown = preview(compiled, withExample(reader ?? noReader, compiled), now);
  return {
    contact: reader?.email ?? '',
    subject: shown.subject,
    from_name: shown.fromName,
    from_email: compiled.fromEmail,
    to_name: shown.toName,
    html: shown.html ?? '',
    plain: shown.plain ?? '',
  };
}

/** Stands for the contact while the lists are empty. */
const noReader: Recipient = { email: '', emailType: 'html', values: {}, list: 0 };

/**
 * The contact who reads the preview: with an address, that contact, as a member of the first list of the campaign that
 * has it, else of any list; without one, the oldest subscriber of the first list.
 */
async function readerOf({ tx, account }: Context, campaignId: number, email: string): Promise<Recipient | undefined> {
  if (email === '')
    return tx.row<Recipient>(sql`
      select c.email, 'html' as "emailType", s.fields as values, s.list_id as list
      from campaign_list l
      cross join lateral (
        select contact_id, list_id, account_id, fields
        from subscription m
        where m.account_id = l.account_id
          and m.list_id = l.list_id
          and m.status = 'subscribed'
        order by m.status_at, m.contact_id
        limit 1
      ) s
      join contact c on c.account_id = s.account_id and c.id = s.contact_id
      where l.account_id = ${account.id}
        and l.campaign_id = ${campaignId}
      order by l.position
      limit 1`);
  const row = await tx.row<Recipient>(sql`
    select c.email, 'html' as "emailType", s.fields as values, s.list_id as list
    from contact c
    join subscription s on s.account_id = c.account_id and s.contact_id = c.id
    left join campaign_list l on l.account_id = s.account_id and l.list_id = s.list_id and l.campaign_id = ${campaignId}
    where c.account_id = ${account.id}
      and c.email_key = ${addressKey(email) ?? ''}
    order by l.position nulls last, s.signup_at
    limit 1`);
  if (!row) throw fault('ADDRESS_UNKNOWN', 'campaign.contact_unknown', { member: 'email', email: email.slice(0, 80) });
  return row;
}
