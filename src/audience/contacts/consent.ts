// The append-only history of a contact's consent and of the changes to its data: who came, agreed, changed, left, by what door.
// Names what changed and never what stood there before, an address that was changed aside: erasing finds it by that.
import type { Caller, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { EventSource } from '../../events/types.ts';

export type Kept = {
  contactId: number;
  /** Null for what concerns the person and no list. */
  listId: number | null;
  kind: 'signup' | 'subscribe' | 'confirm' | 'update' | 'address' | 'pause' | 'resume' | 'unsubscribe' | 'delete';
  /** Subscriber, admin, api, import. */
  source: string;
  ip?: string | undefined;
  detail?: Record<string, unknown> | undefined;
};

export async function keepEvidence({ tx, account, requestId }: Context, kept: Kept): Promise<void> {
  const { contactId, listId, kind, source, ip = '', detail = {} } = kept;
  await tx.run(sql`
    insert into consent (account_id, contact_id, list_id, kind, source, ip, detail)
    values (${account.id}, ${contactId}, ${listId}, ${kind}, ${source}, ${ip}, ${jsonb({ ...detail, request: requestId })})`);
}

/** Keeps that data of a person changed, and which; nothing when none did. */
export async function keepChange(context: Context, changed: readonly string[], kept: Omit<Kept, 'kind'>) {
  if (changed.length === 0) return;
  await keepEvidence(context, { ...kept, kind: 'update', detail: { ...kept.detail, fields: changed } });
}

/** The tags whose values differ. */
export const changedTags = (before: Record<string, string>, after: Record<string, string>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (tag) => (before[tag] ?? '') !== (after[tag] ?? ''),
  );

/** What was kept of one entry, as texts: form, shown, consent, language, reason, fields, until, old, new and more. */
export function toldEvidence(detail: Record<string, unknown>): Record<string, string> {
  const { request: _ours, ...told } = detail;
  return Object.fromEntries(
    Object.entries(told).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}

/** Whom a change by a method is put down to. */
export function sourceOf(caller: Caller): EventSource {
  return caller.kind === 'user' ? 'admin' : 'api';
}
