// The token in the link of a confirmation. It also names the address that the confirmation goes to, so the link stops
// working when the address of the contact changes.
import { createHash } from 'node:crypto';
import { addressKey } from '../audience/address.ts';
import type { App } from '../base/context.ts';
import { tokensOf } from './token-secret.ts';
import type { SubscriptionIds } from './tokens.ts';

/** Pending subscriptions of one contact; the address is its present one. */
export type Pending = { account: number; list: number; further?: readonly number[]; contact: number; email: string };

export function confirmToken(app: App, { account, list, further = [], contact, email }: Pending): string {
  // A confirmation belongs to no campaign: the place of its id is free for the address.
  const lists = [list, ...further];
  return tokensOf(app).tokens({ account, campaign: numberOf(email), seq: 0, contact, lists }).confirm;
}

/** Whether the link with this token went to the address. */
export const isConfirmedFor = ({ campaign }: SubscriptionIds, email: string): boolean => campaign === numberOf(email);

/** A number that names an address in a token. */
export const numberOf = (email: string): number =>
  createHash('sha256')
    .update(addressKey(email) ?? email)
    .digest()
    .readUInt32BE(0);
