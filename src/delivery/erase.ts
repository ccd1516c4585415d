// What is erased of a contact: its address in the ledger, and in the replies of relays. The numbers of reports stay.
import { type ErasurePart, erasedDomain, names, withoutAddresses } from '../base/erasure.ts';
import { type Sql, sql, type Tx } from '../db/connect.ts';

export const deliveryErasure: ErasurePart = {
  async addresses(tx, account, numbers) {
    const rows = await tx.rows<{ email: string }>(sql`
      select email from delivery where account_id = ${account} and contact_id = any (${[...numbers]}::int[])
      union
      select email from former_recipient where account_id = ${account} and contact_id = any (${[...numbers]}::int[])`);
    return rows.map(({ email }) => email);
  },

  /** However many deliveries there are, each statement is one index scan by contact. */
  async rows(tx, { account, numbers, placeholder }) {
    const ofContact = sql`account_id = ${account} and contact_id = any (${numbers}::int[])`;
    await tx.run(sql`update former_recipient set email = ${placeholder}, reply = null where ${ofContact}`);
    await tx.run(sql`
      update delivery
      set email = ${placeholder}, domain = ${erasedDomain}, reply = null
      where ${ofContact}`);
  },

  async copies({ db, ...erased }) {
    await db.run(sql`
      update refused_reply
      set reply = ${withoutAddresses(erased, sql`reply`)}
      where account_id = ${erased.account}
        and ${names(erased, sql`lower(reply)`)}`);
  },

  /** Leases, under which messages are in flight. */
  openWork: ({ account }) => sql`
    select 'lease ' || campaign_id || ' ' || no || ' ' || lease as name
    from chunk
    where account_id = ${account}
      and state = 'leased'`,
};

/** @param recipients SQL: account_id, campaign_id and seq of the recipients whose address is erased */
export async function eraseRecipients(tx: Tx, recipients: Sql, placeholder: string): Promise<void> {
  await tx.run(sql`
    update delivery d
    set email = ${placeholder}, domain = ${erasedDomain}, reply = null
    from ${recipients} r
    where d.account_id = r.account_id
      and d.campaign_id = r.campaign_id
      and d.seq = r.seq`);
}
