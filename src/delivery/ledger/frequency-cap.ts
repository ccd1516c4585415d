// Whether a recipient has got as many emails of campaigns as its account allows (the setting frequency_cap). Asked just before each
// attempt, so what other campaigns sent in the meantime counts too.
import type { FrequencyCap } from '../../base/relay/frequency-cap.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { states } from '../../db/states.ts';
import type { Chunk } from './chunk.ts';

/** A campaign may send for weeks after the month that its recipients are stored by. */
const daysOfSending = 62;

/**
 * A condition on recipient p of a chunk. What another campaign sent or may have sent counts for so many days. What it has yet to
 * send counts if it began earlier, so of two campaigns that are sent at the same time the earlier one goes first and no contact gets
 * both. Single messages and the emails of the program never count.
 */
export const isOverCap = ({ account, campaign }: Chunk, { messages, days }: FrequencyCap): Sql => sql`(
  select count(*) = ${messages}
  from (
    select
    from delivery o
    left join campaign oc on oc.account_id = o.account_id and oc.id = o.campaign_id
    where o.account_id = ${account}
      and o.contact_id = p.contact_id
      and (o.month >= (now() - make_interval(days => ${days + daysOfSending}))::date or o.month < '0001-01-01')
      and (o.campaign_id, o.seq) <> (${campaign}, p.seq)
      and oc.type is distinct from 'message'
      and (
        (
          o.state in (${states.accepted}, ${states.unclear})
          and coalesce(o.done_at, o.first_at) > now() - make_interval(days => ${days})
        )
        or (
          o.state in (${states.queued}, ${states.trying}, ${states.later})
          and oc.status = 'sending'
          and (oc.send_at, o.campaign_id, o.seq) < (
            (select send_at from campaign where account_id = ${account} and id = ${campaign}), ${campaign}, p.seq
          )
        )
      )
    limit ${messages}
  ) as others
)`;
