// The address that takes the DMARC reports of all sender domains.
import type { Config } from '../../../config.ts';

/** The mailbox of the bounce domain. */
export const reportMailbox = 'dmarc';

/** '' without BOUNCE_DOMAIN. */
export function reportAddress({ bounceDomain }: Pick<Config, 'bounceDomain'>): string {
  return bounceDomain === '' ? '' : `${reportMailbox}@${bounceDomain}`;
}
