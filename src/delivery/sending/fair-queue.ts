// Fair scheduling: the send loops of a worker take the accounts with something due in turn, and the campaigns of each
// account in turn, so that a campaign to two recipients does not wait for an earlier one to a million. The list of due
// campaigns is read every half second; taking a chunk is left to the caller.

import { handsOutNothing } from '../../accounts/account/monthly-quota.ts';
import { isWorking } from '../../accounts/account/moves.ts';
import { remember } from '../../base/remember.ts';
import { type Database, prepared, type Queries, type Sql, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { isUrgentOwner } from '../ledger/message-owner.ts';
import { isRedone } from '../ledger/timeline.ts';

export type Turn = CampaignKey;

export type FairQueue = {
  /**
   * Offers turns, the least recently served first, until `take` returns something.
   * @param closed accounts to leave out
   * @param also further campaigns with something to send, called for each turn
   * @returns undefined when nothing was taken
   */
  next<T>(
    closed: readonly number[],
    also: () => readonly Turn[],
    take: (turn: Turn) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** Re-reads the due campaigns before the next turn. */
  refresh(): void;
};

/** How old the list of campaigns may be. */
const freshMs = 500;
/** Those served longest ago are forgotten first: they are next either way. */
const maxRemembered = 10_000;

/** @param readDue reads what is due: campaignsDue, messagesDue or urgentMessagesDue */
export function createFairQueue(db: Database, readDue: (db: Queries) => Promise<Turn[]> = campaignsDue): FairQueue {
  let due: readonly Turn[] = [];
  let until = 0;
  /** The number of the last turn of each account and each campaign. */
  const served = new Map<string, number>();
  let count = 0;

  const pick = (of: readonly Turn[], closed: readonly number[]): Turn | undefined => {
    let first: Turn | undefined;
    for (const turn of of) {
      if (closed.includes(turn.account)) continue;
      if (!first || isBefore(turn, first)) first = turn;
    }
    if (!first) return undefined;
    count += 1;
    remember(served, accountKey(first), count, maxRemembered);
    remember(served, campaignKey(first), count, maxRemembered);
    return first;
  };

  const isBefore = (turn: Turn, other: Turn): boolean => {
    const between = (served.get(accountKey(turn)) ?? 0) - (served.get(accountKey(other)) ?? 0);
    if (between !== 0) return between < 0;
    return (served.get(campaignKey(turn)) ?? 0) < (served.get(campaignKey(other)) ?? 0);
  };

  return {
    async next(closed, also, take) {
      for (let isNew = false; ; ) {
        if (performance.now() >= until) {
          until = performance.now() + freshMs;
          due = await readDue(db);
          isNew = true;
        }
        for (;;) {
          const turn = pick([...due, ...also()], closed);
          if (!turn) break;
          const taken = await take(turn);
          if (taken) return taken;
          // Other workers have taken all of it.
          due = due.filter((other) => campaignKey(other) !== campaignKey(turn));
        }
        if (isNew) return undefined;
        until = 0;
      }
    },
    refresh() {
      until = 0;
    },
  };
}

const accountKey = (of: Turn): string => `${of.account}`;
const campaignKey = (of: Turn): string => `${of.account}.${of.campaign}`;

/** Due chunks that are read at most; with more, the campaigns are read instead. */
const maxDueRead = 1_000;

/** The campaigns in state sending with a chunk due, the one due longest first. */
export function campaignsDue(db: Queries): Promise<Turn[]> {
  // Usually the due chunks, of which there are few. Where a large campaign has thousands, one index look-up for each campaign
  // with waiting chunks.
  return db.rows<Turn>(
    prepared(sql`
    with recursive due as materialized (
      select account_id, campaign_id, due_at
      from chunk
      where state = 'waiting'
        and due_at <= now()
      order by due_at
      limit ${maxDueRead}
    ), waiting as (
      (
        select account_id, campaign_id, due_at
        from chunk
        where state = 'waiting'
          and (select count(*) from due) = ${maxDueRead}
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
    ), found as (
      select account_id, campaign_id, min(due_at) as due_at
      from due
      where (select count(*) from due) < ${maxDueRead}
      group by account_id, campaign_id
      union all
      select account_id, campaign_id, due_at
      from waiting
      where due_at <= now()
    )
    select w.account_id as account, w.campaign_id as campaign
    from found w
    join campaign p on p.account_id = w.account_id and p.id = w.campaign_id
    where p.status = 'sending'
      and p.type <> 'message'
      and ${isWorking(sql`w.account_id`)}
      -- As in lease.ts.
      and (
        not ${handsOutNothing(sql`w.account_id`)}
        or exists (
          select
          from chunk k
          where k.account_id = w.account_id
            and k.campaign_id = w.campaign_id
            and k.state = 'waiting'
            and k.kind <> 'first'
            and k.due_at <= now()
        )
      )
      -- Sending is held, for a copied database or one that lacks outcomes, though this worker has not noticed yet.
      and not exists (select from heartbeat where held <> '')
      and ${isRedone}
    order by w.due_at, w.campaign_id`),
  );
}

/** The owners of single messages with a chunk due: one index look-up for each open owner; an account has two a day at most. */
export const messagesDue = (db: Queries): Promise<Turn[]> => ownersDue(db, sql`true`);

/** Like messagesDue, without messages of lists. */
export const urgentMessagesDue = (db: Queries): Promise<Turn[]> => ownersDue(db, isUrgentOwner);

function ownersDue(db: Queries, which: Sql): Promise<Turn[]> {
  return db.rows<Turn>(
    prepared(sql`
    select p.account_id as account, p.id as campaign
    from campaign p
    cross join lateral (
      select due_at
      from chunk k
      where k.account_id = p.account_id
        and k.campaign_id = p.id
        and k.state = 'waiting'
      order by k.due_at, k.no
      limit 1
    ) as first
    where p.type = 'message'
      and p.status = 'sending'
      and ${which}
      and ${isWorking(sql`p.account_id`)}
      and first.due_at <= now()
      and not exists (select from heartbeat where held <> '')
      and ${isRedone}
    order by first.due_at, p.id`),
  );
}
