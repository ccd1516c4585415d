// Checks single options of a draft: addresses, and what the plan, the add-ons and the domains of the account allow.
// Each function returns the value as it is stored, or throws the fault that names the parameter.
import { foreignDomain } from '../../accounts/account/foreign-domain.ts';
import { maySetSender } from '../../accounts/account/plan.ts';
import { isAsciiAddress, parseAddress } from '../../audience/address.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';

/** An address for a header. @throws Fault ADDRESS_INVALID */
export function needAddress(text: string, member: string): string {
  const address = parseAddress(text);
  if (!address.ok) throw fault('ADDRESS_INVALID', 'campaign.address_invalid', { member, email: text.slice(0, 80) });
  return address.email;
}

/** An address for the From or Reply-To header, which must work without SMTPUTF8. @throws Fault ADDRESS_INVALID */
export function needAsciiAddress(text: string, member: string): string {
  const email = needAddress(text, member);
  if (!isAsciiAddress(email))
    throw fault('ADDRESS_INVALID', 'campaign.address_not_ascii', { member, email: email.slice(0, 80) });
  return email;
}

/** The sender of the campaign, or '' for that of the account. @throws Fault NOT_ALLOWED, ADDRESS_INVALID */
export function needSender(context: Context, sender: string, member: string): string {
  needOwnSender(context, sender, member);
  return sender.trim() === '' ? '' : needAsciiAddress(sender, member);
}

/** Checks that the account may set a sender. @throws Fault NOT_ALLOWED */
export function needOwnSender({ account }: Pick<Context, 'account'>, sender: string, member: string): void {
  if (sender.trim() !== '' && !maySetSender(account)) throw fault('NOT_ALLOWED', 'campaign.pro_only', { member });
}

/** @throws Fault ADDON_MISSING */
export function needInlineImages({ account }: Pick<Context, 'account'>, enabled: boolean, member: string): boolean {
  if (enabled && !account.addons.includes('inline_img'))
    throw fault('ADDON_MISSING', 'campaign.inline_addon', { member });
  return enabled;
}

/** Checks that the domain of the From address is not that of another account. @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needOwnDomain({ account, tx }: Pick<Context, 'account' | 'tx'>, sender: string): Promise<void> {
  const domain = await foreignDomain(tx, account.id, sender || account.email);
  if (domain !== undefined)
    throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.foreign_domain', {
      member: sender ? 'options.sender' : 'email',
      domain,
    });
}

/** authenticate needs an authenticated and activated domain of the sender. @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needDomain(
  context: Pick<Context, 'account' | 'tx'>,
  sender: string,
  enabled: boolean,
  member: string,
): Promise<boolean> {
  if (!enabled) return false;
  const from = sender || context.account.email;
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  const row = await context.tx.row(sql`
    select id
    from sender_domain
    where account_id = ${context.account.id}
      and domain = ${domain}
      and active`);
  if (!row) throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.domain_not_authenticated', { member, domain });
  return true;
}
