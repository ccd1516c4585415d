// Ends a subscription, or deletes it. Writes the consent log, the webhook event and the jobs for messages in the
// caller's transaction.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { onWhole } from '../../db/narrowed/narrow.ts';
import { emit } from '../../events/emit.ts';
import type { EventSource } from '../../events/types.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import { allowAskingAgain } from '../confirmation/confirmation-limit.ts';
import { logConsent } from '../model/consent-log.ts';
import { leaveSegments } from '../segments/watched.ts';
import { contactData, emitContactEvent } from './event.ts';
import { noteForOwner } from './owner-notice.ts';
import { findSubscription, idsOf, needAddress, type Subscription } from './subscription.ts';

export type UnsubscribeInput = {
  source: EventSource;
  ip: string;
  campaignId?: number;
  reason?: string;
  /** Further evidence for the consent log. */
  detail?: Record<string, string>;
  sendGoodbye?: boolean;
  /** Whether the owner of the account is notified by mail. */
  sendNotify?: boolean;
};

/** False when the contact is unsubscribed already. */
export async function unsubscribe(context: Context, before: Subscription, input: UnsubscribeInput): Promise<boolean> {
  const { tx, account } = context;
  if (before.status === 'unsubscribed') return false;
  await tx.run(sql`
    update subscription
    set status = 'unsubscribed', unsubscribe_ip = ${input.ip}, unsubscribe_at = now(),
      unsubscribe_campaign_id = ${input.campaignId ?? null}, unsubscribe_reason = ${input.reason ?? ''},
      status_at = now(), changed_at = now()
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  await logConsent(context, {
    ...idsOf(before),
    kind: 'unsubscribe',
    source: input.source,
    ip: input.ip,
    detail: {
      ...input.detail,
      ...(input.reason ? { reason: input.reason } : {}),
      ...(input.campaignId === undefined ? {} : { campaign: formatId(input.campaignId) }),
    },
  });
  const after = (await findSubscription(context, before.listId, formatId(before.contactId)))!;
  await emit(tx, account.id, [
    {
      type: 'contact.unsubscribe',
      source: input.source,
      listId: after.listId,
      data: {
        ...contactData(after, input.source),
        unsubscribe_ip: input.ip,
        unsubscribe_ts: formatDate(context.now),
        campaign: input.campaignId === undefined ? '' : formatId(input.campaignId),
        reason: input.reason ?? '',
      },
    },
  ]);
  const ids = { account_id: account.id, list_id: before.listId, contact_id: before.contactId };
  if (input.sendGoodbye) await enqueue(tx, 'sendGoodbye', ids);
  const isNoted = before.status === 'subscribed' && (await noteForOwner(context, 'unsubscribe', before, input.source));
  if (input.sendNotify && !isNoted) await enqueue(tx, 'sendUnsubscribeNotice', ids);
  return true;
}

/** Deletes a contact from a list; the contact itself is deleted with its last subscription. */
export async function deleteSubscription(
  context: Context,
  before: Subscription,
  source: EventSource,
  detail: Record<string, string> = {},
): Promise<void> {
  const { tx, account } = context;
  await emitContactEvent(context, 'contact.delete', before, source);
  if (before.status === 'pending') await allowAskingAgain(context, before.listId, needAddress(before.email).key);
  await logConsent(context, { ...idsOf(before), kind: 'delete', source, detail });
  await tx.run(sql`
    delete from subscription
    where account_id = ${account.id}
      and list_id = ${before.listId}
      and contact_id = ${before.contactId}`);
  await leaveSegments(tx, account.id, before.listId, before.contactId);
  await onWhole(tx, (whole) =>
    whole.run(sql`
      delete from contact c
      where account_id = ${account.id}
        and id = ${before.contactId}
        and not exists (select from subscription s where s.account_id = c.account_id and s.contact_id = c.id)`),
  );
}
