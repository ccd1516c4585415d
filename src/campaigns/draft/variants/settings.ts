// campaignTestUpdate and campaignTestDelete: the A/B test of a campaign that has not been sent. A test is set as a whole, so that two
// calls never leave variants of both.
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import type { MessageKey } from '../../../base/messages.ts';
import { sql } from '../../../db/connect.ts';
import { plainPartInThread } from '../../compile/in-thread.ts';
import { keepAssets } from '../../content/pictures/asset.ts';
import type { Campaign } from '../../model/campaign.ts';
import { needNoLanguages, readTest, type Winner } from '../../model/variant.ts';
import { type Known, takeVersion } from '../editors/edits.ts';
import { clean } from '../read-content.ts';
import { finishChange, lockUnsent } from '../unsent.ts';

/** What a variant has instead of the campaign's own; '' or absent: as in the campaign. */
export type GivenVariant = {
  subject?: string | undefined;
  preview_text?: string | undefined;
  from_name?: string | undefined;
  html?: string | undefined;
  plain?: string | undefined;
};

type Given = { cid: string; share: number; winner: Winner; wait_minutes: number; variants: GivenVariant[] } & Known;

/** Sets or replaces the test. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_OPTION_INVALID, TOO_LARGE and those of needSendable */
export async function setTest(context: Context, given: Given): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockUnsent(context, given.cid);
  await takeVersion(context, campaign.id, 'test', given);
  const own = await readOwn(context, campaign.id);
  if (campaign.type === 'auto') throw invalid('ab_test.not_for_auto', 'cid');
  if (own.timeMatch) throw invalid('ab_test.not_with_time_match', 'cid');
  if (own.bestHour) throw invalid('ab_test.not_with_best_hour', 'cid');
  await needNoLanguages(context, campaign.id, 'ab_test.not_with_languages', 'cid');
  if (given.winner === 'opens' && !own.trackOpens) throw invalid('ab_test.opens_not_tracked', 'winner');
  if (given.winner === 'clicks' && !own.trackClicks) throw invalid('ab_test.clicks_not_tracked', 'winner');
  if (given.variants.length === 0) throw invalid('ab_test.no_variant', 'variants');
  const variants: Stored[] = [];
  for (const [i, variant] of given.variants.entries()) {
    const stored = await storedVariant(campaign, own, variant, `variants.${i}`);
    const texts = JSON.stringify(stored);
    if (
      Object.values(stored).every((text) => text === null) ||
      variants.some((other) => JSON.stringify(other) === texts)
    )
      throw invalid('ab_test.same', `variants.${i}`);
    variants.push(stored);
  }
  await deleteTest(context, campaign.id);
  await tx.run(sql`
    insert into campaign_test (account_id, campaign_id, share, winner, wait_minutes)
    values (${account.id}, ${campaign.id}, ${given.share}, ${given.winner}, ${given.wait_minutes})`);
  for (const [i, { subject, previewText, fromName, html, plain }] of variants.entries())
    await tx.run(sql`
      insert into campaign_variant (account_id, campaign_id, no, subject, preview_text, from_name, html, plain)
      values (${account.id}, ${campaign.id}, ${i + 1}, ${subject}, ${previewText}, ${fromName}, ${html}, ${plain})`);
  await keepAssets(context, campaign.id, campaign.html);
  await finishChange(context, campaign);
  return true;
}

/** Removes the test; the campaign goes to all recipients as it is. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT */
export async function removeTest(context: Context, { cid, ...given }: { cid: string } & Known): Promise<true> {
  const campaign = await lockUnsent(context, cid);
  await takeVersion(context, campaign.id, 'test', given);
  if (await readTest(context.tx, { account: context.account.id, campaign: campaign.id }))
    await deleteTest(context, campaign.id);
  await keepAssets(context, campaign.id, campaign.html);
  await finishChange(context, campaign);
  return true;
}

/** A test cannot be combined with a setting that changes when recipients get the campaign. @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needNoTest(
  { tx, account }: Context,
  campaignId: number,
  key:
    | 'ab_test.not_for_auto'
    | 'ab_test.not_with_time_match'
    | 'ab_test.not_with_best_hour'
    | 'ab_test.not_with_languages',
  member: string,
): Promise<void> {
  if (await readTest(tx, { account: account.id, campaign: campaignId })) throw invalid(key, member);
}

type Stored = Record<'subject' | 'previewText' | 'fromName' | 'html' | 'plain', string | null>;

async function storedVariant(campaign: Campaign, own: Own, given: GivenVariant, path: string): Promise<Stored> {
  const isPlain = campaign.type === 'plain';
  if (isPlain && (given.html || given.preview_text))
    throw invalid('ab_test.plain_only', given.html ? `${path}.html` : `${path}.preview_text`);
  const html = differing(clean(given.html ?? '', `${path}.html`), campaign.html);
  const plain = differing(clean(given.plain ?? '', `${path}.plain`), campaign.plain);
  return {
    subject: differing(given.subject, campaign.subject),
    previewText: differing(given.preview_text, ''),
    fromName: differing(given.from_name, own.fromName),
    html,
    // The text of the campaign would be that of another message.
    plain: plain ?? (html === null ? null : await plainPartInThread(html)),
  };
}

/** Null: as in the campaign. */
const differing = (given: string | undefined, own: string): string | null =>
  given === undefined || given.trim() === '' || given === own ? null : given;

type Own = { fromName: string; timeMatch: boolean; bestHour: boolean; trackOpens: boolean; trackClicks: boolean };

async function readOwn({ tx, account }: Context, campaignId: number): Promise<Own> {
  return (await tx.row<Own>(sql`
    select from_name as "fromName", time_match as "timeMatch", best_hour as "bestHour", track_opens as "trackOpens",
      case when type = 'plain' then track_text_clicks else track_html_clicks or track_text_clicks end as "trackClicks"
    from campaign
    where account_id = ${account.id}
      and id = ${campaignId}`))!;
}

async function deleteTest({ tx, account }: Context, campaignId: number): Promise<void> {
  for (const table of [sql`campaign_test`, sql`campaign_variant`])
    await tx.run(sql`delete from ${table} where account_id = ${account.id} and campaign_id = ${campaignId}`);
}

const invalid = (key: Extract<MessageKey, `ab_test.${string}`>, member: string) =>
  fault('CAMPAIGN_OPTION_INVALID', key as 'ab_test.same', { member });
