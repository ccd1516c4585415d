// Acts on bounces of a list's own messages: confirmation, welcome and goodbye. No row is kept of these, so their token names
// the contact and the address. Only hard bounces count: a dead address is suppressed, the same bounce again changes nothing.
import { onBehalf } from '../../accounts/system-context.ts';
import { addressKey } from '../../audience/address.ts';
import { suppress } from '../../audience/suppression/suppression.ts';
import type { App, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { cut } from '../../db/jsonb.ts';
import { addressNumber, type ListMessageIds } from '../../tracking/tokens.ts';
import type { BounceClass } from '../verdict/rules.ts';
import type { Incoming } from './bounce.ts';
import { type BouncedRecipient, refusalOf, replyCodeOf } from './class.ts';
import { applyBounces } from './effects.ts';

export type Taken =
  | { kind: 'bounce'; class: BounceClass }
  | { kind: 'complaint' | 'unsubscribed' | 'report' }
  /** Genuine and of no consequence, or `counted` before. */
  | { kind: 'nothing'; why: string; counted?: true }
  /** Not from us or about a message of ours, as far as can be verified. */
  | { kind: 'refused'; why: string };

export async function isKnownContact(app: App, ids: ListMessageIds): Promise<boolean> {
  const row = await app.db.row(sql`select id from contact where account_id = ${ids.account} and id = ${ids.contact}`);
  return row !== undefined;
}

/** Processes a notice sent to the return path of a list's message. */
export async function takeListNotice(app: App, ids: ListMessageIds, incoming: Incoming, ip: string): Promise<Taken> {
  if (incoming.kind !== 'dsn') return { kind: 'nothing', why: 'only bounces of a message of a list count' };
  const { recipients } = incoming;
  const taken = await onBehalf(app, ids.account, ip, (context) => takeListBounce(context, ids, recipients));
  return taken ?? { kind: 'refused', why: 'there is no such account' };
}

/** @param ids of the account of the context */
export async function takeListBounce(
  context: Context,
  ids: ListMessageIds,
  recipients: readonly BouncedRecipient[],
): Promise<Taken> {
  const contact = await context.tx.row<{ email: string; key: string }>(sql`
    select email, email_key as key from contact where account_id = ${ids.account} and id = ${ids.contact}`);
  if (!contact) return { kind: 'refused', why: 'there is no such contact (any more)' };
  if (addressNumber(contact.key) !== ids.address)
    return { kind: 'nothing', why: 'the contact has another address by now' };
  const refusal = refusalOf(recipients, contact.email);
  if (refusal?.class !== 'hard') return { kind: 'nothing', why: 'no recipient was found not to exist' };
  const isNew = await recordDeadAddress(context, {
    contact: ids.contact,
    list: ids.list,
    email: contact.email,
    code: replyCodeOf(refusal.diagnostic),
    reply: refusal.diagnostic || refusal.status,
  });
  return isNew
    ? { kind: 'bounce', class: 'hard' }
    : { kind: 'nothing', why: 'the address is suppressed already', counted: true };
}

/** Suppresses an address that a list's message found dead, as a campaign's would; false when it was suppressed already. */
export async function recordDeadAddress(
  context: Context,
  dead: { contact: number; list: number; email: string; code: number | null; reply: string },
): Promise<boolean> {
  // A contact that was erased while the message was in flight must leave no address.
  const contact = await context.tx.row(sql`
    select id
    from contact
    where account_id = ${context.account.id}
      and id = ${dead.contact}
    for share`);
  if (!contact) return false;
  const value = addressKey(dead.email) ?? dead.email.toLowerCase();
  if (!(await suppress(context, { kind: 'address', value }, 'bounce', cut(dead.reply, 500)))) return false;
  await applyBounces(context.tx, context.account.id, null, context.now, [{ ...dead, bounce: 'hard', suppress: true }]);
  return true;
}
