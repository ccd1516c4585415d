// Reads a campaign from the database and compiles it: texts, merge fields, lists, header and footer.

import { readerName } from '../../audience/model/reader-name.ts';
import type { Account, App } from '../../base/context.ts';
import { escapeHtml } from '../../base/html.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { languageFor, text } from '../../locales/text.ts';
import { linkBaseUrl } from '../../senders/domains/tracking-host.ts';
import type { InlinePicture } from '../content/pictures/inline-images.ts';
import { withPreviewText } from '../content/preview-text.ts';
import { type AnalyticsOption, analyticsOf } from '../markup/analytics.ts';
import type { CampaignContent, Compiled, CompiledList } from '../markup/compiled.ts';
import { dataType, eventTag, pathText } from '../markup/data.ts';
import type { MergeField } from '../markup/merge-tags.ts';
import { archiveUrl } from '../model/archive-address.ts';
import { targetPieces } from './fill.ts';
import { footerFor, footerOf, headerOf } from './footer.ts';
import { compileInThread } from './in-thread.ts';

type Row = {
  id: number;
  webId: number;
  archiveKey: string;
  title: string;
  subject: string;
  fromName: string;
  replyTo: string;
  sender: string;
  toName: string;
  html: string;
  plain: string;
  language: string;
  trackOpens: boolean;
  trackHtmlClicks: boolean;
  trackTextClicks: boolean;
  analytics: AnalyticsOption;
  autoFooter: boolean;
  type: string;
  previewText: string | null;
  inlineCss: boolean;
};

/** A variant of an A/B test; `links` are the targets that have numbers already. */
export type VariantOf = { no: number; links?: readonly string[] };

/**
 * Compiles a campaign in its current state; undefined if it does not exist.
 * @param pictures are embedded in the message
 * @param variant of its A/B test; 0 is the campaign itself
 */
export async function compileCampaign(
  db: Queries,
  app: App,
  account: Account,
  campaignId: number,
  pictures: readonly InlinePicture[] = [],
  variant: VariantOf = { no: 0 },
): Promise<Compiled | undefined> {
  const content = await contentOf(db, app, account, campaignId, variant);
  return content && compileInThread(content, pictures);
}

/**
 * Where a link with this address would lead in the campaign: as the link table stores it. Undefined when it would be no tracked link.
 * @param before where it led at first: a link in a loop has the items of its list, and one that is a value may be another value
 */
export async function linkTargetFor(
  db: Queries,
  app: App,
  account: Account,
  campaignId: number,
  url: string,
  before: string,
): Promise<string | undefined> {
  const content = (await contentOf(db, app, account, campaignId, { no: 0 }))!;
  const { header: _header, footer: _footer, html: _html, ...others } = content;
  const tracking = { opens: false, htmlClicks: true, textClicks: false };
  const compiled = await compileInThread({
    ...others,
    plain: '',
    html: inLoopOf(before, `<a href="${escapeHtml(withItemTags(url))}">x</a>`),
    tracking,
  });
  const [link, ...more] = compiled.links;
  const { unknownTags, badConditions, badLoops = [] } = compiled;
  if (!link || more.length > 0 || unknownTags.length > 0 || badConditions.length > 0 || badLoops.length > 0)
    return undefined;
  if (link.target.startsWith('*|')) return before.startsWith('*|') ? link.target : undefined;
  // Tags are filled in when the link is followed.
  return URL.canParse(link.target.replace(/\*\|.*?\|\*/g, 'x')) ? link.target : undefined;
}

/** The HTML in a loop over the list whose items the target has. */
function inLoopOf(target: string, html: string): string {
  for (const piece of targetPieces(target))
    if (typeof piece !== 'string' && piece.slot === 'data' && piece.item)
      return `*|EACH:${pathText(piece)}|*${html}*|END:EACH|*`;
  return html;
}

/** Members of items as the link table has them (*|EVENT:items[].url|*) become those that an author writes. */
const withItemTags = (url: string): string =>
  url.replace(/\*\|[A-Za-z]\w{0,63}:[^|[\]]*\[\](?:\.([^|]*))?\|\*/g, (_, member = '') => `*|ITEM:${member}|*`);

