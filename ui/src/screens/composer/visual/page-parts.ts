// A mail's page taken apart for the visual editor, which changes what stands between <body> and </body> only. What it
// does not understand (head, styles, what stands around the body) is kept as it is and put back. Pure.

export type PageParts = {
  /** All before the content, <body …> included, and the style sheets that stand in it. */
  before: string;
  content: string;
  /** All behind it, </body> included. */
  after: string;
  /** The page's styles, for showing it. */
  css: string;
  /** The style attribute of the body. */
  bodyStyle: string;
};

export function pageParts(html: string): PageParts {
  const open = /<body\b[^>]*>/i.exec(html);
  const from = open ? open.index + open[0].length : (/^\s*<!doctype[^>]*>/i.exec(html)?.[0].length ?? 0);
  const rest = html.slice(from);
  const close = open ? rest.search(/<\/body\s*>/i) : -1;
  const between = close < 0 ? rest : rest.slice(0, close);
  // Style sheets within the content would be taken apart; they stand before it instead.
  const inside = between.match(styleSheet)?.join('\n') ?? '';
  const content = inside === '' ? between : between.replace(styleSheet, '');
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)];
  return {
    before: html.slice(0, from) + inside,
    content,
    after: close < 0 ? '' : rest.slice(close),
    css: styles.map((match) => match[1]).join('\n'),
    bodyStyle:
      /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)')/i
        .exec(open?.[0] ?? '')
        ?.slice(1)
        .find(Boolean) ?? '',
  };
}

const styleSheet = /<style\b[^>]*>[\s\S]*?<\/style>/gi;

export const joined = ({ before, after }: PageParts, content: string) => before + content + after;

/** What an editor of elements cannot hold, named for the warning: it is lost when the page is written anew. */
export function lostParts(content: string): ('script' | 'condition' | 'form')[] {
  const found: ('script' | 'condition' | 'form')[] = [];
  if (/<script\b/i.test(content)) found.push('script');
  if (/<!--\[if|<!\[(?:if|endif)/i.test(content)) found.push('condition');
  if (/<(?:form|input|iframe|object|embed)\b/i.test(content)) found.push('form');
  return found;
}
