// Who a message is from, as far as the choice of its relay goes, and which relays may take it. Pure.
// A relay can be limited to accounts and to domains in From. Guarantees that a limited relay gets no other messages, and that
// the messages it is meant for go nowhere else.
import { domainToASCII } from 'node:url';
import type { Relay } from './relay.ts';

/** Account 0 is the installation. The domain is in ASCII and lower case. */
export type MessageSender = { account: number; domain: string };

/** @param fromEmail the address in From */
export function senderOf(account: number, fromEmail: string): MessageSender {
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1).toLowerCase();
  return { account, domain: domainToASCII(domain) || domain };
}

/** The relays of a message: those limited to its sender; where there are none, those without limits. */
export function relaysFor<R extends Pick<Relay, 'limitedTo'>>(relays: readonly R[], sender: MessageSender): R[] {
  const limited = relays.filter(({ limitedTo }) => limitedTo && isFor(limitedTo, sender));
  return limited.length > 0 ? limited : relays.filter(({ limitedTo }) => !limitedTo);
}

function isFor({ accounts, senderDomains }: NonNullable<Relay['limitedTo']>, sender: MessageSender): boolean {
  return (
    (accounts.length === 0 || accounts.includes(sender.account)) &&
    (senderDomains.length === 0 || senderDomains.includes(sender.domain))
  );
}
