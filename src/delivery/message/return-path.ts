// The return path of a message: one address per recipient (VERP), signed, so that a bounce identifies account, campaign
// and recipient, and no one can forge one for another message.
// Without BOUNCE_DOMAIN, bounces go to the From address.

import type { Config } from '../../config.ts';
import { reportMailbox } from '../../senders/domains/dmarc/address.ts';

const bounceName = 'bounce';
const unsubscribeName = 'unsubscribe';
const complaintName = 'complaint';
/** RFC 5321 4.5.1, RFC 2142 4 */
const operatorNames = ['postmaster', 'abuse'];

/** The envelope sender. 55 characters before the @ of 64 that there may be (RFC 5321 4.5.3.1.1). */
export function envelopeSender(config: Config, fromEmail: string, bounceToken: string): string {
  return config.bounceDomain === '' ? fromEmail : `${bounceName}+${bounceToken}@${config.bounceDomain}`;
}

export type ReturnAddress =
  | { kind: 'bounce'; token: string }
  | { kind: 'unsubscribe' }
  | { kind: 'complaint' }
  | { kind: 'dmarc' }
  /** For the people who run the installation. */
  | { kind: 'operator'; name: string };

/** What an address of the bounce domain is for; null for any other. */
export function readReturnAddress(config: Config, address: string): ReturnAddress | null {
  // The only address that needs no domain.
  if (config.bounceDomain !== '' && address.toLowerCase() === 'postmaster')
    return { kind: 'operator', name: 'postmaster' };
  const [, local, domain] = /^([^@]+)@([^@]+)$/.exec(address.toLowerCase()) ?? [];
  if (local === undefined || domain === undefined || config.bounceDomain === '' || domain !== config.bounceDomain)
    return null;
  if (local.startsWith(`${bounceName}+`)) return { kind: 'bounce', token: local.slice(bounceName.length + 1) };
  if (local === unsubscribeName) return { kind: 'unsubscribe' };
  if (local === complaintName) return { kind: 'complaint' };
  if (local === reportMailbox) return { kind: 'dmarc' };
  if (operatorNames.includes(local)) return { kind: 'operator', name: local };
  return null;
}
