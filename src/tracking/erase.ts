// What is erased of a contact: where its opens and clicks came from. Their numbers stay in the reports.
import type { ErasurePart } from '../base/erasure.ts';
import { type Sql, sql, type Tx } from '../db/connect.ts';

export const trackingErasure: ErasurePart = {
  rows: (tx, { account, numbers }) =>
    eraseHits(
      tx,
      sql`(
        select account_id, campaign_id, seq
        from delivery
        where account_id = ${account}
          and contact_id = any (${numbers}::int[])
      )`,
    ),
};

/** @param recipients SQL: account_id, campaign_id and seq of those whose hits are erased */
export async function eraseHits(tx: Tx, recipients: Sql): Promise<void> {
  await tx.run(sql`
    update hit h
    set ip = '', user_agent = ''
    from ${recipients} r
    where h.account_id = r.account_id
      and h.campaign_id = r.campaign_id
      and h.seq = r.seq`);
}
