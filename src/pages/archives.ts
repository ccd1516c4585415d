// The public archive of an account, as a page and as an RSS 2.0 feed, where the account has switched it on.
import type { FastifyInstance } from 'fastify';
import type { App } from '../base/context.ts';
import { escapeHtml, html } from '../base/html.ts';
import { archiveIndexUrl, isArchiveSlug, readArchiveIndexPath } from '../campaigns/model/archive-address.ts';
import { type Archive, readArchive } from '../campaigns/public-archive/archive.ts';
import { arrowsOf } from '../locales/languages.ts';
import { languageFor, text } from '../locales/text.ts';
import { badLink, show } from './page/answers.ts';
import { sharedTags } from './shared-tags.ts';

export function addArchiveIndex(server: FastifyInstance, app: App) {
  const find = async (key: string, page: number) => {
    const id = readArchiveIndexPath(app, key);
    if (id === undefined && !isArchiveSlug(key)) return undefined;
    const archive = await readArchive(app, id === undefined ? { slug: key } : { id }, page);
    return archive && { archive, url: archiveIndexUrl(app, archive.accountId, archive.slug) };
  };

  server.get('/archives/:key', async (request, reply) => {
    const given = (request.query as { page?: unknown }).page;
    const page = typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : 0;
    const found = await find((request.params as { key: string }).key, page);
    if (!found) return badLink(reply);
    const { archive, url } = found;
    const { campaigns, description, indexable, more, picture, sender } = archive;
    const language = languageFor(archive.language);
    const title = archiveTitle(archive, language);
    const arrows = arrowsOf(language);
    const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
    return show(reply, {
      language,
      title,
      sender,
      shared: html`${sharedTags({ title, description, picture, url, site: sender.name })}<link rel="alternate" type="application/rss+xml" title="${title}" href="${url}/feed.xml">${!indexable && html`<meta name="robots" content="noindex">`}`,
      body: html`${description && html`<p>${description}</p>\n`}${campaigns.length === 0 ? html`<p>${text(language, 'archives.none')}</p>` : html`<ul class="letters">${campaigns.map((campaign) => html`<li><a href="${campaign.url}">${campaign.subject || '–'}</a> <span class="soft">${day.format(campaign.sentAt)}</span></li>`)}</ul>`}
<p>${page > 0 && html`<a href="${url}?page=${page - 1}" rel="prev">${arrows.back}</a> `}${more && html`<a href="${url}?page=${page + 1}" rel="next">${arrows.on}</a>`}</p>
<p class="soft"><a href="${url}/feed.xml" type="application/rss+xml">${text(language, 'archives.feed')}</a></p>`,
    });
  });

  server.get('/archives/:key/feed.xml', async (request, reply) => {
    const found = await find((request.params as { key: string }).key, 0);
    if (!found) return badLink(reply);
    return reply
      .type('application/rss+xml; charset=utf-8')
      .header('cache-control', 'max-age=300')
      .header('x-content-type-options', 'nosniff')
      .send(feed(found.archive, found.url));
  });
}

export const archiveTitle = ({ title, sender }: Archive, language: string) =>
  title || text(language, 'archives.title', { name: sender.name });

/** RSS 2.0, with Atom's link to the feed's own address. */
export function feed(archive: Archive, url: string): string {
  const language = languageFor(archive.language);
  const title = escapeXml(archiveTitle(archive, language));
  const items = archive.campaigns.map(
    (campaign) => `<item>
<title>${escapeXml(campaign.subject)}</title>
<link>${escapeXml(campaign.url)}</link>
<guid isPermaLink="true">${escapeXml(campaign.url)}</guid>
<pubDate>${campaign.sentAt.toUTCString()}</pubDate>
</item>
`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${title}</title>
<link>${escapeXml(url)}</link>
<description>${escapeXml(archive.description) || title}</description>
<language>${language}</language>
${archive.picture === '' ? '' : `<image><url>${escapeXml(archive.picture)}</url><title>${title}</title><link>${escapeXml(url)}</link></image>\n`}<atom:link href="${escapeXml(url)}/feed.xml" rel="self" type="application/rss+xml"/>
${items.join('')}</channel>
</rss>
`;
}

/** Leaves out the characters that XML 1.0 cannot write. */
const escapeXml = (given: string) =>
  escapeHtml(given.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));
