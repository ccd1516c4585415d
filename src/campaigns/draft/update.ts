// campaignUpdate: changes one option, or the content, of a campaign that has not been sent (unsent.ts). The option's type is
// that of campaignCreate; what a change writes is in changes.ts.
import { z } from 'zod';
import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { readValue } from '../../method/read-value.ts';
import type { ArchiveType } from '../content/archive/unpack.ts';
import type { Campaign } from '../model/campaign.ts';
import { arrangeCampaign, arrangementOf } from './arrange.ts';
import { changeable, changes, type OptionName, type OptionValues } from './changes.ts';
import type { Replacement } from './editors/add-version.ts';
import { type Known, takeVersion } from './editors/edits.ts';
import { keepBody } from './editors/versions.ts';
import { type Imported, importContent } from './read-content.ts';
import { finishChange, lockTexts } from './unsent.ts';

export type OptionChange = { cid: string; name: string; value?: unknown };
type KnownChange = OptionChange & Known;

/** The option that a change is of, and its new value. @throws Fault CAMPAIGN_OPTION_INVALID and the fault of the option */
export function readChange({ name, value }: OptionChange): { option: OptionName; value: unknown } {
  const option = needOptionName(name);
  return { option, value: readOption(option, value) };
}

/** Fetches or unpacks new content before the transaction. @throws Fault CAMPAIGN_OPTION_INVALID, URL_INVALID, ARCHIVE_INVALID */
export async function prepareUpdate(context: PrepareContext, { cid, name, value }: OptionChange): Promise<Imported> {
  if (arrangementOf(name)) return undefined;
  const option = needOptionName(name);
  if (option === 'url') return importContent(context, { url: readOption(option, value) }, '');
  if (option === 'archive') {
    return importContent(context, { archive: readOption(option, value) }, '', await archiveTypeOf(context, cid));
  }
  if (option === 'content') return importContent(context, readOption('content', value));
  return undefined;
}

/** Changes one option, and keeps the previous body when the change replaces it. @throws Fault CAMPAIGN_CHANGED */
export async function updateCampaign(
  context: Context,
  { cid, name, value, ...known }: KnownChange,
  imported: Imported,
): Promise<true> {
  const arrangement = arrangementOf(name);
  if (arrangement) return arrangeCampaign(context, cid, arrangement, value);
  const campaign = await lockTexts(context, cid);
  const option = needOptionName(name);
  if (campaign.isCorrection && !correctable.has(option))
    throw fault('CAMPAIGN_STATE_CONFLICT', 'campaign.only_texts', {
      name: option,
      choices: [...correctable].join(', '),
    });
  const replacement = replacements[option];
  const last = await takeVersion(context, campaign.id, partOf(option), known);
  if (replacement)
    await keepBody(context, campaign, replacement, {
      last,
      editor: known.editor,
      changesFormat: changesFormat(option, campaign),
    });
  await changes[option]({ context, campaign, imported }, readOption(option, value) as never);
  await finishChange(context, campaign);
  return true;
}

/** Whether HTML becomes Markdown or MJML, or one of those another. */
const changesFormat = (option: OptionName, { sourceFormat }: Campaign) =>
  (option === 'html' || option === 'markdown' || option === 'mjml') && option !== sourceFormat;

/** The options that replace the body. */
const replacements: { [K in OptionName]?: Replacement } = {
  html: 'edit',
  markdown: 'edit',
  mjml: 'edit',
  plain: 'edit',
  content: 'edit',
  template_id: 'template',
  url: 'import',
  archive: 'import',
};

/** Options that are changed together: those that replace the body are all the content. */
function partOf(option: OptionName): string {
  return ofContent.has(option) ? 'content' : option === 'auto' ? 'type_opts' : option;
}

const ofContent: ReadonlySet<OptionName> = new Set([
  'html',
  'markdown',
  'mjml',
  'plain',
  'generate_text',
  'template_id',
  'url',
  'archive',
]);

/** What can be changed after some have received the campaign: everyone else gets it with the new text. */
const correctable: ReadonlySet<OptionName> = new Set([
  ...ofContent,
  'content',
  'archive_type',
  'title',
  'subject',
  'preview_text',
  'from_name',
  'from_email',
  'to_email',
  'auto_footer',
  'inline_css',
  'ln',
]);

/** Words that an empty text unsets, as if they had never been given. */
const clearable = new Set<OptionName>(['ln']);

function needOptionName(name: string): OptionName {
  const lower = name.trim().toLowerCase();
  if (!Object.hasOwn(changeable, lower))
    throw fault('CAMPAIGN_OPTION_INVALID', 'campaign.option_unknown', {
      member: 'name',
      name: name.slice(0, 40),
      choices: Object.keys(changeable).join(', '),
    });
  return lower as OptionName;
}

/** The archive type that an earlier call set. */
async function archiveTypeOf({ app, account }: PrepareContext, cid: string): Promise<ArchiveType | undefined> {
  const row = await app.db.row<{ type: ArchiveType }>(
    sql`select archive_type as type from campaign where account_id = ${account.id} and id = ${parseId(cid)}`,
  );
  return row?.type;
}

/**
 * Reads the value by the type of the option. A fault names the option, as in campaignCreate, and not `value`.
 * @throws Fault INVALID_PARAMETER and the fault of the option
 */
function readOption<K extends OptionName>(option: K, value: unknown): OptionValues[K] {
  if (value === undefined) throw fault('INVALID_PARAMETER', 'parameter.required', { member: 'value' });
  if (value === '' && clearable.has(option)) return '' as OptionValues[K];
  const wrapped = z
    .strictObject({ [option]: changeable[option] as z.ZodType })
    .meta({ fault: 'CAMPAIGN_OPTION_INVALID' });
  return (readValue(wrapped, { [option]: value }) as { [K in OptionName]: OptionValues[K] })[option];
}
