// Writing a draft: where its content comes from, which lists and segments it goes to, what the account may set.
// Fetching and unpacking happen in `importContent`, before the transaction; everything else within it.

import { isAsciiAddress, parseAddress } from '../../audience/address.ts';
import type { Account, Context, PrepareContext } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { importUrl } from '../content/import-url.ts';
import { assetUrl } from '../content/pictures/asset.ts';
import { plainPartOf } from '../content/plain-text.ts';
import { type ArchiveAsset, type ArchiveType, readArchive } from '../content/read-archive.ts';
import { type Content, maxHtml, type TypeOpts } from './options.ts';

/** What a url or archive gave, when there was one. */
export type Imported =
  | { from: 'url' | 'archive'; html: string; url: string; assets: ArchiveAsset[]; warnings: ImportedWarning[] }
  | undefined;
/** What could not be taken over as it was. */
export type ImportedWarning = { code: string; message: string };

/**
 * Fetches or unpacks what the content points to. Precedence: archive, then url.
 * @param archiveType the kind of the archive where the content does not say it
 * @throws Fault URL_INVALID, ARCHIVE_INVALID
 */
export async function importContent(
  { app, account, log }: PrepareContext,
  given: Partial<Content>,
  where = 'content',
  archiveType: ArchiveType = 'zip',
): Promise<Imported> {
  if (given.archive !== undefined && given.archive.length > 0) {
    const page = await readArchive(given.archive, given.archive_type ?? archiveType, (name) =>
      assetUrl(app.baseUrl, account.id, name),
    );
    if (!page.ok) throw new Fault('ARCHIVE_INVALID', `${where}.archive: ${page.reason}`);
    return { from: 'archive', html: page.html, url: '', assets: page.assets, warnings: page.warnings };
  }
  if (given.url === undefined || given.url.trim() === '') return undefined;
  const page = await importUrl(app.outbound, given.url);
  if (!page.ok) {
    log.info({ detail: page.detail }, 'an import failed');
    throw new Fault('URL_INVALID', `${where}.url: ${page.reason}`);
  }
  return { from: 'url', html: page.html, url: given.url.trim(), assets: [], warnings: page.warnings };
}

export type Texts = {
  html: string;
  plain: string;
  plainGenerated: boolean;
  sourceUrl: string;
  templateId: number | null;
};

/**
 * The content of a campaign from what was given. Precedence: archive, url, template, html and plain.
 * @throws Fault CONTENT_INVALID, TEMPLATE_UNKNOWN, TOO_LARGE
 */
export async function readContent(
  context: Context,
  type: 'html' | 'plain' | 'auto',
  given: Content & { templateInOptions?: string | undefined },
  imported: Imported,
  generateText: boolean,
): Promise<Texts> {
  const templateId = given.template_id || given.templateInOptions || '';
  const template =
    !imported && templateId !== ''
      ? await needTemplate(context, templateId, given.template_id ? 'content.template_id' : 'options.template_id')
      : undefined;
  const html = clean(imported?.html ?? template?.source ?? given.html ?? '', 'content.html');
  // spec: an archive overwrites the other members of content, the plain text among them.
  const plain = imported?.from === 'archive' ? '' : clean(given.plain ?? '', 'content.plain');
  const source = { sourceUrl: imported?.url ?? '', templateId: template?.id ?? null };
  if (plain.trim() !== '' && (type === 'plain' || html.trim() !== ''))
    return { html, plain, plainGenerated: false, ...source };
  if (html.trim() === '') {
    const what = type === 'plain' ? 'plain text: give plain' : 'HTML: give html, url, archive or template_id';
    throw new Fault('CONTENT_INVALID', `content has no ${what}`);
  }
  // spec: without plain, generate_text must be true when the content is given directly or imported from an address.
  if (!generateText && !template && imported?.from !== 'archive')
    throw new Fault('CONTENT_INVALID', 'content.plain is missing: give it, or set options.generate_text to true');
  return { html, plain: plainPartOf(html), plainGenerated: true, ...source };
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
  if (!row) throw new Fault('TEMPLATE_UNKNOWN', `${member}: there is no template "${named.slice(0, 40)}"`);
  return row;
}

