// Makes an issue within one transaction: decides what is new, copies the original, fills it, records the items, and sends it or lets
// it wait for approval. Guarantees one row for each occurrence, and that items, campaign and state are written together: a crash
// leaves all of it or nothing. What was fetched is given; the network is not used here.
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Message, message, packMessage } from '../../base/messages.ts';
import { copyCampaign } from '../../campaigns/draft/columns.ts';
import { sendCampaign } from '../../campaigns/release/send.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { FeedItem } from '../feed/feed.ts';
import type { Fetched } from '../feed/fetch.ts';
import type { IssueState, Recurring } from '../recurring.ts';
import { contentOf, filledContent, fillingOf, pageContent, writeContent } from './content.ts';
import { keyOfPage, newItems, recordItems } from './items.ts';
import { noticeFailed, noticeWaiting } from './notices.ts';

export type Made = { state: IssueState; reason: Message | null; campaign: number | null; items: number };

/** `byHand`: now, and not because the schedule says so. `lateMs`: how long ago it was due, if that is too long to send it unasked. */
export type Occurrence = { at: Date; byHand: boolean; lateMs?: number | undefined };

/**
 * Makes the issue of an occurrence from what was fetched. The recurring campaign is locked, and the occurrence has no issue yet
 * or one that failed without a campaign.
 */
export async function makeIssue(
  context: Context,
  recurring: Recurring,
  occurrence: Occurrence,
  fetched: Exclude<Fetched, { got: 'nothing' }>,
): Promise<Made> {
  const { tx, account } = context;
  if (fetched.got === 'unchanged') return record(context, recurring, occurrence, nothingNew);
  const original = recurring.originalId === null ? undefined : await contentOf(context, recurring.originalId);
  if (!original) return fail(context, recurring, occurrence, message('recurring.original_gone'), null, 0);
  const items = await itemsOf(context, recurring, fetched);
  if (fetched.got === 'feed')
    await tx.run(sql`
      update recurring
      set etag = ${fetched.validators.etag}, last_modified = ${fetched.validators.lastModified}
      where account_id = ${account.id}
        and id = ${recurring.id}`);
  if (items.issue.length === 0) return record(context, recurring, occurrence, nothingNew);
  const feed =
    fetched.got === 'feed' ? fetched.feed : { title: fetched.title, url: recurring.sourceUrl, description: '' };
  const filling = fillingOf(context, recurring, original, feed, items.items);
  await recordItems(context, recurring.id, occurrence.at, items.issue, items.all);
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: recurring.timeZone }).format(occurrence.at);
  const title = sql`${`${recurring.title.slice(0, 900)} ${day}`}`;
  const campaignId = await copyCampaign(tx, account.id, recurring.originalId!, title);
  let subject: string;
  try {
    const content = fetched.got === 'page' ? pageContent(original, fetched, filling) : filledContent(original, filling);
    await writeContent(context, campaignId, content, filling);
    subject = content.subject;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return fail(context, recurring, occurrence, notSendable(error), campaignId, items.issue.length);
  }
  const made = { reason: null, campaign: campaignId, items: items.issue.length };
  const reason = occurrence.lateMs === undefined ? null : lateReason(occurrence.lateMs);
  if (recurring.approve || reason) {
    await noticeWaiting(context, recurring, subject, campaignId, reason);
    return record(context, recurring, occurrence, { ...made, reason, state: 'waiting' });
  }
  try {
    // All checks of a campaign that a user sends. They change nothing, so the transaction goes on if one fails.
    await sendCampaign(context, { cid: formatId(campaignId) });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return fail(context, recurring, occurrence, notSendable(error), campaignId, items.issue.length);
  }
  return record(context, recurring, occurrence, { ...made, state: 'sent' });
}

const nothingNew: Made = { state: 'skipped', reason: message('recurring.nothing_new'), campaign: null, items: 0 };
const lateReason = (ms: number): Message => message('recurring.late', { hours: Math.floor(ms / 3_600_000) });
const notSendable = (error: Fault): Message => message('recurring.not_sendable', { reason: error.text });

/** `issue` and `all` are keys: what the issue has, and all that is recorded. */
async function itemsOf(
  context: Context,
  recurring: Recurring,
  fetched: Extract<Fetched, { got: 'feed' | 'page' }>,
): Promise<{ items: FeedItem[]; issue: string[]; all: string[] }> {
  if (fetched.got === 'page') {
    const key = keyOfPage(fetched.plain);
    const isNew = (await newItems(context, recurring.id, [{ key } as FeedItem])).length > 0;
    return { items: [], issue: isNew ? [key] : [], all: [key] };
  }
  const fresh = await newItems(context, recurring.id, fetched.feed.items);
  const items = fresh.slice(0, recurring.maxItems);
  return { items, issue: items.map(({ key }) => key), all: fresh.map(({ key }) => key) };
}

/** An issue that stays a draft, or has no campaign: the owner is notified immediately, as trying again would not help. */
async function fail(
  context: Context,
  recurring: Recurring,
  occurrence: Occurrence,
  reason: Message,
  campaign: number | null,
  items: number,
): Promise<Made> {
  const next =
    campaign === null
      ? 'Choose another campaign as the original, or delete the recurring campaign.'
      : 'It is kept as a draft. Fix the cause, then approve it.';
  await noticeFailed(context, recurring, reason, next);
  return record(context, recurring, occurrence, { state: 'failed', reason, campaign, items }, true);
}

/** Writes the row of the occurrence. */
async function record(
  { tx, account }: Context,
  recurring: Recurring,
  { at, byHand }: Occurrence,
  made: Made,
  notified = false,
): Promise<Made> {
  const reason = made.reason === null ? '' : packMessage(made.reason);
  await tx.run(sql`
    insert into recurring_issue (account_id, recurring_id, occurrence_at, state, reason, by_hand, notified, campaign_id, has_campaign, items)
    values (${account.id}, ${recurring.id}, ${at}, ${made.state}, ${reason}, ${byHand}, ${notified}, ${made.campaign},
      ${made.campaign !== null}, ${made.items})
    on conflict (account_id, recurring_id, occurrence_at) do update
    set state = excluded.state, reason = excluded.reason, notified = recurring_issue.notified or excluded.notified,
      campaign_id = excluded.campaign_id, has_campaign = excluded.has_campaign, items = excluded.items, changed_at = now()`);
  return made;
}
