// Makes an issue within one transaction: decides what is new, copies the original, fills it, records the items, and sends it or lets
// it wait for approval. Guarantees one row for each occurrence, and that items, campaign and state are written together: a crash
// leaves all of it or nothing. What was fetched is given; the network is not used here.
import type { Context } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Message, message, packMessage } from '../../base/messages.ts';
import { copyCampaign } from '../../campaigns/draft/columns.ts';
import { sendCampaign } from '../../campaigns/release/send.ts';
import { askForIssue, issuesNeedApproval } from '../../campaigns/review/ask.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { FeedItem } from '../feed/feed.ts';
import type { Fetched } from '../feed/fetch.ts';
import type { IssueState, Recurring } from '../schedule/recurring.ts';
import { contentOf, filledContent, fillingOf, pageContent, writeContent } from './content.ts';
import { isKnownPage, keyOfPage, recogniseItems, recordItems, recordPage } from './items.ts';
import { noticeFailed, noticeWaiting } from './notices.ts';
import type { Recognised } from './recognise.ts';

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
  const found = await whatIsNew(context, recurring, occurrence, fetched);
  if (fetched.got === 'feed')
    await tx.run(sql`
      update recurring
      set etag = ${fetched.validators.etag}, last_modified = ${fetched.validators.lastModified}
      where account_id = ${account.id}
        and id = ${recurring.id}`);
  if (found.count === 0) return record(context, recurring, occurrence, nothingNew);
  const feed =
    fetched.got === 'feed' ? fetched.feed : { title: fetched.title, url: recurring.sourceUrl, description: '' };
  const filling = fillingOf(context, recurring, original, feed, found.items);
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
    return fail(context, recurring, occurrence, notSendable(error), campaignId, found.count);
  }
  const made = { reason: null, campaign: campaignId, items: found.count };
  const reason = found.doubt ?? (occurrence.lateMs === undefined ? null : lateReason(occurrence.lateMs));
  if (issuesNeedApproval(context)) {
    await askForIssue(context, campaignId, reason);
    return record(context, recurring, occurrence, { ...made, reason, state: 'waiting' });
  }
  if (recurring.approve || reason) {
    await noticeWaiting(context, recurring, subject, campaignId, reason);
    return record(context, recurring, occurrence, { ...made, reason, state: 'waiting' });
  }
  try {
    // All checks of a campaign that a user sends. They change nothing, so the transaction goes on if one fails.
    await sendCampaign(context, { cid: formatId(campaignId) });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return fail(context, recurring, occurrence, notSendable(error), campaignId, found.count);
  }
  return record(context, recurring, occurrence, { ...made, state: 'sent' });
}

const nothingNew: Made = { state: 'skipped', reason: message('recurring.nothing_new'), campaign: null, items: 0 };
const lateReason = (ms: number): Message => message('recurring.late', { hours: Math.floor(ms / 3_600_000) });
const notSendable = (error: Fault): Message => message('recurring.not_sendable', { reason: error.text });

type Found = { items: FeedItem[]; count: number; doubt: Message | null };

/** What the issue has; records everything that the source has now. */
async function whatIsNew(
  context: Context,
  recurring: Recurring,
  { at }: Occurrence,
  fetched: Extract<Fetched, { got: 'feed' | 'page' }>,
): Promise<Found> {
  if (fetched.got === 'page') {
    const key = keyOfPage(fetched.plain);
    if (await isKnownPage(context, recurring.id, key)) return { items: [], count: 0, doubt: null };
    await recordPage(context, recurring.id, at, key);
    return { items: [], count: 1, doubt: null };
  }
  const recognised = await recogniseItems(context, recurring.id, fetched.feed.items);
  const items = recognised.fresh.slice(0, recurring.maxItems);
  await recordItems(context, recurring.id, at, items, fetched.feed.items, recognised.known);
  return { items, count: items.length, doubt: doubtOf(recognised) };
}

/** Why a person must look at an issue whose items may have been sent before; null if nothing speaks for it. */
export function doubtOf({ fresh, doubtful }: Recognised): Message | null {
  if (doubtful.length === 0) return null;
  const title = doubtful[0]!.title;
  return message('recurring.may_be_known', { count: doubtful.length, total: fresh.length, title });
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
  const next = campaign === null ? message('account_notice.issue_no_original') : message('account_notice.issue_kept');
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
