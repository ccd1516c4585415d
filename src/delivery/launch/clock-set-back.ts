// Ends waits that nobody has asked for: when the clock of the database is set back, what was due lies in the future
// again, by as much as the step. What is to go at a time of the calendar waits for that time, whatever the clock says.
import { type Database, sql } from '../../db/connect.ts';

/** Longer than any wait between two tries (see retry.ts), or of a chunk that is given back. */
const longestHours = 5;

/** Makes due what can only wait because of a clock that was set back. @returns how many chunks */
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
      and (
        -- It was due when its campaign was started.
        (k.kind = 'first' and k.due_at <= p.send_at)
        or (
          k.due_at > now() + make_interval(hours => ${longestHours})
          and (k.kind <> 'first' or (p.type <> 'auto' and not p.time_match))
        )
      )`);
}
