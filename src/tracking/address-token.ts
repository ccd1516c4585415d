// The token in the link that confirms a new address of a contact. It names the address, so that a newer request replaces an older one.
import type { App } from '../base/context.ts';
import { numberOf } from './confirm-token.ts';
import { tokensOf } from './token-secret.ts';
import type { SubscriptionIds } from './tokens.ts';

export const addressToken = (
  app: App,
  { account, contact, email }: { account: number; contact: number; email: string },
): string => tokensOf(app).tokens({ account, campaign: numberOf(email), seq: 0, contact, lists: [] }).address;

/** Whether the link with this token went to the address. */
export const isAddressOfToken = ({ campaign }: SubscriptionIds, email: string): boolean => campaign === numberOf(email);
