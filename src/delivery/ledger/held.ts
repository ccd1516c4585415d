// THE definition of recipients that are held back: they wait for a decision and are in no chunk on purpose. Those of an A/B test
// are, from the launch until the variant that they get is chosen. Whatever cuts chunks, marks recipients or looks for what was
// forgotten asks here. All other waits leave a recipient in a chunk: the time of the chunk (send window, clock of the contact,
// best hour, quota), or the state of the campaign (draft, scheduled, paused).

import { type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';

/** SQL: recipients with a higher number are held back; null when none are. Read once for all rows of a statement. */
export const heldAfter = ({ account, campaign }: CampaignKey): Sql => heldAfterOf(sql`${account}`, sql`${campaign}`);

/** The same for a campaign of the statement, by its columns. */
export const heldAfterOf = (account: Sql, campaign: Sql): Sql => sql`(
  select test_size
  from campaign_test
  where account_id = ${account}
    and campaign_id = ${campaign}
    and chosen is null
)`;

/** A condition on delivery. One that was attempted, as a redo after a fail-over may find, is not held back. */
export const isHeld = (of: CampaignKey): Sql =>
  sql`(state = ${states.queued} and attempts = 0 and coalesce(seq > ${heldAfter(of)}, false))`;
