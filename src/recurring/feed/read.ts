// Reads the bytes of a feed: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom and JSON Feed, parsed by feedsmith. What another feed reader would
// show is read here too: other encodings, missing guids, relative links, dates that do not exist. Runs in a thread (in-thread.ts).
import { createHash } from 'node:crypto';
import { type AtomFeed, type JsonFeed, parseFeed, type RdfFeed, type RssFeed } from 'feedsmith';
import { escapeHtml } from '../../base/html.ts';
import { charsetIn, decodePage } from '../../campaigns/content/charset.ts';
import { textFromHtml } from '../../campaigns/content/plain-text.ts';
import { firstImage, safeHtml, textOf, titleOf } from './clean-html.ts';
import { readDate } from './dates.ts';
import { type Feed, type FeedItem, maxItemsRead, webUrl } from './feed.ts';
import { marksOf, noMarks } from './marks.ts';

export type FeedSource = { bytes: Uint8Array; contentType: string; url: string };

/** `page`: a web page instead of a feed, and the feed that it names. */
export type ReadFeed = { ok: true; feed: Feed } | { ok: false; why: 'page' | 'not_a_feed'; feedUrl: string };

const maxTitle = 300;
const maxSummary = 500;
/** Characters of the content of one item, before it is cleaned. */
const maxContent = 200_000;

