// Whose turn it is. The lanes of a worker go round the accounts that have something due, and round the campaigns of each,
// so that a mail to two does not wait for the million that was there before. What is to be sent of a campaign is asked
// of the database now and then only; taking a chunk, and all that keeps it from being taken, is left to the caller.
import { type Database, sql } from '../../db/connect.ts';

export type Turn = { account: number; campaign: number };

export type FairQueue = {
  /**
   * Offers turns, the one served longest ago first, until one of them is taken.
   * @param closed accounts that are left out
   * @param also further campaigns that have something, asked anew for each turn
   * @returns undefined when nothing was to be had
   */
  next<T>(
    closed: readonly number[],
    also: () => readonly Turn[],
    take: (turn: Turn) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** There may be more than was last seen. */
  renew(): void;
};

/** How old the list of campaigns may be: so long a new one waits that nobody has told of. */
const freshMs = 500;
const maxRemembered = 10_000;

export function createFairQueue(db: Database): FairQueue {
  let due: readonly Turn[] = [];
  let until = 0;
  /** The number of the last turn of an account, and of a campaign. */
  const served = new Map<string, number>();
  let count = 0;

  const pick = (of: readonly Turn[], closed: readonly number[]): Turn | undefined => {
    let first: Turn | undefined;
    for (const one of of) {
      if (closed.includes(one.account)) continue;
      if (!first || isBefore(one, first)) first = one;
    }
    if (!first) return undefined;
    if (served.size > maxRemembered) served.clear();
    count += 1;
    served.set(accountKey(first), count);
    served.set(campaignKey(first), count);
    return first;
  };

  const isBefore = (one: Turn, other: Turn): boolean => {
    const between = (served.get(accountKey(one)) ?? 0) - (served.get(accountKey(other)) ?? 0);
    if (between !== 0) return between < 0;
    return (served.get(campaignKey(one)) ?? 0) < (served.get(campaignKey(other)) ?? 0);
  };

  return {
    async next(closed, also, take) {
      for (let isNew = false; ; ) {
        if (performance.now() >= until) {
          until = performance.now() + freshMs;
          due = await campaignsDue(db);
          isNew = true;
        }
        for (;;) {
          const turn = pick([...due, ...also()], closed);
          if (!turn) break;
          const taken = await take(turn);
          if (taken) return taken;
          // All of it was taken by others.
          due = due.filter((one) => campaignKey(one) !== campaignKey(turn));
        }
        if (isNew) return undefined;
        until = 0;
      }
    },
    renew() {
      until = 0;
    },
  };
}

const accountKey = (of: Turn): string => `${of.account}`;
const campaignKey = (of: Turn): string => `${of.account}.${of.campaign}`;

/** The campaigns that are being sent and have something due, the one due longest first. */
function campaignsDue(db: Database): Promise<Turn[]> {
  // A look at the index for each campaign that has anything waiting, instead of one at each of its chunks.
  return db.rows<Turn>(sql`
    with recursive waiting as (
      (
        select account_id, campaign_id, due_at
        from chunk
        where state = 'waiting'
        order by account_id, campaign_id, due_at, no
        limit 1
      )
      union all
      select k.account_id, k.campaign_id, k.due_at
      from waiting w,
        lateral (
          select account_id, campaign_id, due_at
          from chunk
          where state = 'waiting'
            and (account_id, campaign_id) > (w.account_id, w.campaign_id)
          order by account_id, campaign_id, due_at, no
          limit 1
        ) as k
    )
    select w.account_id as account, w.campaign_id as campaign
    from waiting w
    join campaign p on p.account_id = w.account_id and p.id = w.campaign_id
    where w.due_at <= now()
      and p.status = 'sending'
      -- Workers that have not noticed yet take nothing of a copy.
      and not exists (select from heartbeat where held <> '')
    order by w.due_at, w.campaign_id`);
}
