// What is erased of a contact: the contents of single messages to it, and its address in their log. Their numbers stay.
import type { ErasurePart } from '../base/erasure.ts';
import { sql } from '../db/connect.ts';
import { eraseRecipients } from '../delivery/erase.ts';
import { eraseNotices } from '../returned/erase.ts';
import { eraseHits } from '../tracking/erase.ts';

export const messageErasure: ErasurePart = {
  /** Messages made since the erasure stay: the person has come back. */
  async rows(tx, { account, addresses, placeholder }, late) {
    if (late && late.erasedAt === undefined) return;
    const found = await tx.rows(sql`
      select account_id, campaign_id, seq, no
      from message_recipient
      where account_id = ${account}
        and email_key = any (${addresses}::text[])
        and ${late ? sql`created_at <= ${late.erasedAt}::timestamptz` : sql`true`}
      order by campaign_id, seq`);
    if (found.length === 0) return;
    const rows = sql`(
      select *
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as f(account_id int, campaign_id int, seq int, no int)
    )`;
    await eraseHits(tx, rows);
    await eraseNotices(tx, rows, placeholder);
    await eraseRecipients(tx, rows, placeholder);
    await tx.run(sql`
      update message_recipient m
      set email_key = ${placeholder}
      from ${rows} r
      where m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.seq = r.seq`);
    await tx.run(sql`
      update message m
      set subject = '', content = null
      from ${rows} r
      where m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.no = r.no`);
  },
};
