// Writes the clicks of each link into a mail that is only looked at. Promises a page without script, form or way out:
// what could act or load another page is taken away, besides that it is shown in a frame that runs no script.

type Counted = { url: string; clicks: number };

/** @param words what stands at a link */
export function clickMap<L extends Counted>(html: string, links: readonly L[], words: (link: L) => string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll('script, base, meta[http-equiv], iframe, object, embed'))
    element.remove();
  for (const anchor of page.querySelectorAll('a[href]')) {
    const link = linkOf(anchor.getAttribute('href')!, links);
    anchor.removeAttribute('href');
    anchor.removeAttribute('target');
    // Without an address a link loses its line.
    (anchor as HTMLElement).style.textDecoration ||= 'underline';
    if (!link) continue;
    const badge = page.createElement('span');
    badge.textContent = words(link);
    badge.setAttribute('style', badgeStyle);
    anchor.after(badge);
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** The link table may have added parameters that measure visits; the author's own address is its beginning. */
function linkOf<L extends Counted>(href: string, links: readonly L[]): L | undefined {
  const own = href.trim();
  return (
    links.find(({ url }) => url === own) ??
    links.find(({ url }) => url.startsWith(`${own}?`) || url.startsWith(`${own}&`))
  );
}

const badgeStyle =
  'display:inline-block;margin:0 4px;padding:1px 6px;border-radius:9px;background:#173372;color:#fff;' +
  'font:600 12px/16px system-ui,sans-serif;white-space:nowrap;vertical-align:middle;text-decoration:none';
