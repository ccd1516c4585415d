// Reads the content of a draft from its alternatives: an archive, a URL, a template, or HTML and plain text.
// Fetching and unpacking happen in `importContent`, before the transaction; everything else within it.

import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { plainPartInThread } from '../compile/in-thread.ts';
import { needOneSource, readSource } from '../compile/source.ts';
import type { ArchiveAsset } from '../content/archive/page.ts';
import type { ArchiveType } from '../content/archive/unpack.ts';
import { maxHtml } from '../content/limits.ts';
import { assetUrl } from '../content/pictures/asset.ts';
import { readArchive } from '../content/read-archive.ts';
import { unknownCampaign } from '../model/campaign.ts';
import type { Content } from '../model/options.ts';
import type { BodyFormat, SourceFormat } from '../model/source-format.ts';
import { importUrl } from './import-url.ts';

/** The page of a url or archive; undefined if neither was given. */
export type Imported =
  | { from: 'url' | 'archive'; html: string; url: string; assets: ArchiveAsset[]; warnings: ImportedWarning[] }
  | undefined;
/** What could not be imported unchanged. */
type ImportedWarning = { code: string; message: string };

/**
 * Fetches or unpacks what the content points to. Precedence: archive, then url.
 * @param path the path of the members, for faults
 * @param archiveType the type of the archive if the content does not name it
 * @throws Fault URL_INVALID, ARCHIVE_INVALID
 */
export async function importContent(
  { app, account, log }: PrepareContext,
  given: Partial<Content>,
  path = 'content.',
  archiveType: ArchiveType = 'zip',
): Promise<Imported> {
  if (given.archive !== undefined && given.archive.length > 0) {
    const assetsUrl = assetUrl(app.baseUrl, account.id, '');
    const page = await readArchive(given.archive, given.archive_type ?? archiveType, assetsUrl);
    if (!page.ok)
      throw fault('ARCHIVE_INVALID', 'content.import_failed', { member: `${path}archive`, reason: page.reason });
    return { from: 'archive', html: page.html, url: '', assets: page.assets, warnings: page.warnings };
  }
  if (given.url === undefined || given.url.trim() === '') return undefined;
  const page = await importUrl(app.outbound, given.url);
  if (!page.ok) {
    log.info({ detail: page.detail }, 'importing a URL failed');
    throw fault('URL_INVALID', 'content.import_failed', { member: `${path}url`, reason: page.reason });
  }
  return { from: 'url', html: page.html, url: given.url.trim(), assets: [], warnings: page.warnings };
}

export type Texts = {
  html: string;
  plain: string;
  plainGenerated: boolean;
  sourceUrl: string;
  templateId: number | null;
  source: string;
  sourceFormat: 'html' | SourceFormat;
};

/**
 * Reads the content of a campaign. Precedence: archive, url, template, html (or Markdown or MJML) and plain.
 * @throws Fault CONTENT_INVALID, TEMPLATE_UNKNOWN, TOO_LARGE
 */
export async function readContent(
  context: Context,
  type: 'html' | 'plain' | 'auto',
  given: Content & { templateInOptions?: string | undefined; language: string },
  imported: Imported,
  generateText: boolean,
): Promise<Texts> {
  needOneSource(given);
  const templateId = given.template_id || given.templateInOptions || '';
  const template =
    !imported && templateId !== ''
      ? await needTemplate(context, templateId, given.template_id ? 'content.template_id' : 'options.template_id')
      : undefined;
  const written = imported || template ? undefined : await readSource(context, given);
  const html = written?.html ?? clean(imported?.html ?? template?.source ?? given.html ?? '', 'content.html');
  // spec: an archive overwrites the other members of content, the plain text among them.
  const plain = imported?.from === 'archive' ? '' : clean(given.plain ?? '', 'content.plain');
  const source = {
    sourceUrl: imported?.url ?? '',
    templateId: template?.id ?? null,
    source: written?.source ?? '',
    sourceFormat: written?.format ?? 'html',
  } as const;
  if (plain.trim() !== '' && (type === 'plain' || html.trim() !== ''))
    return { html, plain, plainGenerated: false, ...source };
  if (html.trim() === '') {
    const key = type === 'plain' ? 'content.no_plain' : 'content.no_html';
    throw fault('CONTENT_INVALID', key, { member: 'content' });
  }
  // spec: without plain, generate_text must be true when the content is given directly or imported from an address.
  if (!generateText && !template && !written && imported?.from !== 'archive')
    throw fault('CONTENT_INVALID', 'content.plain_missing', { member: 'content.plain' });
  return { html, plain: await plainPartInThread(html), plainGenerated: true, ...source };
}

/** Returns the HTML and the plain text of a campaign, and their source. @throws Fault CAMPAIGN_UNKNOWN */
export async function showContent(
  { tx, account }: Context,
  { cid }: { cid: string },
): Promise<{ html: string; plain: string; source: string; source_format: BodyFormat }> {
  const row = await tx.row<{ html: string; plain: string; source: string; source_format: BodyFormat }>(sql`
    select html, plain, source, source_format from campaign where account_id = ${account.id} and id = ${parseId(cid)} and type <> 'message'`);
  if (!row) throw unknownCampaign(cid);
  return row;
}

/** @throws Fault TEMPLATE_UNKNOWN */
export async function needTemplate(
  context: Context,
  named: string,
  member: string,
): Promise<{ id: number; source: string }> {
  const row = await context.tx.row<{ id: number; source: string }>(sql`
    select id, source
    from template
    where account_id = ${context.account.id}
      and id = ${parseId(named)}`);
  if (!row) throw fault('TEMPLATE_UNKNOWN', 'content.template_unknown', { member, id: named.slice(0, 40) });
  return row;
}

/** Returns the text as it is stored. @throws Fault TOO_LARGE */
export function clean(text: string, member: string): string {
  if (text.length > maxHtml)
    throw fault('TOO_LARGE', 'content.too_large', { member, length: text.length, count: maxHtml });
  return text.replaceAll('\0', '').toWellFormed();
}
