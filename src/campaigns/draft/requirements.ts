// Checks single options of a draft: addresses, and what the plan, the add-ons and the domains of the account allow.
// Each function returns the value as it is stored, or throws the fault that names the parameter.
import { isAsciiAddress, parseAddress } from '../../audience/address.ts';
import type { Account, Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';

/** An address for a header. @throws Fault ADDRESS_INVALID */
export function needAddress(text: string, member: string): string {
  const address = parseAddress(text);
  if (!address.ok)
    throw new Fault('ADDRESS_INVALID', `${member}: "${text.slice(0, 80)}" is not a usable e-mail address`);
  return address.email;
}

/** An address for the From or Reply-To header of mails to everybody, so without SMTPUTF8. @throws Fault ADDRESS_INVALID */
export function needAsciiAddress(text: string, member: string): string {
  const email = needAddress(text, member);
  if (!isAsciiAddress(email))
    throw new Fault(
      'ADDRESS_INVALID',
      `${member}: "${email.slice(0, 80)}" has other letters than ASCII before the @, which many servers refuse in a sender`,
    );
  return email;
}

/** A sender of one's own. @throws Fault NOT_ALLOWED, ADDRESS_INVALID */
export function needSender(context: Context, sender: string, member: string): string {
  needOwnSender(context, sender, member);
  return sender.trim() === '' ? '' : needAsciiAddress(sender, member);
}

/** That the account may have a sender of its own, where it has one. @throws Fault NOT_ALLOWED */
export function needOwnSender({ account }: Pick<Context, 'account'>, sender: string, member: string): void {
  if (sender.trim() !== '' && account.plan !== 'pro')
    throw new Fault('NOT_ALLOWED', `${member} is for PRO accounts only`);
}

/** Only PRO accounts may send mail without any footer; for others false means: no more of it than there must be. */
export function declinesFooter(account: Account, wanted: boolean | undefined): boolean {
  return wanted === false && account.plan === 'pro';
}

/** @throws Fault ADDON_MISSING */
export function needInlineImages({ account }: Pick<Context, 'account'>, wanted: boolean, member: string): boolean {
  if (wanted && !account.addons.includes('inline_img'))
    throw new Fault('ADDON_MISSING', `${member} needs the add-on inline_img`);
  return wanted;
}

/** authenticate works only with an authenticated and activated domain of the sender's. @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needDomain(
  context: Pick<Context, 'account' | 'tx'>,
  sender: string,
  wanted: boolean,
  member: string,
): Promise<boolean> {
  if (!wanted) return false;
  const from = sender || context.account.email;
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  const row = await context.tx.row(sql`
    select id
    from sender_domain
    where account_id = ${context.account.id}
      and domain = ${domain}
      and active`);
  if (!row)
    throw new Fault(
      'CAMPAIGN_OPTION_INVALID',
      `${member}: ${domain} is not an authenticated and activated domain of this account`,
    );
  return true;
}
