// Pauses: a contact gets no mail from any list of the account until a time; then the pause ends automatically. Set and
// ended on the preference page and by methods; each change is logged. Launch and the last check before sending skip a
// paused contact.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { logConsent } from '../model/consent-log.ts';

export type PauseChange = { contactId: number; source: string; ip?: string; detail?: Record<string, unknown> };

/** Sends no mail before `until`; replaces an existing pause. */
export async function pause(context: Context, until: Date, change: PauseChange): Promise<void> {
  await setPausedUntil(context, change.contactId, until);
  await logConsent(context, {
    ...change,
    listId: null,
    kind: 'pause',
    detail: { ...change.detail, until: formatDate(until) },
  });
}

/** Ends a pause; does nothing when the contact is not paused. */
export async function resume(context: Context, change: PauseChange): Promise<void> {
  const row = await context.tx.row<{ paused: boolean }>(sql`
    select coalesce(paused_until > now(), false) as paused
    from contact
    where account_id = ${context.account.id}
      and id = ${change.contactId}
    for update`);
  if (!row?.paused) return;
  await setPausedUntil(context, change.contactId, null);
  await logConsent(context, { ...change, listId: null, kind: 'resume' });
}

async function setPausedUntil({ tx, account }: Context, contactId: number, until: Date | null) {
  await tx.run(sql`
    update contact
    set paused_until = ${until}, changed_at = now()
    where account_id = ${account.id}
      and id = ${contactId}`);
}
