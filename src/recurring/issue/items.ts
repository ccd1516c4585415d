// What is known of a feed: everything that was in it at an earlier issue, with what it is recognised by. A page counts as one item,
// identified by its text.
import { createHash } from 'node:crypto';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { FeedItem } from '../feed/feed.ts';
import { type History, type Known, type Recognised, recognise, usableDate } from './recognise.ts';

type Of = Pick<Context, 'tx' | 'account' | 'now'>;

/** Which items of a feed are new. */
export async function recogniseItems(of: Of, recurringId: number, items: readonly FeedItem[]): Promise<Recognised> {
  return recognise(items, await historyOf(of, recurringId, items), of.now);
}

async function historyOf({ tx, account }: Of, recurringId: number, items: readonly FeedItem[]): Promise<History> {
  const having = (name: keyof FeedItem['marks']) => items.map(({ marks }) => marks[name]).filter(Boolean);
  const known = await tx.rows<Known>(sql`
    select key, coalesce(nullif(same_as, ''), key) as item, guid_mark as guid, link_mark as link, slug_mark as slug,
      title_mark as title, text_mark as text, published_at as at, occurrence_at is not null as sent
    from recurring_item
    where account_id = ${account.id}
      and recurring_id = ${recurringId}
      and (
        key = any(${items.map(({ key }) => key)}::text[])
        or guid_mark = any(${having('guid')}::text[])
        or link_mark = any(${having('link')}::text[])
        or slug_mark = any(${having('slug')}::text[])
        or title_mark = any(${having('title')}::text[])
        or text_mark = any(${having('text')}::text[])
      )`);
  const all = await tx.row<Omit<History, 'known'>>(sql`
    select
      -- Of items without marks, from before there were any, it is known that they are older than the issue.
      max(coalesce(published_at, case when title_mark = '' then seen_at end)) as newest,
      min(published_at) as oldest,
      -- A few may have been published again under their old address.
      count(distinct link_mark) > 1
        and count(distinct link_mark) * 5 >= count(distinct coalesce(nullif(same_as, ''), key)) * 4 as "linksIdentify"
    from recurring_item
    where account_id = ${account.id}
      and recurring_id = ${recurringId}
      and (link_mark <> '' or published_at is not null or title_mark = '')`);
  return { known, ...all! };
}

/** Whether a page was sent with this text. */
export async function isKnownPage({ tx, account }: Of, recurringId: number, key: string): Promise<boolean> {
  const row = await tx.row(sql`
    select
    from recurring_item
    where account_id = ${account.id}
      and recurring_id = ${recurringId}
      and key = ${key}`);
  return row !== undefined;
}

/**
 * Records everything that is in the feed now, so that it is recognised later: what the issue has, what will not be sent, and under
 * which guids and addresses known items are there now.
 */
export async function recordItems(
  { tx, account, now }: Of,
  recurringId: number,
  occurrence: Date,
  inIssue: readonly FeedItem[],
  items: readonly FeedItem[],
  known: ReadonlyMap<string, Known>,
): Promise<void> {
  const sent = new Set(inIssue.map(({ key }) => key));
  const rows = items.map(({ key, marks, at }) => {
    const first = known.get(key)?.item ?? '';
    const sameAs = first === key ? '' : first;
    return { key, ...marks, at: usableDate(at, now), same_as: sameAs, sent: sent.has(key) };
  });
  await tx.run(sql`
    insert into recurring_item (account_id, recurring_id, key, occurrence_at, same_as, guid_mark, link_mark, slug_mark,
      title_mark, text_mark, published_at)
    select ${account.id}::int, ${recurringId}::int, i.key,
      case when i.sent then ${occurrence}::timestamptz else first.occurrence_at end,
      i.same_as, i.guid, i.link, i.slug, i.title, i.text, i.at
    from jsonb_to_recordset(${jsonb(rows)}::jsonb)
      as i (key text, guid text, link text, slug text, title text, text text, at timestamptz, same_as text, sent bool)
    left join recurring_item first
      on first.account_id = ${account.id} and first.recurring_id = ${recurringId} and first.key = i.same_as
    on conflict (account_id, recurring_id, key) do update
    set guid_mark = excluded.guid_mark, link_mark = excluded.link_mark, slug_mark = excluded.slug_mark,
      title_mark = excluded.title_mark, text_mark = excluded.text_mark,
      published_at = coalesce(excluded.published_at, recurring_item.published_at)
    where (recurring_item.guid_mark, recurring_item.link_mark, recurring_item.slug_mark, recurring_item.title_mark,
        recurring_item.text_mark, recurring_item.published_at)
      is distinct from (excluded.guid_mark, excluded.link_mark, excluded.slug_mark, excluded.title_mark,
        excluded.text_mark, coalesce(excluded.published_at, recurring_item.published_at))`);
}

/** Records the text of a page. */
export async function recordPage(
  { tx, account }: Of,
  recurringId: number,
  occurrence: Date,
  key: string,
): Promise<void> {
  await tx.run(sql`
    insert into recurring_item (account_id, recurring_id, key, occurrence_at)
    values (${account.id}, ${recurringId}, ${key}, ${occurrence})
    on conflict do nothing`);
}

/** Identifies the text of a page. */
export const keyOfPage = (plain: string): string =>
  createHash('sha256')
    .update(`page ${plain.replace(/\s+/g, ' ')}`)
    .digest('base64url')
    .slice(0, 24);
