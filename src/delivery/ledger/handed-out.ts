// Counts the emails that an account hands out, for its monthly quota (accounts/account/monthly-quota.ts).
import { type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/**
 * SQL: adds to what an account has handed out. Single messages count in the call, so the recipients of their owner do not.
 * @param changes a query with `month` and `count`
 */
export const countHandedOut = ({ account, campaign }: CampaignKey, changes: Sql): Sql => sql`
  insert into sent_count (account_id, month, kind, count)
  select ${account}::int, c.month, 'campaign', c.count
  from (${changes}) as c
  where c.count <> 0
    and exists (select from account where id = ${account} and test_of is null)
    and exists (
      select from campaign where account_id = ${account} and id = ${campaign} and type <> 'message'
    )`;
