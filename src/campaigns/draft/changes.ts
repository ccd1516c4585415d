// THE list of what campaignUpdate can change: the type of each option's value, and what a new value writes.
// An option that a column stores as it is given needs only options.ts; the compiler reports another one that is missing here.

import type { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { raw, type Sql, sql } from '../../db/connect.ts';
import { languageCodes } from '../../locales/languages.ts';
import { plainPartInThread } from '../compile/in-thread.ts';
import { htmlOfSource } from '../compile/source.ts';
import { keepAssets } from '../content/pictures/asset.ts';
import { needDateField, readTypeOpts } from '../model/autoresponder.ts';
import { type Campaign, needNotOfAutomation } from '../model/campaign.ts';
import {
  campaignType,
  content,
  contentShape,
  optionTypes,
  type StoredOption,
  storedNames,
  storedOptions,
  typeColumn,
  typeOpts,
} from '../model/options.ts';
import { needAsciiAddress, needDomain, needInlineImages, needSender } from '../model/requirements.ts';
import type { SourceFormat } from '../model/source-format.ts';
import { setExclusions, setLists, setSegments } from './audience.ts';
import { nameFrom } from './name.ts';
import { clean, type Imported, needTemplate, readContent } from './read-content.ts';
import { needNoTest } from './variants/settings.ts';

/** The options that can be changed, and the types of their values. */
export const changeable = {
  ...optionTypes,
  type: campaignType,
  type_opts: typeOpts,
  auto: typeOpts,
  content,
  html: contentShape.html.unwrap(),
  markdown: contentShape.markdown.unwrap(),
  mjml: contentShape.mjml.unwrap(),
  plain: contentShape.plain.unwrap(),
  url: contentShape.url.unwrap(),
  archive: contentShape.archive.unwrap(),
  archive_type: contentShape.archive_type.unwrap(),
} as const;
export type OptionName = keyof typeof changeable;
export type OptionValues = { [K in OptionName]: z.output<(typeof changeable)[K]> };

/** The campaign as it was locked, and what `importContent` fetched or unpacked for the new value. */
type Draft = { context: Context; campaign: Campaign; imported: Imported };

type Change<K extends OptionName> = (draft: Draft, value: OptionValues[K]) => Promise<void>;

export const changes: { [K in OptionName]: Change<K> } = {
  ...asGiven(),
  title: (draft, value) => set(draft, sql`title = ${value.trim() || nameFrom(draft.campaign.subject)}`),
  from_email: (draft, value) => set(draft, sql`reply_to = ${needAsciiAddress(value, 'from_email')}`),
  async time_match(draft, value) {
    if (value) await needNoTest(draft.context, draft.campaign.id, 'ab_test.not_with_time_match', 'time_match');
    await set(draft, sql`time_match = ${value}, best_hour = best_hour and not ${value}`);
  },
  async best_hour(draft, value) {
    if (value) await needNoTest(draft.context, draft.campaign.id, 'ab_test.not_with_best_hour', 'best_hour');
    await set(draft, sql`best_hour = ${value}, time_match = time_match and not ${value}`);
  },
  ln: (draft, value) => set(draft, sql`language = ${languageCodes[value] ?? ''}`),
  analytics: (draft, value) => set(draft, sql`analytics = ${JSON.stringify(value)}`),
  tracking: (draft, { opens, html_clicks, text_clicks }) =>
    set(
      draft,
      sql`track_opens = coalesce(${opens ?? null}::boolean, track_opens),
        track_html_clicks = coalesce(${html_clicks ?? null}::boolean, track_html_clicks),
        track_text_clicks = coalesce(${text_clicks ?? null}::boolean, track_text_clicks)`,
    ),
  async sender(draft, value) {
    const sender = needSender(draft.context, value, 'sender');
    await needDomain(draft.context, sender, draft.campaign.authenticate, 'sender');
    await set(draft, sql`sender = ${sender}`);
  },
  async authenticate(draft, value) {
    const authenticate = await needDomain(draft.context, draft.campaign.sender, value, 'authenticate');
    await set(draft, sql`authenticate = ${authenticate}`);
  },
  inline_img: (draft, value) => set(draft, sql`inline_img = ${needInlineImages(draft.context, value, 'inline_img')}`),

  async list_id({ context, campaign }, value) {
    await setLists(context, campaign.id, value, 'list_id');
    if (campaign.type === 'auto') await needDateField(context, campaign.id, campaign.auto, 'list_id');
  },
  segment_id: ({ context, campaign }, value) => setSegments(context, campaign.id, value, 'segment_id'),
  exclude_list_id: ({ context, campaign }, value) =>
    setExclusions(context, campaign.id, 'list', value, 'exclude_list_id'),
  exclude_segment_id: ({ context, campaign }, value) =>
    setExclusions(context, campaign.id, 'segment', value, 'exclude_segment_id'),

  type: changeType,
  type_opts: (draft, value) => changeTypeOpts(draft, value, 'type_opts'),
  auto: (draft, value) => changeTypeOpts(draft, value, 'auto'),

  html: changeHtml,
  markdown: (draft, value) => changeSource(draft, 'markdown', value),
  mjml: (draft, value) => changeSource(draft, 'mjml', value),
  plain: changePlain,
  generate_text: changeGenerateText,
  template_id: changeTemplate,
  url: changeUrl,
  archive: changeArchive,
  archive_type: (draft, value) => set(draft, sql`archive_type = ${value}`),
  content: changeContent,
};

/** The options that a column stores as they are given; those with rules are below. */
function asGiven() {
  const change = (name: StoredOption) => (draft: Draft, value: unknown) =>
    set(draft, sql`${raw(storedOptions[name].column)} = ${value as string | boolean}`);
  return Object.fromEntries(storedNames.map((name) => [name, change(name)])) as { [K in StoredOption]: Change<K> };
}

async function changeType(draft: Draft, value: OptionValues['type']): Promise<void> {
  const type = typeColumn(value);
  const { campaign } = draft;
  if (type !== campaign.type) needNotOfAutomation(campaign);
  if (type === 'auto' && campaign.auto === null)
    throw fault('AUTORESPONDER_INVALID', 'campaign.type_opts_first', { member: 'type' });
  if (type === 'plain' && campaign.plain.trim() === '')
    throw fault('CONTENT_INVALID', 'content.campaign_without_plain', { member: 'type' });
  if (type !== 'plain' && campaign.html.trim() === '')
    throw fault('CONTENT_INVALID', 'content.campaign_without_html', { member: 'type' });
  if (type === 'auto') await needDateField(draft.context, campaign.id, campaign.auto, 'type');
  if (type === 'auto') await needNoTest(draft.context, campaign.id, 'ab_test.not_for_auto', 'type');
  await set(draft, sql`type = ${type}`);
}

async function changeTypeOpts(draft: Draft, value: OptionValues['type_opts'], option: OptionName): Promise<void> {
  needNotOfAutomation(draft.campaign);
  const auto = await readTypeOpts(draft.context, draft.campaign.id, value, option);
  await set(draft, sql`auto = ${JSON.stringify(auto)}`);
}

async function changeHtml(draft: Draft, value: string): Promise<void> {
  const html = clean(value, 'html');
  if (html.trim() === '' && draft.campaign.type !== 'plain')
    throw fault('CONTENT_INVALID', 'content.html_empty', { member: 'html' });
  await set(draft, sql`template_id = null, source_url = '', import_warnings = '[]'`);
  await setHtml(draft, html);
}

async function changeSource(draft: Draft, format: SourceFormat, value: string): Promise<void> {
  const { context, campaign } = draft;
  const source = clean(value, format);
  if (source.trim() === '') throw fault('CONTENT_INVALID', 'source.empty', { member: format });
  const html = await htmlOfSource(context, { format, source, language: campaign.language }, format);
  await set(draft, sql`template_id = null, source_url = '', import_warnings = '[]'`);
  await setHtml(draft, html, { source, format });
}

async function changePlain(draft: Draft, value: string): Promise<void> {
  const { campaign } = draft;
  const plain = clean(value, 'plain');
  if (plain.trim() !== '') return setPlain(draft, plain, false);
  if (!campaign.generateText || campaign.type === 'plain')
    throw fault('CONTENT_INVALID', 'content.plain_empty', { member: 'plain' });
  await setPlain(draft, await plainPartInThread(campaign.html), true);
}

async function changeGenerateText(draft: Draft, value: boolean): Promise<void> {
  const { type, html, plain, plainGenerated } = draft.campaign;
  await set(draft, sql`generate_text = ${value}`);
  if (value && type !== 'plain' && html !== '' && (plain.trim() === '' || plainGenerated))
    await setPlain(draft, await plainPartInThread(html), true);
}

async function changeTemplate(draft: Draft, value: string): Promise<void> {
  const template = await needTemplate(draft.context, value, 'template_id');
  await set(draft, sql`template_id = ${template.id}, source_url = '', import_warnings = '[]'`);
  await setHtml(draft, template.source);
}

async function changeUrl(draft: Draft): Promise<void> {
  const { imported } = draft;
  if (!imported) throw fault('CONTENT_INVALID', 'parameter.empty', { member: 'url' });
  await set(
    draft,
    sql`template_id = null, source_url = ${imported.url}, import_warnings = ${JSON.stringify(imported.warnings)}`,
  );
  await setHtml(draft, imported.html);
}

async function changeArchive(draft: Draft): Promise<void> {
  const { context, campaign, imported } = draft;
  if (!imported) throw fault('CONTENT_INVALID', 'parameter.empty', { member: 'archive' });
  const { html, assets, warnings } = imported;
  await set(
    draft,
    sql`template_id = null, source_url = '', source = '', source_format = 'html', html = ${html}, import_warnings = ${JSON.stringify(warnings)}`,
  );
  await keepAssets(context, campaign.id, html, assets);
  // spec: an archive overwrites the plain text too.
  await setPlain(draft, await plainPartInThread(html), true);
}

async function changeContent(draft: Draft, value: OptionValues['content']): Promise<void> {
  const { context, campaign, imported } = draft;
  const texts = await readContent(
    context,
    campaign.type,
    { ...value, language: campaign.language },
    imported,
    campaign.generateText,
  );
  await set(
    draft,
    sql`html = ${texts.html}, plain = ${texts.plain}, plain_generated = ${texts.plainGenerated}, template_id = ${texts.templateId}, source_url = ${texts.sourceUrl},
      source = ${texts.source}, source_format = ${texts.sourceFormat}, import_warnings = ${JSON.stringify(imported?.warnings ?? [])}`,
  );
  await keepAssets(context, campaign.id, texts.html, imported?.assets);
}

/** Writes new HTML, and regenerates the plain text if it was made from the HTML. */
async function setHtml(
  draft: Draft,
  html: string,
  from: { source: string; format: 'html' | SourceFormat } = { source: '', format: 'html' },
): Promise<void> {
  const { type, plain, plainGenerated, generateText } = draft.campaign;
  await set(draft, sql`html = ${html}, source = ${from.source}, source_format = ${from.format}`);
  await keepAssets(draft.context, draft.campaign.id, html);
  if (type !== 'plain' && (plainGenerated || (plain.trim() === '' && generateText)))
    await setPlain(draft, await plainPartInThread(html), true);
}

function setPlain(draft: Draft, plain: string, generated: boolean): Promise<void> {
  return set(draft, sql`plain = ${plain}, plain_generated = ${generated}`);
}

async function set({ context, campaign }: Draft, assignments: Sql): Promise<void> {
  await context.tx.run(sql`
    update campaign
    set ${assignments}
    where account_id = ${context.account.id}
      and id = ${campaign.id}`);
}
