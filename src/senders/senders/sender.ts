// The senders of an account: rows of name and address to send from, with the state of the domain of each. A sender is
// authenticated while its domain is active. Which addresses an account may use is decided here; signing is left to delivery.

import { foreignDomain } from '../../accounts/account/foreign-domain.ts';
import { maySetSender } from '../../accounts/account/plan.ts';
import type { Context } from '../../base/context.ts';
import { readDomain } from '../../base/domain-name.ts';
import { fault } from '../../base/faults.ts';
import { type Message, message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { mailboxProviders } from '../domains/change.ts';

/** none: the domain is no sender domain of the account. */
export const domainStates = ['active', 'pending', 'broken', 'none'] as const;
export type DomainState = (typeof domainStates)[number];

export type Sender = {
  id: number;
  name: string;
  email: string;
  createdAt: Date;
  domain: string;
  domainState: DomainState;
  /** Lists whose messages it sends. */
  lists: number;
  /** Campaigns from its address that have not been sent completely. */
  campaigns: number;
};

/** The states of a campaign from which messages can still go out. Written out for the index by status. */
export const unsentStates = ['draft', 'scheduled', 'launching', 'sending', 'paused'];

/** The senders of an account, oldest first, or the one that is asked for. */
export async function sendersOf(db: Queries, accountId: number, id?: number): Promise<Sender[]> {
  return db.rows<Sender>(sql`
    select s.id, s.name, s.email, s.created_at as "createdAt", split_part(s.email, '@', 2) as domain,
      case when d.id is null then 'none' when d.active then 'active' when d.broken_at is null then 'pending' else 'broken' end
        as "domainState",
      (select count(*)::int from list l where l.account_id = s.account_id and l.sender_id = s.id) as lists,
      coalesce(c.count, 0) as campaigns
    from sender s
    left join (
      select lower(sender) as email, count(*)::int as count
      from campaign
      where account_id = ${accountId}
        and status = any (${unsentStates}::text[])
        and sender <> ''
      group by 1
    ) c on c.email = lower(s.email)
    left join sender_domain d on d.account_id = s.account_id and d.domain = split_part(s.email, '@', 2)
    where s.account_id = ${accountId}
      and (${id ?? null}::int is null or s.id = ${id ?? null})
    order by s.created_at, s.id`);
}

/** The sender of a public id, locked until the end of the transaction. @throws Fault SENDER_UNKNOWN */
export async function needSender({ tx, account }: Pick<Context, 'tx' | 'account'>, named: string, member = 'id') {
  const sender = await tx.row<{ id: number; name: string; email: string }>(sql`
    select id, name, email
    from sender
    where account_id = ${account.id}
      and id = ${parseId(named)}
    for update`);
  if (!sender) throw fault('SENDER_UNKNOWN', 'sender.unknown', { member, id: named.slice(0, 40) });
  return sender;
}

/** The address as it is stored, if the account may send from it. @throws Fault SENDER_INVALID */
export async function needSenderAddress(
  { tx, account }: Pick<Context, 'tx' | 'account'>,
  text: string,
  member: string,
): Promise<string> {
  const email = readSenderAddress(text);
  if (email === undefined) throw fault('SENDER_INVALID', 'sender.address', { member, value: text.slice(0, 80) });
  if (!maySetSender(account) && email !== readSenderAddress(account.email))
    throw fault('SENDER_INVALID', 'sender.main_address', { member, email: account.email });
  const foreign = await foreignDomain(tx, account.id, email);
  if (foreign !== undefined) throw fault('SENDER_INVALID', 'account.foreign_domain', { member, domain: foreign });
  return email;
}

/** An address for a From header that works without SMTPUTF8: a dot-string of RFC 5321 4.1.2 and a domain in A-labels. */
export function readSenderAddress(text: string): string | undefined {
  const [, local, host] = /^([\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)@([^@]+)$/.exec(text.trim()) ?? [];
  const domain = host === undefined ? null : readDomain(host);
  if (local === undefined || domain === null || local.length > 64) return undefined;
  const email = `${local}@${domain}`;
  return email.length <= 254 ? email : undefined;
}

/** What to do so that messages from a sender are signed; undefined if they are. */
export function adviceOf({ domain, domainState }: Pick<Sender, 'domain' | 'domainState'>): Message | undefined {
  if (domainState === 'active') return undefined;
  if (domainState === 'none')
    return mailboxProviders.has(domain)
      ? message('sender.advice_provider', { domain })
      : message('sender.advice_none', { domain });
  return message(domainState === 'pending' ? 'sender.advice_pending' : 'sender.advice_broken', { domain });
}
