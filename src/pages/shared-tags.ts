// What a page says about itself to search engines, and where its address is shared: Open Graph, description, canonical address.
import { type Html, html } from '../base/html.ts';

export type Shared = { title: string; description: string; picture: string; url: string; site: string };

export const sharedTags = ({ title, description, picture, url, site }: Shared): Html =>
  html`<link rel="canonical" href="${url}"><meta property="og:title" content="${title}"><meta property="og:url" content="${url}"><meta property="og:site_name" content="${site}"><meta property="og:type" content="website">${description && html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}${picture && html`<meta property="og:image" content="${picture}"><meta name="twitter:card" content="summary_large_image">`}`;

/** HTML of an author with these tags at the beginning of its head. */
export function withTags(markup: string, tags: Html): string {
  const before = [/<head(?:\s[^>]*)?>/i, /<html(?:\s[^>]*)?>/i, /^\s*<!doctype[^>]*>/i]
    .map((pattern) => pattern.exec(markup))
    .find((match) => match !== null);
  const at = before ? before.index + before[0].length : 0;
  return markup.slice(0, at) + tags.text + markup.slice(at);
}
