// The webhook events about a subscription share their data. model/contact-data.ts selects the same data in SQL.
import type { Context } from '../../base/context.ts';
import { formatId } from '../../db/ids.ts';
import { emit } from '../../events/emit.ts';
import type { EventData, EventSource } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';
import type { Subscription } from './subscription.ts';

export async function emitContactEvent(
  { tx, account }: Context,
  type: 'contact.subscribe' | 'contact.update' | 'contact.delete',
  subscription: Subscription,
  changedBy: EventSource | 'import',
): Promise<void> {
  const source = eventSource(changedBy);
  await emit(tx, account.id, [{ type, source, listId: subscription.listId, data: contactData(subscription, source) }]);
}

export function contactData(subscription: Subscription, source: EventSource): EventData<'contact.subscribe'> {
  return {
    contact: formatId(subscription.contactId),
    list: formatId(subscription.listId),
    email: subscription.email,
    email_type: subscription.emailType,
    fields: { EMAIL: subscription.email, ...subscription.fields },
    subscribe_ip: subscription.signupIp,
    subscribe_ts: formatDate(subscription.signupAt),
    confirm_ip: subscription.confirmIp,
    confirm_ts: formatDate(subscription.confirmAt),
    optin_ip: subscription.optinIp,
    optin_ts: formatDate(subscription.optinAt),
    source,
  };
}

export const eventSource = (source: EventSource | 'import'): EventSource => (source === 'import' ? 'admin' : source);
