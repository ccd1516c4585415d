// Ends waits caused by a clock that was set back: what was due before is then due in the future. Chunks due at a calendar time
// keep that time.
import { type Database, sql } from '../../db/connect.ts';

/** No wait between two attempts (retry.ts), and none of a chunk that was given back, is this long. */
const maxHours = 5;

/** Makes chunks due that can only be waiting because a clock was set back. @returns how many */
export async function endImpossibleWaits(db: Database): Promise<number> {
  return db.run(sql`
    update chunk k
    set due_at = now()
    from campaign p
    where p.account_id = k.account_id
      and p.id = k.campaign_id
      and p.status = 'sending'
      and k.state = 'waiting'
      and k.due_at > now()
      and k.opens_at is distinct from k.due_at
      and (
        -- It was due when its campaign started.
        (k.kind = 'first' and k.due_at <= p.send_at)
        or (
          k.due_at > now() + make_interval(hours => ${maxHours})
          and (k.kind <> 'first' or (p.type <> 'auto' and not p.time_match and not p.best_hour))
        )
      )`);
}
