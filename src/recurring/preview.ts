// What a feed contains, what an issue would look like now, and an issue made by hand. The source is fetched before the transaction;
// one that cannot be read is an answer with a reason, not a fault.
import type { Context, PrepareContext } from '../base/context.ts';
import { message, packMessage, renderMessage } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import type { FeedItem } from './feed/feed.ts';
import { type Fetched, fetchFeed } from './feed/fetch.ts';
import { contentOf, filledContent, fillingOf, pageContent } from './issue/content.ts';
import { fetchSource } from './issue/due.ts';
import { recogniseItems } from './issue/items.ts';
import { doubtOf, makeIssue } from './issue/make.ts';
import { lockRecurring, needRecurring } from './schedule/recurring.ts';

/** Reads a feed that need not belong to a recurring campaign. */
export const prepareFeed = ({ app }: PrepareContext, { url }: { url: string }): Promise<Fetched> => fetchFeed(app, url);

/** next: it is new; sent: an issue has it; passed: it was in the feed at an earlier issue, beyond max_items. */
export const itemStates = ['next', 'sent', 'passed'] as const;

/** What is in a feed; `url` is the one to use, where a web page names it. */
export async function feedContents(
  { language }: Context,
  { url, limit }: { url: string; limit: number },
  fetched: Fetched,
) {
  const reason = fetched.got === 'nothing' ? renderMessage(fetched.reason, language) : '';
  if (fetched.got !== 'feed')
    return { ok: false, reason, url: url.trim(), title: '', description: '', total: 0, items: [] };
  const { title, description, items } = fetched.feed;
  return {
    ok: true,
    reason: '',
    url: fetched.url,
    title,
    description,
    total: items.length,
    items: items.slice(0, limit).map(shown),
  };
}

/** @throws Fault RECURRING_UNKNOWN */
export async function prepareSource({ app, account }: PrepareContext, { id }: { id: string }): Promise<Fetched> {
  const recurring = await app.db.transaction((tx) => needRecurring({ tx, account }, id));
  return fetchSource(app, recurring, true);
}

/** The next issue with what is new now, or with the latest items if nothing is. @throws Fault RECURRING_UNKNOWN, TOO_LARGE */
export async function previewIssue(context: Context, { id }: { id: string }, fetched: Fetched) {
  const recurring = await needRecurring(context, id);
  const original = recurring.originalId === null ? undefined : await contentOf(context, recurring.originalId);
  const empty = { ok: false, reason: '', subject: '', html: '', plain: '', items: [] };
  if (fetched.got === 'nothing') return { ...empty, reason: renderMessage(fetched.reason, context.language) };
  if (!original) return { ...empty, reason: renderMessage(message('recurring.original_gone'), context.language) };
  if (fetched.got === 'page') {
    const feed = { title: fetched.title, url: recurring.sourceUrl, description: '' };
    const { subject, html, plain } = pageContent(original, fetched, fillingOf(context, recurring, original, feed, []));
    return { ...empty, ok: true, subject, html, plain };
  }
  if (fetched.got !== 'feed') return empty;
  const { items } = fetched.feed;
  const recognised = await recogniseItems(context, recurring.id, items);
  const fresh = recognised.fresh.slice(0, recurring.maxItems);
  const used = fresh.length > 0 ? fresh : items.slice(0, recurring.maxItems);
  const inIssue = new Set(fresh.map(({ key }) => key));
  const { subject, html, plain } = filledContent(original, fillingOf(context, recurring, original, fetched.feed, used));
  const doubt = doubtOf(recognised);
  const stateOf = ({ key }: FeedItem): (typeof itemStates)[number] => {
    if (inIssue.has(key)) return 'next';
    return recognised.known.get(key)?.sent ? 'sent' : 'passed';
  };
  return {
    ok: true,
    reason: doubt === null ? '' : renderMessage(doubt, context.language),
    subject,
    html,
    plain,
    items: items.slice(0, 50).map((item) => ({ ...shown(item), state: stateOf(item) })),
  };
}

/** Makes an issue now, besides the schedule. @throws Fault RECURRING_UNKNOWN */
export async function runNow(context: Context, { id }: { id: string }, fetched: Fetched) {
  const { tx, account, now, language } = context;
  const recurring = await lockRecurring(context, id);
  if (fetched.got === 'nothing') {
    await tx.run(sql`
      insert into recurring_issue (account_id, recurring_id, occurrence_at, state, reason, by_hand, attempts, notified)
      values (${account.id}, ${recurring.id}, ${now}, 'failed', ${packMessage(fetched.reason)}, true, 1, true)
      on conflict do nothing`);
    return { state: 'failed' as const, reason: renderMessage(fetched.reason, language), campaign: '', items: 0 };
  }
  const made = await makeIssue(context, recurring, { at: now, byHand: true }, fetched);
  return {
    state: made.state,
    reason: made.reason === null ? '' : renderMessage(made.reason, language),
    campaign: made.campaign === null ? '' : formatId(made.campaign),
    items: made.items,
  };
}

const shown = ({ title, url, author, at, summary, image }: FeedItem) => ({
  title,
  url,
  author,
  date: formatDate(at),
  summary,
  image,
});
