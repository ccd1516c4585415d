// campaignApprovalRuleUpdate: whose campaigns need an approval. What is scheduled when the rule begins was started by one who might send,
// and stays so as it is then.
import { noticeOfChange } from '../../accounts/notices/security-notice.ts';
import { lockMembers } from '../../accounts/people/membership.ts';
import { peopleWhoMay } from '../../accounts/people/who-may.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { byCaller, lockApproval, recordAnswer } from '../approval/record.ts';
import { isSame, readVersion } from '../approval/version.ts';
import { type ApprovalRule, approvalRule } from '../approval/whose.ts';

/** @throws Fault ACCOUNT_OPTION_INVALID if no one could approve */
export async function changeRule(context: Context, { rule }: { rule: ApprovalRule }): Promise<true> {
  const { tx, account, caller } = context;
  await lockMembers(tx, account.id);
  if (rule === 'everyone' && (await peopleWhoMay(tx, account.id, 'campaigns:send')).length < 2)
    throw fault('ACCOUNT_OPTION_INVALID', 'approval.only_one', { member: 'rule' });
  context.noted?.set('rule', rule).set('old_rule', approvalRule(account));
  if (rule === approvalRule(account)) return true;
  // Before the account, as approving does. Those that are scheduled in between follow.
  if (rule !== 'none') await lockScheduled(context);
  await tx.run(sql`
    update account
    set settings = settings || jsonb_build_object('approval', ${rule}::text)
    where id = ${account.id}`);
  if (rule !== 'none') await approveScheduled(context);
  await noticeOfChange(tx, account.id, { what: message(`notice.approval.${rule}`), ip: caller.ip });
  return true;
}

async function approveScheduled(context: Context): Promise<void> {
  const { tx, account, caller } = context;
  for (const { id } of await lockScheduled(context)) {
    const of = { account: account.id, campaign: id };
    const approval = await lockApproval(tx, of);
    const version = await readVersion(tx, of);
    if (approval?.state === 'approved' && isSame(approval.approvedVersion!, version)) continue;
    await recordAnswer(tx, of, { state: 'approved', by: byCaller(caller), note: '', wantedAt: null, version });
  }
}

const lockScheduled = ({ tx, account }: Context): Promise<{ id: number }[]> =>
  tx.rows(sql`
    select id
    from campaign
    where account_id = ${account.id}
      and status in ('scheduled', 'launching')
    order by id
    for update`);
