// What an item of a feed is recognised by when its guid has changed: its guid and its address in a form that survives a move
// (https, www, a final slash, parameters that count readers), the last part of its address, its title and how its text begins.
// Each is a short hash; '' where there is none, or where several items of the feed share it.
import { createHash } from 'node:crypto';

export type Marks = { guid: string; link: string; slug: string; title: string; text: string };

export const markNames = ['guid', 'link', 'slug', 'title', 'text'] as const;
export const noMarks: Marks = { guid: '', link: '', slug: '', title: '', text: '' };

type Marked = { id: string; url: string; title: string; summary: string };

/** The marks of the items of a feed, in their order. */
export function marksOf(items: readonly Marked[], feed: { title: string; url: string }): Marks[] {
  const siteName = lineForm(feed.title);
  const home = urlForm(feed.url);
  const marks = items.map(({ id, url, title, summary }): Marks => {
    const link = urlForm(url);
    return {
      guid: guidForm(id),
      link: link === home ? '' : link,
      slug: slugOf(url),
      title: titleForm(title, siteName),
      text: textForm(summary),
    };
  });
  // Items may share a title: together with a date it is still worth something.
  for (const name of ['guid', 'link', 'slug', 'text'] as const) {
    const count = new Map<string, number>();
    for (const one of marks) count.set(one[name], (count.get(one[name]) ?? 0) + 1);
    for (const one of marks) if (count.get(one[name])! > 1) one[name] = '';
  }
  return marks.map((one) => {
    const hashed = { ...one };
    for (const name of markNames) hashed[name] = hashOf(one[name]);
    return hashed;
  });
}

const hashOf = (text: string) =>
  text === '' ? '' : createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Parameters that say where a reader comes from, or that change with each visit. */
const countingParameter =
  /^(?:utm_.*|mtm_.*|pk_.*|piwik_.*|matomo_.*|hsa_.*|_hs.*|ns_.*|at_(?:medium|campaign|custom.*|link.*)|mc_[a-z]+|mkt_tok|wt_.*|wt\..*|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|ttclid|yclid|igshid|igsh|li_fat_id|_ga|_gl|ref|ref_src|ref_url|referr?er|source|src|via|cmp|cmpid|cid|campaign|campaign_id|ito|xtor|spm|smid|partner|feature|rss|feed|feedname|from|medium|sid|session|sessionid|phpsessid|jsessionid|sr_share|share|shared|trk|s_cid|icid|ocid|soc_src|guccounter)$/i;
/** Such as of a link to comments, or one that a feed adds for counting. */
const countingFragment = /^(?:$|utm_|xtor=|ref=|rss$|feed$|comments?$|respond$|disqus_thread$|more-\d+$|:~:)/i;

/** An address without what a move changes; '' for what is no web address. */
export function urlForm(address: string): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return '';
  const host = url.hostname.replace(/^www\./, '').replace(/\.$/, '');
  const path = decoded(url.pathname)
    .replace(/;jsessionid=[^/?#]*/i, '')
    .replace(/\/{2,}/g, '/')
    .replace(/\/(?:index|default)\.(?:html?|php|aspx?|jsp|cgi)$/i, '/')
    .replace(/\/amp\/?$/i, '/')
    .replace(/\/+$/, '');
  const parameters = [...url.searchParams]
    .filter(([name, value]) => isPartOfAddress(name, value))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const query = parameters.length > 0 ? `?${parameters.join('&')}` : '';
  const fragment = decoded(url.hash.slice(1));
  return `${host}${path}${query}${countingFragment.test(fragment) ? '' : `#${fragment}`}`.normalize('NFC');
}

/** A parameter such as `source` may be the address itself (`?feed=12`): only words say where a reader comes from. */
const isPartOfAddress = (name: string, value: string) =>
  !countingParameter.test(name) ||
  (/^(?:source|src|cid|feed|from|ref|share|session|sid)$/i.test(name) && /^\d{1,9}$/.test(value));

/** Also of "12 at http://site.example" and others that contain an address. */
function guidForm(guid: string): string {
  const trimmed = guid.trim();
  return (
    urlForm(trimmed) ||
    trimmed
      .replace(/https?:\/\/(?:www\.)?/gi, '')
      .replace(/\/+$/, '')
      .replace(/\s+/g, ' ')
  );
}

/** The last part of a path if it is in words: "/2027/01/tide-tables.html" and "/blog/tide-tables/" both end in it. */
function slugOf(address: string): string {
  const url = URL.parse(address.trim());
  const last = decoded(url?.pathname ?? '')
    .split('/')
    .filter((part) => part !== '' && part !== 'amp')
    .at(-1);
  const slug = (last ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\.(?:html?|php|aspx?|jsp|md)$/, '')
    .replace(/^\d{4}-\d\d?-\d\d?-/, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const isSaying = slug.length >= 4 && /\p{L}{2}/u.test(slug);
  return isSaying &&
    !/^(?:index|default|post|posts|article|blog|news|view|show|page|item|story|episode|feed)$/.test(slug)
    ? slug
    : '';
}

/** Letters and digits in lower case, words parted by one space. */
const lineForm = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    // Apostrophes are written in several ways, and left out.
    .replace(/['’‘ʼ`´]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Without the name of the site, which some themes add: "Tide tables – Harbour Notes". A title in signs alone stays. */
function titleForm(title: string, siteName: string): string {
  const form = lineForm(title);
  if (form === '') return title.trim();
  if (siteName === '') return form;
  if (form.endsWith(` ${siteName}`)) return form.slice(0, -siteName.length - 1);
  return form.startsWith(`${siteName} `) ? form.slice(siteName.length + 1) : form;
}

/** How a text begins: long enough to be this text only, short enough to be in an excerpt too. */
function textForm(text: string): string {
  const form = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  // A text in Chinese or Japanese says as much in fewer characters.
  const min = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(form) ? 25 : 50;
  return form.length < min ? '' : form.slice(0, min === 25 ? 50 : 100);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
