// The month (UTC) that names the partition of a campaign's recipients and of what they did: campaign.month. It is set
// before the first recipient and does not change while there are any.
import { raw, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';

/**
 * SQL: the month of a campaign, looked up when the statement runs. The other partitions are in its plan and are not read.
 * Planning takes 1.4 ms with 24 months, 0.1 with a constant: a statement for a single recipient is prepared.
 */
export const monthOf = ({ account, campaign }: CampaignKey): Sql =>
  sql`(select month from campaign where account_id = ${account} and id = ${campaign})`;

/** SQL: the month of every autoresponder. */
export const monthOfAutoresponders = sql`date '-infinity'`;

/**
 * SQL: a known month, for statements that run often. A constant in the text, not a parameter: so the plan that a prepared
 * statement keeps has one partition too, and the others are neither locked nor looked at.
 */
export function constantMonth({ month }: { month: string }): Sql {
  if (!/^(-infinity|\d{4}-\d\d-01)$/.test(month)) throw new Error(`not a month: ${month}`);
  return raw(`date '${month}'`);
}
