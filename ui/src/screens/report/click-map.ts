// Adds the clicks of each link to a message for display. Guarantees a page without scripts, frames or working links, in
// addition to the sandboxed frame it is shown in.
import { parsedMail } from '../../parts/parsed-mail.ts';

type LinkClicks = { url: string; clicks: number };

/** @param label the text at a link */
export function clickMap<L extends LinkClicks>(html: string, links: readonly L[], label: (link: L) => string): string {
  const page = parsedMail(html);
  for (const element of page.querySelectorAll('script, base, meta[http-equiv], iframe, object, embed'))
    element.remove();
  for (const anchor of page.querySelectorAll('a[href]')) {
    const link = linkOf(anchor.getAttribute('href')!, links);
    anchor.removeAttribute('href');
    anchor.removeAttribute('target');
    // Without href a link loses its underline.
    (anchor as HTMLElement).style.textDecoration ||= 'underline';
    if (!link) continue;
    const badge = page.createElement('span');
    badge.textContent = label(link);
    badge.setAttribute('style', badgeStyle);
    anchor.after(badge);
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** Tracked URLs may have analytics parameters appended to the author's URL. */
function linkOf<L extends LinkClicks>(href: string, links: readonly L[]): L | undefined {
  const url = href.trim();
  return (
    links.find((link) => link.url === url) ??
    links.find((link) => link.url.startsWith(`${url}?`) || link.url.startsWith(`${url}&`))
  );
}

const badgeStyle =
  'display:inline-block;margin:0 4px;padding:1px 6px;border-radius:9px;background:#173372;color:#fff;' +
  'font:600 12px/16px system-ui,sans-serif;white-space:nowrap;vertical-align:middle;text-decoration:none';
