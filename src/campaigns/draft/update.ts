// campaignUpdate: changes one option, or the content, of a draft. The types are those of campaignCreate.
import { z } from 'zod';
import type { Context, PrepareContext } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { method } from '../../method/method.ts';
import { readValue } from '../../method/parameter-fault.ts';
import { anything, id, params, text } from '../../method/params.ts';
import { keepAssets } from '../content/pictures/asset.ts';
import { plainPartOf } from '../content/plain-text.ts';
import type { ArchiveType } from '../content/read-archive.ts';
import { type Campaign, lockCampaign, needStatus } from '../record.ts';
import {
  clean,
  declinesFooter,
  type Imported,
  importContent,
  needAsciiAddress,
  needDomain,
  needInlineImages,
  needSender,
  needTemplate,
  readContent,
  readTypeOpts,
  setExclusions,
  setLists,
  setSegments,
} from './draft.ts';
import { campaignType, content, contentShape, languageCodes, optionTypes, typeColumn, typeOpts } from './options.ts';
import { keepBody, type Replacement } from './versions.ts';

/** What can be changed, and the type of its value. */
const changeable = {
  ...optionTypes,
  type: campaignType,
  type_opts: typeOpts,
  auto: typeOpts,
  content,
  html: contentShape.html.unwrap(),
  plain: contentShape.plain.unwrap(),
  url: contentShape.url.unwrap(),
  archive: contentShape.archive.unwrap(),
  archive_type: contentShape.archive_type.unwrap(),
} as const;
type Name = keyof typeof changeable;
type Values = { [K in Name]: z.output<(typeof changeable)[K]> };

export const updateMethod = method({
  name: 'campaignUpdate',
  group: 'campaigns',
  summary: 'Changes one option of a draft.',
  description:
    "A new list_id removes all previous lists and the segments built on them; a template_id overwrites the HTML with the template's. A scheduled campaign must be unscheduled first.",
  params: params({
    cid: id('The campaign.'),
    name: text(`Which option: ${Object.keys(changeable).join(', ')}.`, 100),
    value: anything('The value, of the type the option has in campaignCreate.'),
  }),
  returns: z.boolean(),
  faults: [
    'CAMPAIGN_UNKNOWN',
    'CAMPAIGN_STATE_CONFLICT',
    'CAMPAIGN_OPTION_INVALID',
    'OPTIONS_STRUCT_INVALID',
    'CONTENT_INVALID',
    'LIST_UNKNOWN',
    'SEGMENT_INVALID',
    'ADDRESS_INVALID',
    'TEMPLATE_UNKNOWN',
    'TRACKING_INVALID',
    'ANALYTICS_INVALID',
    'AUTORESPONDER_INVALID',
    'URL_INVALID',
    'ARCHIVE_INVALID',
    'NOT_ALLOWED',
    'ADDON_MISSING',
    'TOO_LARGE',
  ],
  scope: 'write',
  example: { params: { cid: '{{campaign}}', name: 'subject', value: 'News of May' } },
  async prepare(context, { cid, name, value }) {
    const option = needName(name);
    if (option === 'url') return importContent(context, { url: read(option, value) }, 'value');
    if (option === 'archive') {
      return importContent(context, { archive: read(option, value) }, 'value', await archiveTypeOf(context, cid));
    }
    if (option === 'content') return importContent(context, read('content', value), 'value');
    return undefined;
  },
  async run(context, { cid, name, value }, imported) {
    const campaign = await lockCampaign(context, cid);
    needStatus(
      campaign,
      'draft',
      campaign.status === 'scheduled' ? 'unschedule it before changing it' : 'only a draft can be changed',
    );
    const option = needName(name);
    const replacement = replacements[option];
    if (replacement) await keepBody(context, campaign, replacement);
    await change(context, campaign, option, read(option, value) as never, imported);
    await context.tx.run(sql`
      update campaign
      set version = version + 1, changed_at = now()
      where account_id = ${context.account.id}
        and id = ${campaign.id}`);
    return true;
  },
});

/** The options that put another body in place of the present one. */
const replacements: { [K in Name]?: Replacement } = {
  html: 'edit',
  plain: 'edit',
  content: 'edit',
  template_id: 'template',
  url: 'import',
  archive: 'import',
};

