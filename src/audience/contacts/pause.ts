// A contact's wish for no mail for some time, over all lists of the account; it ends by itself. Set and ended on the
// preference page and by methods; each change keeps its evidence. Launch and last look leave a paused contact out.

import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { keepEvidence } from './consent.ts';

export type PauseChange = { contactId: number; source: string; ip?: string; detail?: Record<string, unknown> };

/** No mail before `until`; a pause that is there already is replaced. */
export async function pause(context: Context, until: Date, change: PauseChange): Promise<void> {
  await set(context, change.contactId, until);
  await keepEvidence(context, {
    ...change,
    listId: null,
    kind: 'pause',
    detail: { ...change.detail, until: formatDate(until) },
  });
}

/** Ends a pause; does and keeps nothing when there is none. */
export async function resume(context: Context, change: PauseChange): Promise<void> {
  const row = await context.tx.row<{ paused: boolean }>(sql`
    select coalesce(paused_until > now(), false) as paused
    from contact
    where account_id = ${context.account.id}
      and id = ${change.contactId}
    for update`);
  if (!row?.paused) return;
  await set(context, change.contactId, null);
  await keepEvidence(context, { ...change, listId: null, kind: 'resume' });
}

async function set({ tx, account }: Context, contactId: number, until: Date | null) {
  await tx.run(sql`
    update contact
    set paused_until = ${until}, changed_at = now()
    where account_id = ${account.id}
      and id = ${contactId}`);
}
