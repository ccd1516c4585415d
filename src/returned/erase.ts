// What is erased of a contact: its address and the replies in notices about its messages.
import { type ErasurePart, names } from '../base/erasure.ts';
import { type Sql, sql, type Tx } from '../db/connect.ts';

export const returnedErasure: ErasurePart = {
  async rows(tx, { account, numbers, placeholder }) {
    // former_recipient: of campaigns that are deleted.
    for (const table of [sql`delivery`, sql`former_recipient`])
      await eraseNotices(
        tx,
        sql`(
          select account_id, campaign_id, seq
          from ${table}
          where account_id = ${account}
            and contact_id = any (${numbers}::int[])
        )`,
        placeholder,
      );
  },

  /** Notices that are not taken yet. */
  openWork: (erased) => sql`
    select 'notice ' || id as name
    from incoming_notice
    where account_id = ${erased.account}
      and ${names(erased, sql`lower(notice::text)`)}`,
};

/** @param recipients SQL: account_id, campaign_id and seq of those whose notices are erased */
export async function eraseNotices(tx: Tx, recipients: Sql, placeholder: string): Promise<void> {
  await tx.run(sql`
    update notice n
    set email = ${placeholder}, reply = ''
    from ${recipients} r
    where n.account_id = r.account_id
      and n.campaign_id = r.campaign_id
      and n.seq = r.seq`);
}