/** Text as it is stored. @throws Fault TOO_LARGE */
export function clean(text: string, member: string): string {
  if (text.length > maxHtml)
    throw new Fault('TOO_LARGE', `${member} has ${text.length} characters, more than ${maxHtml}`);
  return text.replaceAll('\0', '').toWellFormed();
}

/** @throws Fault LIST_UNKNOWN, CAMPAIGN_OPTION_INVALID */
export async function setLists(
  context: Context,
  campaignId: number,
  named: readonly string[],
  member: string,
): Promise<number[]> {
  const { tx, account } = context;
  const wanted = [...new Set(named)];
  if (wanted.length === 0) throw new Fault('CAMPAIGN_OPTION_INVALID', `${member} names no list`);
  const ids = wanted.map(parseId);
  const found = await tx.rows<{ id: number }>(
    // Locked, so that none is deleted until the campaign is written.
    sql`select id from list where account_id = ${account.id} and id = any (${ids}::int[]) order by id for key share`,
  );
  const missing = wanted.find((_one, i) => !found.some((list) => list.id === ids[i]));
  if (missing !== undefined) throw new Fault('LIST_UNKNOWN', `${member}: there is no list "${missing.slice(0, 40)}"`);
  await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and campaign_id = ${campaignId}`);
  await tx.run(sql`delete from campaign_list where account_id = ${account.id} and campaign_id = ${campaignId}`);
  await tx.run(sql`
    insert into campaign_list (account_id, campaign_id, list_id, position)
    select ${account.id}::int, ${campaignId}::int, id, ord
    from unnest(${ids}::int[]) with ordinality as w(id, ord)`);
  return ids;
}

/** Segments must be built on a list of the campaign. @throws Fault SEGMENT_INVALID */
export async function setSegments(
  context: Context,
  campaignId: number,
  named: readonly string[],
  member: string,
): Promise<void> {
  const { tx, account } = context;
  const wanted = [...new Set(named.filter((one) => one !== ''))];
  const ids = wanted.map(parseId);
  const found = await tx.rows<{ id: number; fits: boolean }>(sql`
    select g.id, l.list_id is not null as fits
    from segment g
    left join campaign_list l
      on l.account_id = g.account_id
      and l.campaign_id = ${campaignId}
      and l.list_id = g.list_id
    where g.account_id = ${account.id}
      and g.id = any (${ids}::int[])`);
  for (const [i, one] of wanted.entries()) {
    const segment = found.find((row) => row.id === ids[i]);
    if (!segment) throw new Fault('SEGMENT_INVALID', `${member}: there is no segment "${one.slice(0, 40)}"`);
    if (!segment.fits)
      throw new Fault('SEGMENT_INVALID', `${member}: segment "${one}" is not built on a list of this campaign`);
  }
  await tx.run(sql`delete from campaign_segment where account_id = ${account.id} and campaign_id = ${campaignId}`);
  await tx.run(sql`
    insert into campaign_segment (account_id, campaign_id, segment_id)
    select ${account.id}::int, ${campaignId}::int, unnest(${ids}::int[])`);
}

/** Lists or segments whose members are left out. @throws Fault LIST_UNKNOWN, SEGMENT_INVALID */
export async function setExclusions(
  context: Context,
  campaignId: number,
  kind: 'list' | 'segment',
  named: readonly string[],
  member: string,
): Promise<void> {
  const { tx, account } = context;
  const wanted = [...new Set(named.filter((one) => one !== ''))];
  const ids = wanted.map(parseId);
  const found = await tx.rows<{ id: number }>(
    kind === 'list'
      ? sql`select id from list where account_id = ${account.id} and id = any (${ids}::int[]) order by id for key share`
      : sql`select id from segment where account_id = ${account.id} and id = any (${ids}::int[]) order by id for key share`,
  );
  const missing = wanted.find((_one, i) => !found.some((row) => row.id === ids[i]));
  if (missing !== undefined)
    throw new Fault(
      kind === 'list' ? 'LIST_UNKNOWN' : 'SEGMENT_INVALID',
      `${member}: there is no ${kind} "${missing.slice(0, 40)}"`,
    );
  await tx.run(sql`
    delete from campaign_exclusion
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and kind = ${kind}`);
  await tx.run(sql`
    insert into campaign_exclusion (account_id, campaign_id, kind, target_id)
    select ${account.id}::int, ${campaignId}::int, ${kind}, unnest(${ids}::int[])`);
}

/** An address for a header. @throws Fault ADDRESS_INVALID */
export function needAddress(text: string, member: string): string {
  const address = parseAddress(text);
  if (!address.ok)
    throw new Fault('ADDRESS_INVALID', `${member}: "${text.slice(0, 80)}" is not a usable e-mail address`);
  return address.email;
}

/** An address for the From or Reply-To header of mails to everybody, so without SMTPUTF8. @throws Fault ADDRESS_INVALID */
export function needAsciiAddress(text: string, member: string): string {
  const email = needAddress(text, member);
  if (!isAsciiAddress(email))
    throw new Fault(
      'ADDRESS_INVALID',
      `${member}: "${email.slice(0, 80)}" has other letters than ASCII before the @, which many servers refuse in a sender`,
    );
  return email;
}

/** A sender of one's own. @throws Fault NOT_ALLOWED, ADDRESS_INVALID */
export function needSender(context: Context, sender: string, member: string): string {
  needOwnSender(context, sender, member);
  return sender.trim() === '' ? '' : needAsciiAddress(sender, member);
}

/** That the account may have a sender of its own, where it has one. @throws Fault NOT_ALLOWED */
export function needOwnSender({ account }: Pick<Context, 'account'>, sender: string, member: string): void {
  if (sender.trim() !== '' && account.plan !== 'pro')
    throw new Fault('NOT_ALLOWED', `${member} is for PRO accounts only`);
}

/** Only PRO accounts may send mail without any footer; for others false means: no more of it than there must be. */
export function declinesFooter(account: Account, wanted: boolean | undefined): boolean {
  return wanted === false && account.plan === 'pro';
}

/** @throws Fault ADDON_MISSING */
export function needInlineImages({ account }: Pick<Context, 'account'>, wanted: boolean, member: string): boolean {
  if (wanted && !account.addons.includes('inline_img'))
    throw new Fault('ADDON_MISSING', `${member} needs the add-on inline_img`);
  return wanted;
}

/** authenticate works only with an authenticated and activated domain of the sender's. @throws Fault CAMPAIGN_OPTION_INVALID */
export async function needDomain(
  context: Pick<Context, 'account' | 'tx'>,
  sender: string,
  wanted: boolean,
  member: string,
): Promise<boolean> {
  if (!wanted) return false;
  const from = sender || context.account.email;
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  const row = await context.tx.row(sql`
    select id
    from sender_domain
    where account_id = ${context.account.id}
      and domain = ${domain}
      and active`);
  if (!row)
    throw new Fault(
      'CAMPAIGN_OPTION_INVALID',
      `${member}: ${domain} is not an authenticated and activated domain of this account`,
    );
  return true;
}

/** Settings of an autoresponder, as stored. @throws Fault AUTORESPONDER_INVALID */
export async function readTypeOpts(
  context: Context,
  campaignId: number,
  given: TypeOpts,
): Promise<Record<string, unknown>> {
  const tag = given['event-datemerge']?.trim().toUpperCase() ?? '';
  if (given.event !== 'signup') {
    if (tag === '')
      throw new Fault('AUTORESPONDER_INVALID', `type_opts.event-datemerge is required when event is ${given.event}`);
    const field = await context.tx.row<{ type: string }>(sql`
      select f.field_type as type
      from campaign_list l
      join field f on f.account_id = l.account_id and f.list_id = l.list_id and f.tag = ${tag}
      where l.account_id = ${context.account.id}
        and l.campaign_id = ${campaignId}
      limit 1`);
    if (!field)
      throw new Fault(
        'AUTORESPONDER_INVALID',
        `type_opts.event-datemerge: the lists of this campaign have no field ${tag.slice(0, 40)}`,
      );
    if (field.type !== 'date')
      throw new Fault(
        'AUTORESPONDER_INVALID',
        `type_opts.event-datemerge: the field ${tag} is of type ${field.type}, not date`,
      );
  } else if (given['offset-dir'] === 'before') {
    throw new Fault('AUTORESPONDER_INVALID', 'type_opts.offset-dir: nothing can be sent before a sign-up');
  }
  return {
    units: given['offset-units'],
    time: given['offset-time'],
    direction: given['offset-dir'],
    event: given.event,
    tag,
  };
}
