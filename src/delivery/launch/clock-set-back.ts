// Ends waits caused by a clock that was set back: what was due before is then due in the future. Chunks due at a calendar time
// keep that time, and so do single messages for later.
import { monthOfAutoresponders } from '../../campaigns/model/month.ts';
import { type Database, sql } from '../../db/connect.ts';

/** No wait between two attempts (retry.ts), and none of a chunk that was given back, is this long. */
const maxHours = 5;
/** Longer than due times are rounded up. */
const roundedBy = sql`interval '1 minute'`;

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
        -- Recipients of an automation are due when they are added; this chunk was never given back.
        or (
          k.kind = 'first'
          and p.auto ->> 'event' = 'automation'
          and k.due_at > now() + ${roundedBy}
          and exists (
            select from delivery d
            where d.account_id = k.account_id
              and d.campaign_id = k.campaign_id
              and d.month = ${monthOfAutoresponders}
              and d.seq = k.seqs[1]
              and d.due_at = k.due_at
          )
        )
        or (
          k.due_at > now() + make_interval(hours => ${maxHours})
          and (k.kind <> 'first' or (p.type <> 'auto' and not p.time_match and not p.best_hour))
        )
      )
      -- The messages of a chunk have the same time.
      and not (
        p.type = 'message'
        and k.kind = 'first'
        and exists (
          select from message_recipient r
          join message m on m.account_id = r.account_id and m.campaign_id = r.campaign_id and m.no = r.no
          where r.account_id = k.account_id
            and r.campaign_id = k.campaign_id
            and r.seq = k.seqs[1]
            and m.send_at = k.due_at
        )
      )`);
}
