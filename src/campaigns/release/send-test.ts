// campaignSendTest: queues test messages of what is being written, a correction of a campaign that is paused or running included,
// within the hourly limit of the account.

import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { lockClasses } from '../../db/locks.ts';
import { enqueue } from '../../jobs/queue.ts';
import { type Campaign, lockCampaign, wrongStatus } from '../model/campaign.ts';
import { needAddress, needAsciiAddress, needOwnDomain } from '../model/requirements.ts';
import { needVariant } from '../model/variant.ts';
import { firstStranger } from './test-people.ts';

/** Addresses per call, and test messages per account and hour. */
export const testLimits = { addresses: 20, perHour: 60 };

export type TestOrder = {
  cid: string;
  test_emails: string[];
  send_type?: 'html' | 'plain' | undefined;
  variant?: number | undefined;
};

/** @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, NOT_ALLOWED, SENDING_NOT_ALLOWED, TOO_LARGE, ADDRESS_INVALID, CAMPAIGN_OPTION_INVALID, TOO_MANY_CALLS */
export async function sendTest(
  context: Context,
  { cid, test_emails, send_type, variant = 0 }: TestOrder,
): Promise<true> {
  const { account, caller, tx } = context;
  const campaign = await lockCampaign(context, cid);
  if (!canBeTested(campaign)) throw wrongStatus(campaign.status, 'test_unsent');
  if (!account.maySend) throw fault('SENDING_NOT_ALLOWED', 'campaign.sending_not_allowed');
  // Duplicates count too, so that the limit does not depend on what the addresses are.
  if (test_emails.length > testLimits.addresses)
    throw fault('TOO_LARGE', 'campaign.too_many_test_addresses', {
      member: 'test_emails',
      length: test_emails.length,
      count: testLimits.addresses,
    });
  const emails = [...new Set(test_emails.map((email, i) => needAddress(email, `test_emails.${i}`)))];
  if (emails.length === 0) throw fault('ADDRESS_INVALID', 'campaign.no_test_address', { member: 'test_emails' });
  const stranger = mayDo(caller, 'campaigns:send') ? undefined : await firstStranger(tx, account, emails);
  if (stranger !== undefined)
    throw fault('NOT_ALLOWED', 'campaign.test_people_only', { email: stranger.slice(0, 100) });
  await needVariant(context, campaign.id, variant);
  await orderTests(context, campaign, { emails, send_type, variant });
  return true;
}

/** What can still be changed, or corrected: some may have the text before. */
const canBeTested = ({ status, type }: Campaign): boolean =>
  ['draft', 'scheduled', 'paused'].includes(status) || (type === 'auto' && ['launching', 'sending'].includes(status));

/**
 * Queues test messages within the hourly limit.
 * @param reader of a rehearsal: whose values they show (0: no one's), as a member of a list; `event`: the name of the event that they show
 * @throws Fault CAMPAIGN_OPTION_INVALID, SENDING_NOT_ALLOWED, TOO_MANY_CALLS
 */
export async function orderTests(
  context: Context,
  campaign: Pick<Campaign, 'id' | 'sender'>,
  {
    emails,
    send_type,
    variant,
    reader,
  }: Omit<TestOrder, 'cid' | 'test_emails'> & {
    emails: string[];
    variant: number;
    reader?: { contact: number; list: number; event: string };
  },
): Promise<void> {
  const { tx, account } = context;
  needAsciiAddress(campaign.sender || account.email, 'sender');
  await needOwnDomain(context, campaign.sender);
  await countTests(context, emails.length);
  await enqueue(tx, 'sendTestMails', {
    account_id: account.id,
    campaign_id: campaign.id,
    emails,
    send_type: send_type ?? 'both',
    variant,
    ...(reader && { reader }),
    ...(!mayDo(context.caller, 'contacts:read') && { plain_values: true }),
  });
}

/** Counts test messages against the hourly limit. @throws Fault TOO_MANY_CALLS */
async function countTests({ tx, account }: Context, recipients: number): Promise<void> {
  // Serialises the calls of one account, so that together they stay within the limit.
  await tx.run(sql`select pg_advisory_xact_lock(${lockClasses.testMessages}::int, ${account.id}::int)`);
  const sent = await tx.row<{ count: number; seconds: number }>(sql`
    select coalesce(sum(recipients), 0)::int as count,
      coalesce(ceil(extract(epoch from min(at) + interval '1 hour' - now())), 0)::int as seconds
    from test_mail
    where account_id = ${account.id}
      and at > now() - interval '1 hour'`);
  if (sent!.count + recipients > testLimits.perHour)
    throw new Fault(
      'TOO_MANY_CALLS',
      message('campaign.too_many_tests', { count: testLimits.perHour, minutes: Math.ceil(sent!.seconds / 60) }),
      sent!.seconds,
    );
  await tx.run(sql`insert into test_mail (account_id, recipients) values (${account.id}, ${recipients})`);
}
