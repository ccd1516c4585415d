// The language versions of a campaign: what contacts of another language get instead. Versions are stored and compiled like the
// variants of an A/B test, from number 1 on without a gap; the campaign itself is number 0 and for everyone else.
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import type { MessageKey } from '../../../base/messages.ts';
import { sql } from '../../../db/connect.ts';
import { plainPartInThread } from '../../compile/in-thread.ts';
import { keepAssets } from '../../content/pictures/asset.ts';
import { languagesOf, maxLanguages } from '../../model/variant.ts';
import { type Known, takeVersion } from '../editors/edits.ts';
import { clean } from '../read-content.ts';
import { finishChange, lockTexts, type TextsLocked } from '../unsent.ts';
import { needNoTest } from './settings.ts';

type Given = {
  cid: string;
  language: string;
  subject: string;
  preview_text: string;
  from_name: string;
  html: string;
  plain: string;
} & Known;

/** Sets or replaces the version for a language. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_OPTION_INVALID and those of needSendable */
export async function setLanguage(context: Context, given: Given): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockTexts(context, given.cid);
  await takeVersion(context, campaign.id, 'languages', given);
  const of = { account: account.id, campaign: campaign.id };
  const language = needLanguage(given.language);
  await needNoTest(context, campaign.id, 'ab_test.not_with_languages', 'cid');
  if (given.subject.trim() === '') throw invalid('language.no_subject', 'subject');
  const isPlain = campaign.type === 'plain';
  if (isPlain && (given.html !== '' || given.preview_text !== ''))
    throw invalid('ab_test.plain_only', given.html === '' ? 'preview_text' : 'html');
  const html = clean(given.html, 'html');
  const plain = clean(given.plain, 'plain');
  if (isPlain ? plain.trim() === '' : html.trim() === '')
    throw invalid('language.no_content', isPlain ? 'plain' : 'html');
  const present = await languagesOf(tx, of);
  const known = present.find((version) => version.language === language);
  if (!known) needChoosable(campaign);
  if (!known && present.length >= maxLanguages)
    throw fault('TOO_LARGE', 'language.too_many', { member: 'language', count: maxLanguages });
  await tx.run(sql`
    insert into campaign_variant (account_id, campaign_id, no, language, subject, preview_text, from_name, html, plain)
    values (${of.account}, ${of.campaign}, ${known?.no ?? present.length + 1}, ${language}, ${given.subject}, ${given.preview_text},
      ${given.from_name.trim() === '' ? null : given.from_name}, ${isPlain ? null : html},
      ${plain.trim() === '' ? await plainPartInThread(html) : plain})
    on conflict (account_id, campaign_id, no) do update
    set subject = excluded.subject, preview_text = excluded.preview_text, from_name = excluded.from_name, html = excluded.html,
      plain = excluded.plain`);
  await keepAssets(context, campaign.id, campaign.html);
  await finishChange(context, campaign);
  return true;
}

/** Removes the version for a language. @throws Fault CAMPAIGN_UNKNOWN, CAMPAIGN_STATE_CONFLICT, CAMPAIGN_OPTION_INVALID and those of needSendable */
export async function deleteLanguage(
  context: Context,
  given: { cid: string; language: string } & Known,
): Promise<true> {
  const { tx, account } = context;
  const campaign = await lockTexts(context, given.cid);
  await takeVersion(context, campaign.id, 'languages', given);
  const language = needLanguage(given.language);
  needChoosable(campaign);
  const gone = await tx.row<{ no: number }>(sql`
    delete from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and language = ${language}
    returning no`);
  if (!gone) throw fault('CAMPAIGN_OPTION_INVALID', 'language.unknown', { member: 'language', language });
  // In two steps, as no number may occur twice at any moment.
  await tx.run(sql`
    update campaign_variant
    set no = -no
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and no > ${gone.no}`);
  await tx.run(sql`
    update campaign_variant
    set no = -no - 1
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and no < 0`);
  await keepAssets(context, campaign.id, campaign.html);
  await finishChange(context, campaign);
  return true;
}

/**
 * Who gets which version of a campaign was decided at its launch. Those who get an autoresponder or the email of an automation come one by
 * one: the next get those of the revision. @throws Fault CAMPAIGN_STATE_CONFLICT
 */
function needChoosable({ type, isCorrection }: TextsLocked): void {
  if (isCorrection && type !== 'auto') throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.no_new_language');
}

/** In the form in which the languages of contacts are compared: lower case, with hyphens. */
function needLanguage(text: string): string {
  const language = text.trim().toLowerCase().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,2}$/.test(language)) throw invalid('language.invalid', 'language');
  return language;
}

type Key = Extract<MessageKey, `language.${string}` | `ab_test.${string}`>;
const invalid = (key: Key, member: string) => fault('CAMPAIGN_OPTION_INVALID', key as 'ab_test.same', { member });
