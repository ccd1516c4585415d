// The emails that are due and wait for a relay: how many, and since when. Read from chunks and sums, never from recipients.
import { senderOf } from '../../base/relay/message-sender.ts';
import { type Queries, sql } from '../../db/connect.ts';

export type WaitingEmails = { account: number; domain: string; count: number; since: Date };

/**
 * By the sender whose relays they take; single messages as those of their account. A chunk may have been sent in part, so a campaign
 * never counts more than its recipients without an outcome.
 * @param account all if not given
 */
export async function waitingEmails(db: Queries, account?: number): Promise<WaitingEmails[]> {
  const rows = await db.rows<{ account: number; sender: string; count: number; since: Date }>(sql`
    select p.account_id as account, coalesce(nullif(p.sender, ''), a.email) as sender,
      least(due.count, open.count)::int as count, due.since
    from campaign p
    join account a on a.id = p.account_id
    cross join lateral (
      select sum(coalesce(cardinality(k.seqs), k.to_seq - k.from_seq + 1)) as count, min(k.due_at) as since
      from chunk k
      where k.account_id = p.account_id
        and k.campaign_id = p.id
        -- A worker takes up what is due, finds that the relay rests, and gives it back.
        and k.state <> 'done'
        and k.due_at <= now()
    ) as due
    cross join lateral (
      select sum(t.queued + t.trying + t.later + t.unclear) as count
      from tally t
      where t.account_id = p.account_id
        and t.campaign_id = p.id
    ) as open
    where p.status = 'sending'
      and ${account === undefined ? sql`true` : sql`p.account_id = ${account}`}
      and due.count > 0
      and open.count > 0`);
  return rows.map(({ account: of, sender, count, since }) => ({ ...senderOf(of, sender), count, since }));
}

/** All of them together. */
export function together(waiting: readonly Pick<WaitingEmails, 'count' | 'since'>[]): {
  count: number;
  since: Date | null;
} {
  const oldest = Math.min(...waiting.map(({ since }) => since.getTime()));
  return {
    count: waiting.reduce((sum, { count }) => sum + count, 0),
    since: waiting.length > 0 ? new Date(oldest) : null,
  };
}