export function readFeed({ bytes, contentType, url }: FeedSource): ReadFeed {
  const text = decodePage(bytes, charsetIn(contentType)).text.replaceAll('\0', '').trimStart();
  let parsed: ReturnType<typeof parseFeed<string>>;
  try {
    parsed = parseFeed(text);
  } catch {
    const isPage = /^(?:<!--[\s\S]{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(text);
    return { ok: false, why: isPage ? 'page' : 'not_a_feed', feedUrl: isPage ? namedFeed(text, url) : '' };
  }
  return { ok: true, feed: tidy(raw(parsed, url)) };
}

/** Of an item as it is in the feed; `html` not yet cleaned. */
type RawItem = Omit<FeedItem, 'key' | 'marks' | 'at' | 'summary' | 'text'> & {
  id: string;
  date: string | undefined;
  summary: string;
  base: string;
};
type RawFeed = { title: string; url: string; description: string; items: RawItem[] };

function raw(parsed: ReturnType<typeof parseFeed<string>>, url: string): RawFeed {
  switch (parsed.format) {
    case 'rss':
      return ofRss(parsed.feed as RssFeed.Feed<string>, url);
    case 'rdf':
      return ofRdf(parsed.feed as RdfFeed.Feed<string>, url);
    case 'atom':
      return ofAtom(parsed.feed as AtomFeed.Feed<string>, url);
    case 'json':
      return ofJson(parsed.feed as JsonFeed.Feed<string>, url);
  }
}

function ofRss(feed: RssFeed.Feed<string>, url: string): RawFeed {
  const home = webUrl(feed.link, url) || url;
  const items = (feed.items ?? []).map((item): RawItem => {
    const guid = item.guid?.value?.trim() ?? '';
    const linkOfGuid = item.guid?.isPermaLink !== false && /^https?:/i.test(guid) ? guid : '';
    const atom = item.atom?.links?.find(({ rel = 'alternate' }) => rel === 'alternate')?.href;
    const link = webUrl(item.link ?? atom ?? linkOfGuid, home);
    const html = item.content?.encoded ?? '';
    const picture = item.enclosures?.find(({ type = '', url = '' }) =>
      type === '' ? /\.(?:jpe?g|png|gif|webp)(?:[?#]|$)/i.test(url) : type.startsWith('image/'),
    )?.url;
    return {
      id: guid,
      title: titleOf(item.title ?? ''),
      url: link,
      author: personOf(item.authors?.[0]) || item.dc?.creators?.[0] || item.itunes?.author || '',
      date:
        item.pubDate ?? item.dc?.dates?.[0] ?? item.atom?.published ?? item.atom?.updated ?? item.dcterms?.created?.[0],
      summary: item.description ?? item.itunes?.summary ?? item.media?.description?.value ?? '',
      html,
      image: imageOf(item.media) ?? picture ?? item.itunes?.image ?? '',
      base: link || home,
    };
  });
  return {
    title: titleOf(feed.title ?? ''),
    url: home,
    description: textOf(feed.description ?? '', maxSummary),
    items,
  };
}

function ofRdf(feed: RdfFeed.Feed<string>, url: string): RawFeed {
  const home = webUrl(feed.link, url) || url;
  const items = (feed.items ?? []).map((item): RawItem => {
    const link = webUrl(item.link ?? item.rdf?.about, home);
    return {
      id: item.rdf?.about?.trim() ?? '',
      title: titleOf(item.title ?? ''),
      url: link,
      author: item.dc?.creators?.[0] ?? '',
      date: item.dc?.dates?.[0] ?? item.dcterms?.created?.[0],
      summary: item.description ?? '',
      html: item.content?.encoded ?? '',
      image: imageOf(item.media) ?? '',
      base: link || home,
    };
  });
  return {
    title: titleOf(feed.title ?? ''),
    url: home,
    description: textOf(feed.description ?? '', maxSummary),
    items,
  };
}

function ofAtom(feed: AtomFeed.Feed<string>, url: string): RawFeed {
  const base = resolved(feed.xml?.base, url);
  const home = webUrl(alternate(feed.links), base) || url;
  const items = (feed.entries ?? []).map((entry): RawItem => {
    const near = resolved(entry.xml?.base, base);
    const link = webUrl(alternate(entry.links), near) || webUrl(/^https?:/i.test(entry.id ?? '') ? entry.id : '', near);
    const group = entry.media?.groups?.[0];
    const picture = entry.links?.find(({ rel, type = '' }) => rel === 'enclosure' && type.startsWith('image/'))?.href;
    return {
      id: entry.id?.trim() ?? '',
      title: lineOf(entry.title),
      url: link,
      author: entry.authors?.[0]?.name ?? feed.authors?.[0]?.name ?? '',
      date: entry.published ?? entry.updated,
      summary: markup(entry.summary) || escapeHtml(entry.media?.description?.value ?? group?.description?.value ?? ''),
      html: markup(entry.content),
      image: imageOf(entry.media) ?? picture ?? '',
      base: resolved(entry.content?.xml?.base, near === base ? link || near : near),
    };
  });
  return { title: lineOf(feed.title), url: home, description: textOf(markup(feed.subtitle), maxSummary), items };
}

function ofJson(feed: JsonFeed.Feed<string>, url: string): RawFeed {
  const home = webUrl(feed.home_page_url, url) || url;
  const items = (feed.items ?? []).map((item): RawItem => {
    const link = webUrl(item.url ?? item.external_url ?? (/^https?:/i.test(item.id ?? '') ? item.id : ''), home);
    const text = item.content_text ?? '';
    return {
      id: item.id?.trim() ?? '',
      title: titleOf(item.title ?? ''),
      url: link,
      author: item.authors?.[0]?.name ?? feed.authors?.[0]?.name ?? '',
      date: item.date_published ?? item.date_modified,
      summary: escapeHtml(item.summary ?? ''),
      html: item.content_html ?? (text === '' ? '' : `<p>${escapeHtml(text).replace(/\n+/g, '<br>')}</p>`),
      image: item.image ?? item.banner_image ?? '',
      base: link || home,
    };
  });
  return { title: titleOf(feed.title ?? ''), url: home, description: feed.description ?? '', items };
}

/** Each item once, the newest first, and its content cleaned. */
function tidy({ items, ...feed }: RawFeed): Feed {
  const known = new Set<string>();
  const read = items.flatMap((item) => {
    if (item.title === '' && item.url === '' && item.summary === '' && item.html === '') return [];
    // A feed that is put together of several may have an item twice, with a guid of each.
    const twin = [item.title, item.url, item.date].every(Boolean) ? `${item.title}\n${item.url}\n${item.date}` : '';
    const key = keyOf(item);
    if (known.has(key) || (twin !== '' && known.has(twin))) return [];
    known.add(key).add(twin);
    return [{ item, key, at: readDate(item.date) }];
  });
  // A feed that dates some items only has them in its own order.
  if (read.every(({ at }) => at !== null)) read.sort((a, b) => b.at!.getTime() - a.at!.getTime());
  const cleaned = read.slice(0, maxItemsRead).map(({ item, key, at }) => ({ id: item.id, ...clean(item, key, at) }));
  const whole = { title: short(feed.title, maxTitle), url: feed.url, description: feed.description };
  const marks = marksOf(cleaned, whole);
  return { ...whole, items: cleaned.map(({ id: _, ...item }, i) => ({ ...item, marks: marks[i]! })) };
}

function clean(item: RawItem, key: string, at: Date | null): FeedItem {
  const html = safeHtml((item.html || item.summary).slice(0, maxContent), item.base);
  const summary = textOf((item.summary || item.html).slice(0, maxContent), maxSummary);
  // Some sites put the picture of a post into its description only.
  const described =
    item.html !== '' && item.summary.includes('<') ? safeHtml(item.summary.slice(0, maxContent), item.base) : '';
  return {
    key,
    marks: noMarks,
    title: short(item.title || summary, item.title === '' ? 80 : maxTitle),
    url: item.url,
    author: short(titleOf(item.author), maxTitle),
    at,
    summary,
    html,
    text: html === '' ? '' : textFromHtml(html),
    image: webUrl(item.image, item.base) || firstImage(html) || firstImage(described),
  };
}

function keyOf({ id, url, title, date, summary, html }: RawItem): string {
  const text =
    id !== '' ? `guid ${id}` : url !== '' ? `link ${url}` : `text ${title}\n${date ?? ''}\n${summary || html}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 24);
}

type Media = RssFeed.Item<string>['media'];

function imageOf(media: Media): string | undefined {
  const group = media?.groups?.[0];
  const contents = [...(media?.contents ?? []), ...(group?.contents ?? [])];
  const picture = contents.find(
    ({ url, medium, type = '' }) =>
      url && (medium === 'image' || type.startsWith('image/') || /\.(?:jpe?g|png|gif|webp)$/i.test(url)),
  );
  return (
    picture?.url ?? media?.thumbnails?.[0]?.url ?? group?.thumbnails?.[0]?.url ?? contents[0]?.thumbnails?.[0]?.url
  );
}

const personOf = (person: RssFeed.Person | undefined) => person?.name ?? person?.email ?? '';
const alternate = (links: AtomFeed.Link<string>[] | undefined) =>
  links?.find(({ rel = 'alternate', type = 'text/html' }) => rel === 'alternate' && type.includes('html'))?.href ??
  links?.find(({ rel = 'alternate' }) => rel === 'alternate')?.href;
const resolved = (base: string | undefined, against: string) => (base && URL.parse(base, against)?.href) || against;
const short = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1).trimEnd()}…` : text);

/** A text construct of Atom as HTML (RFC 4287 3.1). */
function markup(text: { value?: string; type?: string } | undefined): string {
  const { value = '', type = 'text' } = text ?? {};
  return type === 'text' || type === 'text/plain' ? escapeHtml(value) : value;
}

function lineOf(text: { value?: string; type?: string } | undefined): string {
  return text?.type === 'html' || text?.type === 'xhtml'
    ? titleOf(text.value ?? '')
    : titleOf(escapeHtml(text?.value ?? ''));
}

/** The feed that a web page names, as browsers and feed readers find it. */
function namedFeed(page: string, url: string): string {
  for (const [link] of page.slice(0, 500_000).matchAll(/<link\s[^<>]{0,2000}>/gi))
    if (/\brel\s*=\s*["']?alternate\b/i.test(link) && /application\/(?:rss\+xml|atom\+xml|feed\+json)/i.test(link))
      return webUrl(
        /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(link)?.slice(1).find(Boolean)?.replaceAll('&amp;', '&'),
        url,
      );
  return '';
}
