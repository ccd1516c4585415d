// What is erased of a contact: caught messages to and from it. Those of the account also when they mention it; one without an
// account may be a notice to another account.
import { type ErasurePart, names, searchInPortions } from '../base/erasure.ts';
import { type Sql, sql } from '../db/connect.ts';

export const inboxErasure: ErasurePart = {
  async copies(search) {
    const { account, addresses } = search;
    const isParty = sql`lower(mail_from) = any (${addresses}::text[])
      or exists (select from unnest(rcpt_to) as r(rcpt) where lower(rcpt) = any (${addresses}::text[]))`;
    const mentions = names(search, sql`lower(encode(source, 'escape'))`);
    const remove = (owner: Sql, condition: Sql) =>
      searchInPortions(
        search,
        sql`inbox_message`,
        owner,
        (within) => sql`
          delete from inbox_message
          where ${within}
            and (${condition})`,
      );
    await remove(sql`account_id = ${account}`, sql`${isParty} or ${mentions}`);
    await remove(sql`account_id is null`, isParty);
  },
};
