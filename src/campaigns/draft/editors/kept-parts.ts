// Texts of language versions and of A/B variants in the history of a campaign. They are versions with the source format `part`:
// their HTML and plain text are those of any version, and the source says in JSON which part it was, with its other texts.
import type { Context } from '../../../base/context.ts';
import { fault } from '../../../base/faults.ts';
import { sql } from '../../../db/connect.ts';
import { keepAssets } from '../../content/pictures/asset.ts';
import type { Campaign } from '../../model/campaign.ts';
import { finishChange } from '../unsent.ts';
import { setLanguage } from '../variants/languages.ts';
import { insertVersion } from './add-version.ts';
import { takeVersion } from './edits.ts';

export const partFormat = 'part' as const;

export const keptParts = ['content', 'languages', 'test'] as const;

export type KeptPart = {
  part: (typeof keptParts)[number];
  /** The language, or the letter of the variant. */
  name: string;
  subject: string;
  preview_text: string;
  from_name: string;
};

/** The email itself. */
export const mainPart: KeptPart = { part: 'content', name: '', subject: '', preview_text: '', from_name: '' };

export const writePart = ({ part, name, subject, preview_text, from_name }: KeptPart): string =>
  JSON.stringify({ part, name, subject, preview_text, from_name });

export const readPart = (source: string): KeptPart => JSON.parse(source) as KeptPart;

type Texts = { html: string; plain: string; generated: boolean; source: string };

/** Restores a part; what it has now is kept. @throws Fault INVALID_PARAMETER and those of setLanguage */
export async function restorePart(
  context: Context,
  campaign: Campaign,
  body: Texts,
  given: { cid: string; editor: string },
): Promise<void> {
  const kept = readPart(body.source);
  const plain = body.generated ? '' : body.plain;
  await keepPresent(context, campaign, kept);
  if (kept.part === 'languages') {
    const { name: language, subject, preview_text, from_name } = kept;
    await setLanguage(context, { ...given, language, subject, preview_text, from_name, html: body.html, plain });
    return;
  }
  await takeVersion(context, campaign.id, 'test', { editor: given.editor });
  const { tx, account } = context;
  const none = (text: string) => (text === '' ? null : text);
  const found = await tx.row(sql`
    update campaign_variant
    set subject = ${none(kept.subject)}, preview_text = ${none(kept.preview_text)}, from_name = ${none(kept.from_name)},
      html = ${none(body.html)}, plain = ${none(body.plain)}
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and language = ''
      and no = ${variantNo(kept.name)}
    returning no`);
  if (!found) throw fault('INVALID_PARAMETER', 'campaign.variant_gone', { member: 'version', name: kept.name });
  await keepAssets(context, campaign.id, campaign.html);
  await finishChange(context, campaign);
}

/** Keeps what the part has now. */
async function keepPresent(context: Context, campaign: Campaign, { part, name }: KeptPart): Promise<void> {
  const { tx, account } = context;
  const isLanguage = part === 'languages';
  const now = await tx.row<Record<'subject' | 'preview_text' | 'from_name' | 'html' | 'plain', string>>(sql`
    select coalesce(subject, '') as subject, coalesce(preview_text, '') as preview_text, coalesce(from_name, '') as from_name,
      coalesce(html, '') as html, coalesce(plain, '') as plain
    from campaign_variant
    where account_id = ${account.id}
      and campaign_id = ${campaign.id}
      and language = ${isLanguage ? name : ''}
      and ${isLanguage ? sql`true` : sql`no = ${variantNo(name)}`}`);
  if (!now) return;
  const { html, plain, ...texts } = now;
  const source = writePart({ part, name, ...texts });
  const body = { html, plain, plainGenerated: html !== '', source, sourceFormat: partFormat };
  await insertVersion(context, campaign.id, body, 'restore', { userId: null, keyId: null });
}

/** B is variant 1; A is the campaign itself. */
const variantNo = (name: string) => 'ABCDE'.indexOf(name);
