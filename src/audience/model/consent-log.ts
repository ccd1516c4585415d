// The append-only log of consent and of changes to a contact's data: who signed up, confirmed, changed or unsubscribed,
// and through which door. An entry names the fields that changed but not their values. The one exception is a changed
// address, by which erasing a contact finds all of its addresses.
import type { Caller, Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
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

const idIn = /\b[abcdf][0-9a-f]{7}\b/g;

/**
 * Evidence for a caller with a set of lists: without members that name a list or campaign that the caller does not see, such as the list
 * through which a field of the account was changed.
 */
export async function seenEvidence(
  { tx, account, caller }: Pick<Context, 'tx' | 'account' | 'caller'>,
  evidence: readonly Record<string, string>[],
): Promise<Record<string, string>[]> {
  const named = new Set(evidence.flatMap((one) => Object.values(one).flatMap((text) => text.match(idIn) ?? [])));
  if (caller.lists === null || named.size === 0) return [...evidence];
  const rows = await tx.rows<{ id: number }>(sql`
    select id
    from (
      select id from list where account_id = ${account.id}
      union all
      select id from campaign where account_id = ${account.id}
    ) as any_of
    where id = any (${[...named].map(parseId)}::int[])`);
  const seen = new Set(rows.map(({ id }) => formatId(id)));
  const isSeen = (text: string) => (text.match(idIn) ?? []).every((id) => seen.has(id));
  return evidence.map((one) => Object.fromEntries(Object.entries(one).filter(([, text]) => isSeen(text))));
}

/** The source logged for a change made through a method. */
export function sourceOf(caller: Caller): EventSource {
  return caller.kind === 'user' ? 'admin' : 'api';
}