function needName(name: string): Name {
  const lower = name.trim().toLowerCase();
  if (!Object.hasOwn(changeable, lower))
    throw new Fault(
      'CAMPAIGN_OPTION_INVALID',
      `name: there is no option "${name.slice(0, 40)}"; there are ${Object.keys(changeable).join(', ')}`,
    );
  return lower as Name;
}

/** The kind of the campaign's archive, as an earlier call has set it. */
async function archiveTypeOf({ app, account }: PrepareContext, cid: string): Promise<ArchiveType | undefined> {
  const row = await app.db.row<{ type: ArchiveType }>(
    sql`select archive_type as type from campaign where account_id = ${account.id} and id = ${parseId(cid)}`,
  );
  return row?.type;
}

/** The value as the option's own type has it. */
function read<K extends Name>(option: K, value: unknown): Values[K] {
  if (value === undefined) throw new Fault('INVALID_PARAMETER', 'value is required');
  const wrapped = z.strictObject({ value: changeable[option] as z.ZodType }).meta({ fault: 'CAMPAIGN_OPTION_INVALID' });
  return (readValue(wrapped, { value }) as { value: Values[K] }).value;
}

const setters: { [K in Name]?: (value: Values[K]) => Sql } = {
  subject: (value) => sql`subject = ${value}`,
  from_name: (value) => sql`from_name = ${value}`,
  to_email: (value) => sql`to_name = ${value}`,
  time_match: (value) => sql`time_match = ${value}`,
  analytics: (value) => sql`analytics = ${JSON.stringify(value)}`,
  ln: (value) => sql`language = ${languageCodes[value]}`,
};

