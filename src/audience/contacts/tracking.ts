// Contacts who do not want their opens and clicks recorded: their messages have no pixel and no click addresses, and hits on
// messages they got before are not written. Set on the preference page and by a method; each change is logged.
import type { Context } from '../../base/context.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { maxId } from '../../db/ids.ts';
import { logConsent } from '../model/consent-log.ts';

export type TrackingChange = { contactId: number; source: string; ip?: string; detail?: Record<string, unknown> };

/** Sets whether opens and clicks of a contact are recorded; what is so already changes nothing. */
export async function setTracked(context: Context, tracked: boolean, change: TrackingChange): Promise<void> {
  const { tx, account } = context;
  const changed = await tx.run(sql`
    update contact
    set untracked = ${!tracked}, changed_at = now()
    where account_id = ${account.id}
      and id = ${change.contactId}
      and untracked = ${tracked}`);
  if (changed > 0) await logConsent(context, { ...change, listId: null, kind: tracked ? 'track' : 'untrack' });
}

/**
 * A condition: the recipient is a contact that does not want to be tracked. A single message names no contact, so its address decides.
 * @param d the row in delivery
 */
export const isUntracked = (d: Sql): Sql => sql`(
  exists (
    select from contact u where u.account_id = ${d}.account_id and u.id = ${d}.contact_id and u.untracked
  )
  or (
    ${d}.contact_id > ${maxId}
    and exists (
      select from contact u where u.account_id = ${d}.account_id and u.email_key = lower(${d}.email) and u.untracked
    )
  )
)`;
