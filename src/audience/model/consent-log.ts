// The append-only log of consent and of changes to a contact's data: who signed up, confirmed, changed or unsubscribed,
// and through which door. An entry names the fields that changed but not their values. The one exception is a changed
// address, by which erasing a contact finds all of its addresses.
import type { Caller, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { EventSource } from '../../events/types.ts';

export type ConsentEntry = {
  contactId: number;
  /** Null for what concerns the contact and no single list. */
  listId: number | null;
  kind:
    | 'signup'
    | 'subscribe'
    | 'confirm'
    | 'update'
    | 'address'
    | 'pause'
    | 'resume'
    | 'untrack'
    | 'track'
    | 'unsubscribe'
    | 'delete';
  /** subscriber, admin, api or import. */
  source: string;
  ip?: string | undefined;
  detail?: Record<string, unknown> | undefined;
};

export async function logConsent({ tx, account, requestId }: Context, entry: ConsentEntry): Promise<void> {
  const { contactId, listId, kind, source, ip = '', detail = {} } = entry;
  await tx.run(sql`
    insert into consent (account_id, contact_id, list_id, kind, source, ip, detail)
    values (${account.id}, ${contactId}, ${listId}, ${kind}, ${source}, ${ip}, ${jsonb({ ...detail, request: requestId })})`);
}

/** Logs which data of a contact changed; nothing when none did. */
export async function logChange(context: Context, changed: readonly string[], entry: Omit<ConsentEntry, 'kind'>) {
  if (changed.length === 0) return;
  await logConsent(context, { ...entry, kind: 'update', detail: { ...entry.detail, fields: changed } });
}

/** The tags whose values differ. */
export const changedTags = (before: Record<string, string>, after: Record<string, string>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (tag) => (before[tag] ?? '') !== (after[tag] ?? ''),
  );

/** The detail of an entry as texts: form, shown, consent, language, reason, fields, until, old, new and more. */
export function consentEvidence(detail: Record<string, unknown>): Record<string, string> {
  const { request: _internal, ...evidence } = detail;
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

/** The source logged for a change made through a method. */
export function sourceOf(caller: Caller): EventSource {
  return caller.kind === 'user' ? 'admin' : 'api';
}
