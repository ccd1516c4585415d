// To whom tests may go without reaching strangers: the people of the account, and its own address.
import { parseAddress } from '../../audience/address.ts';
import type { Account } from '../../base/context.ts';
import { type Queries, sql } from '../../db/connect.ts';

/** The first of these addresses that is not one of a person of the account. */
export async function firstStranger(
  db: Queries,
  account: Account,
  emails: readonly string[],
): Promise<string | undefined> {
  const rows = await db.rows<{ email: string }>(sql`
    select app_user.email
    from membership
    join app_user on app_user.id = membership.user_id
    where membership.account_id = ${account.id}
    union all
    select email from account where id = ${account.id}`);
  const people = new Set(rows.map(({ email }) => sameCase(email)));
  return emails.find((email) => {
    const address = parseAddress(email);
    return !address.ok || !people.has(sameCase(address.email));
  });
}

/** Only of ASCII: in other letters, case may distinguish mailboxes. */
const sameCase = (email: string) => email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
