// Domains that another account has proven to be its own.
import { readDomain } from '../../base/domain-name.ts';
import { type Queries, sql } from '../../db/connect.ts';

/**
 * The domain of an address, if another account has proven that it is its own and this one has not. All accounts share the
 * relays, which the SPF record of that domain allows, so a message from it would pass as genuine. An account and its test account
 * are no strangers to each other.
 */
export async function foreignDomain(db: Queries, accountId: number, email: string): Promise<string | undefined> {
  const domain = readDomain(email.slice(email.lastIndexOf('@') + 1));
  if (domain === null) return undefined;
  const row = await db.row<{ foreign: boolean }>(sql`
    select not bool_or(
      account_id in (
        select other.id
        from account own
        join account other on other.id in (own.id, own.test_of) or other.test_of = own.id
        where own.id = ${accountId}
      )
    ) as foreign
    from sender_domain
    where domain = ${domain}
      and active`);
  return row?.foreign ? domain : undefined;
}
