// The state of a recipient as the program shows it, for statements that read `delivery` under its own name.
import { sql } from '../../../src/db/connect.ts';

/** In flight by its chunk's row (src/delivery/ledger/states.ts), or what its own row says. */
export const shownState = sql`
  case
    when delivery.state = 0 and exists (
      select
      from chunk k
      where k.account_id = delivery.account_id
        and k.campaign_id = delivery.campaign_id
        and k.state = 'leased'
        and k.marked @> delivery.seq
    ) then 1::smallint
    else delivery.state
  end`;