/** What a campaign is compiled from; undefined if it does not exist. */
async function contentOf(
  db: Queries,
  app: App,
  account: Account,
  campaignId: number,
  variant: VariantOf,
): Promise<CampaignContent | undefined> {
  const row = await db.row<Row>(sql`
    select c.id, web_id as "webId", archive_key as "archiveKey", title, coalesce(v.subject, c.subject) as subject,
      coalesce(v.from_name, c.from_name) as "fromName", reply_to as "replyTo", type, sender, to_name as "toName",
      coalesce(v.html, c.html) as html, coalesce(v.plain, c.plain) as plain, coalesce(v.preview_text, nullif(c.preview_text, '')) as "previewText",
      inline_css as "inlineCss", coalesce(nullif(v.language, ''), c.language) as language, track_opens as "trackOpens", track_html_clicks as "trackHtmlClicks",
      track_text_clicks as "trackTextClicks", analytics, auto_footer as "autoFooter"
    from campaign c
    left join campaign_variant v on v.account_id = c.account_id and v.campaign_id = c.id and v.no = ${variant.no}
    where c.account_id = ${account.id}
      and c.id = ${campaignId}`);
  if (!row) return undefined;
  const { previewText } = row;
  const fields = await fieldsOf(db, account, campaignId);
  // A field of this name keeps its meaning.
  if (!fields.some(({ tag }) => tag === eventTag)) fields.push({ tag: eventTag, type: dataType, default: '' });
  const language = languageFor(row.language || undefined, account.language);
  const fromEmail = row.sender || account.email;
  const lists = await listsOf(db, account, campaignId, language);
  const baseUrl = await linkBaseUrl(app, db, account.id, fromEmail);
  return {
    ...(row.html === '' || row.type === 'plain'
      ? {}
      : { inlineCss: row.inlineCss, html: previewText === null ? row.html : withPreviewText(row.html, previewText) }),
    plain: row.plain,
    subject: row.subject,
    fromName: row.fromName,
    fromEmail,
    replyTo: row.replyTo,
    toName: row.toName,
    fields,
    lists,
    language: row.language || account.language,
    timeZone: account.timeZone,
    tracking: { opens: row.trackOpens, htmlClicks: row.trackHtmlClicks, textClicks: row.trackTextClicks },
    analytics: analyticsOf(row.analytics, account.settings),
    ...(row.autoFooter ? { header: headerOf(language) } : {}),
    footer: footerFor(row, footerOf(lists, language)),
    linkTexts: {
      unsubscribe: text(language, 'mail.unsubscribe'),
      profile: text(language, 'mail.profile'),
      view: text(language, 'mail.view'),
    },
    baseUrl,
    // The bounce listener reads the token from the subject.
    unsubscribeMailbox: app.config.bounceDomain === '' ? '' : `unsubscribe@${app.config.bounceDomain}`,
    listIdHost: app.listIdHost,
    archiveUrl: archiveUrl(baseUrl, row.webId, row.archiveKey),
    ...(variant.links ? { links: variant.links } : {}),
    campaign: formatId(row.id),
    account: formatId(account.id),
  };
}

/** The merge fields of its lists in their order; of two with the same tag, that of the first list. */
async function fieldsOf(db: Queries, account: Account, campaignId: number): Promise<MergeField[]> {
  const fields = await db.rows<MergeField>(sql`
    select f.tag, f.field_type as type, f.default_value as default
    from campaign_list cl
    join field f on f.account_id = cl.account_id and f.list_id = cl.list_id
    where cl.account_id = ${account.id}
      and cl.campaign_id = ${campaignId}
    order by cl.position, f.merge_no`);
  const known = new Set<string>();
  return fields.filter(({ tag }) => !known.has(tag) && known.add(tag));
}

type ListRow = { id: number; name: string; company: string; address: string; url: string; reminder: string };

async function listsOf(db: Queries, account: Account, campaignId: number, language: string): Promise<CompiledList[]> {
  const rows = await db.rows<ListRow>(sql`
    select l.id, ${readerName(sql`l`)} as name, l.company, l.postal_address as address, l.website as url,
      l.permission_reminder as reminder
    from campaign_list cl
    join list l on l.account_id = cl.account_id and l.id = cl.list_id
    where cl.account_id = ${account.id}
      and cl.campaign_id = ${campaignId}
    order by cl.position, l.id`);
  return rows.map((list) => ({
    id: list.id,
    publicId: formatId(list.id),
    name: list.name,
    company: list.company || account.company || account.name,
    address: list.address || account.postalAddress,
    url: list.url || account.website,
    reminder: list.reminder || text(language, 'mail.footer-why'),
  }));
}