async function change<K extends Name>(
  context: Context,
  campaign: Campaign,
  option: K,
  value: Values[K],
  imported: Imported,
): Promise<void> {
  const simple = setters[option];
  if (simple) return set(context, campaign, simple(value));
  const given = { [option]: value } as Partial<Values>;
  switch (option) {
    case 'list_id':
      await setLists(context, campaign.id, given.list_id!, 'value');
      return;
    case 'segment_id':
      return setSegments(context, campaign.id, given.segment_id!, 'value');
    case 'exclude_list_id':
      return setExclusions(context, campaign.id, 'list', given.exclude_list_id!, 'value');
    case 'exclude_segment_id':
      return setExclusions(context, campaign.id, 'segment', given.exclude_segment_id!, 'value');
    case 'from_email':
      return set(context, campaign, sql`reply_to = ${needAsciiAddress(given.from_email!, 'value')}`);
    case 'sender': {
      const sender = needSender(context, given.sender!, 'value');
      await needDomain(context, sender, campaign.authenticate, 'value');
      return set(context, campaign, sql`sender = ${sender}`);
    }
    case 'auto_footer': {
      const wanted = given.auto_footer!;
      const declined = declinesFooter(context.account, wanted);
      return set(context, campaign, sql`auto_footer = ${wanted}, footer_declined = ${declined}`);
    }
    case 'title':
      return set(context, campaign, sql`title = ${given.title!.trim() || campaign.subject}`);
    case 'tracking': {
      const { opens, html_clicks, text_clicks } = given.tracking!;
      return set(
        context,
        campaign,
        sql`track_opens = coalesce(${opens ?? null}::boolean, track_opens),
          track_html_clicks = coalesce(${html_clicks ?? null}::boolean, track_html_clicks),
          track_text_clicks = coalesce(${text_clicks ?? null}::boolean, track_text_clicks)`,
      );
    }
    case 'authenticate':
      return set(
        context,
        campaign,
        sql`authenticate = ${await needDomain(context, campaign.sender, given.authenticate!, 'value')}`,
      );
    case 'inline_img':
      return set(context, campaign, sql`inline_img = ${needInlineImages(context, given.inline_img!, 'value')}`);
    case 'generate_text': {
      const wanted = given.generate_text!;
      const makes =
        wanted &&
        campaign.type !== 'plain' &&
        campaign.html !== '' &&
        (campaign.plain.trim() === '' || campaign.plainGenerated);
      await set(context, campaign, sql`generate_text = ${wanted}`);
      if (makes) await setPlain(context, campaign, plainPartOf(campaign.html), true);
      return;
    }
    case 'template_id': {
      const template = await needTemplate(context, given.template_id!, 'value');
      await set(context, campaign, sql`template_id = ${template.id}, source_url = '', import_warnings = '[]'`);
      return setHtml(context, campaign, template.source);
    }
    case 'html': {
      const html = clean(given.html!, 'value');
      if (html.trim() === '' && campaign.type !== 'plain')
        throw new Fault('CONTENT_INVALID', 'value: the HTML is empty');
      await set(context, campaign, sql`template_id = null, source_url = '', import_warnings = '[]'`);
      return setHtml(context, campaign, html);
    }
    case 'url':
      if (!imported) throw new Fault('CONTENT_INVALID', 'value is empty');
      await set(
        context,
        campaign,
        sql`template_id = null, source_url = ${imported.url}, import_warnings = ${JSON.stringify(imported.warnings)}`,
      );
      return setHtml(context, campaign, imported.html);
    case 'archive':
      if (!imported) throw new Fault('CONTENT_INVALID', 'value is empty');
      await set(
        context,
        campaign,
        sql`template_id = null, source_url = '', html = ${imported.html}, import_warnings = ${JSON.stringify(imported.warnings)}`,
      );
      await keepAssets(context, campaign.id, imported.html, imported.assets);
      return setPlain(context, campaign, plainPartOf(imported.html), true);
    case 'archive_type':
      return set(context, campaign, sql`archive_type = ${given.archive_type!}`);
    case 'plain': {
      const plain = clean(given.plain!, 'value');
      if (plain.trim() !== '') return setPlain(context, campaign, plain, false);
      if (!campaign.generateText || campaign.type === 'plain')
        throw new Fault('CONTENT_INVALID', 'value: the plain text is empty; give it, or set generate_text to true');
      return setPlain(context, campaign, plainPartOf(campaign.html), true);
    }
    case 'content': {
      const texts = await readContent(context, campaign.type, given.content!, imported, campaign.generateText);
      await set(
        context,
        campaign,
        sql`html = ${texts.html}, plain = ${texts.plain}, plain_generated = ${texts.plainGenerated}, template_id = ${texts.templateId}, source_url = ${texts.sourceUrl},
          import_warnings = ${JSON.stringify(imported?.warnings ?? [])}`,
      );
      return keepAssets(context, campaign.id, texts.html, imported?.assets);
    }
    case 'type': {
      const type = typeColumn(given.type!);
      if (type === 'auto' && campaign.auto === null)
        throw new Fault('AUTORESPONDER_INVALID', 'value: set type_opts before the type is changed to auto');
      if (type === 'plain' && campaign.plain.trim() === '')
        throw new Fault('CONTENT_INVALID', 'value: the campaign has no plain text');
      if (type !== 'plain' && campaign.html.trim() === '')
        throw new Fault('CONTENT_INVALID', 'value: the campaign has no HTML');
      return set(context, campaign, sql`type = ${type}`);
    }
    case 'type_opts':
    case 'auto': {
      const auto = await readTypeOpts(context, campaign.id, (given.type_opts ?? given.auto)!);
      return set(context, campaign, sql`auto = ${JSON.stringify(auto)}`);
    }
  }
}

async function set(context: Context, campaign: Campaign, assignments: Sql): Promise<void> {
  await context.tx.run(sql`
    update campaign
    set ${assignments}
    where account_id = ${context.account.id}
      and id = ${campaign.id}`);
}

/** New HTML; plain text that was made from the old one is made anew. */
async function setHtml(context: Context, campaign: Campaign, html: string): Promise<void> {
  await set(context, campaign, sql`html = ${html}`);
  await keepAssets(context, campaign.id, html);
  if (
    campaign.type !== 'plain' &&
    (campaign.plainGenerated || (campaign.plain.trim() === '' && campaign.generateText))
  ) {
    await setPlain(context, campaign, plainPartOf(html), true);
  }
}

function setPlain(context: Context, campaign: Campaign, plain: string, generated: boolean): Promise<void> {
  return set(context, campaign, sql`plain = ${plain}, plain_generated = ${generated}`);
}
