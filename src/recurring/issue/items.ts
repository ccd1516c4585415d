// Which items are new: those that were not in the feed at an earlier issue. A page counts as one item, identified by its text.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import type { FeedItem } from '../feed/feed.ts';

type Of = Pick<Context, 'tx' | 'account'>;

/** The keys that are known, and whether an issue has them. */
export async function knownKeys(
  { tx, account }: Of,
  recurringId: number,
  keys: readonly string[],
): Promise<Map<string, 'sent' | 'passed'>> {
  const rows = await tx.rows<{ key: string; sent: boolean }>(sql`
    select key, occurrence_at is not null as sent
    from recurring_item
    where account_id = ${account.id}
      and recurring_id = ${recurringId}
      and key = any(${keys as string[]}::text[])`);
  return new Map(rows.map(({ key, sent }) => [key, sent ? 'sent' : 'passed']));
}

/** The new items, in the order of the feed. */
export async function newItems(of: Of, recurringId: number, items: readonly FeedItem[]): Promise<FeedItem[]> {
  const known = await knownKeys(
    of,
    recurringId,
    items.map(({ key }) => key),
  );
  return items.filter(({ key }) => !known.has(key));
}

/** Records everything that is in the feed now: what the issue has, and what will not be sent. */
export async function recordItems(
  { tx, account }: Of,
  recurringId: number,
  occurrence: Date,
  inIssue: readonly string[],
  all: readonly string[],
): Promise<void> {
  await tx.run(sql`
    insert into recurring_item (account_id, recurring_id, key, occurrence_at)
    select ${account.id}::int, ${recurringId}::int, key,
      case when key = any(${inIssue as string[]}::text[]) then ${occurrence}::timestamptz end
    from unnest(${all as string[]}::text[]) as key
    on conflict do nothing`);
}

/** Identifies the text of a page. */
export const keyOfPage = (plain: string): string =>
  createHash('sha256')
    .update(`page ${plain.replace(/\s+/g, ' ')}`)
    .digest('base64url')
    .slice(0, 24);
