// Splits a message's page for the visual editor, which changes only what is between <body> and </body>. Everything else
// (head, styles, text around the body) is kept and put back unchanged. Pure.

import { contentStart, hiddenStart } from '../content/preview-text.ts';

export type PageParts = {
  /** Everything before the content, including <body …> and the preview text. */
  before: string;
  content: string;
  /** Everything after it, including </body>. */
  after: string;
  /** The page's styles, to display it. */
  css: string;
  /** The style attribute of the body. */
  bodyStyle: string;
};

export function pageParts(html: string): PageParts {
  const open = /<body\b[^>]*>/i.exec(html);
  const from = contentStart(html);
  const rest = html.slice(from);
  const close = open ? rest.search(/<\/body\s*>/i) : -1;
  const between = close < 0 ? rest : rest.slice(0, close);
  const previewText = hiddenStart(between);
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)];
  return {
    before: html.slice(0, from) + previewText,
    content: between.slice(previewText.length),
    after: close < 0 ? '' : rest.slice(close),
    css: styles.map((match) => match[1]).join('\n'),
    bodyStyle:
      /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)')/i
        .exec(open?.[0] ?? '')
        ?.slice(1)
        .find(Boolean) ?? '',
  };
}

/** The content without its style sheets, which the editor would take apart. */
export const unstyled = (content: string): string => content.replace(styleSheet, '');

const styleSheet = /<style\b[^>]*>[\s\S]*?<\/style>/gi;

export const joinPage = ({ before, after }: PageParts, content: string) => before + content + after;

/** A style of the body, from its style attribute; "" if it has none. */
export function bodyStyle(html: string, name: string): string {
  const found = pageParts(html)
    .bodyStyle.split(';')
    .find((style) => style.split(':')[0]!.trim().toLowerCase() === name);
  return found?.slice(found.indexOf(':') + 1).trim() ?? '';
}

/** Sets a style of the body. A page without a body tag stays as it is. */
export function withBodyStyle(html: string, name: string, value: string): string {
  const open = /<body\b[^>]*>/i.exec(html);
  if (!open) return html;
  const others = pageParts(html)
    .bodyStyle.split(';')
    .filter((style) => style.trim() !== '' && style.split(':')[0]!.trim().toLowerCase() !== name);
  const style = [...others.map((other) => other.trim()), `${name}:${value.replaceAll(/["'<>;]/g, '')}`].join('; ');
  const bare = open[0].replace(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/i, '');
  const tag = bare.replace(/>$/, () => ` style="${style.replaceAll('"', "'")};">`);
  return html.slice(0, open.index) + tag + html.slice(open.index + open[0].length);
}

export type LostPart = 'script' | 'condition' | 'form';

/** What the visual editor cannot keep, for the warning: it is lost when the page is rewritten. */
export function lostParts(content: string): LostPart[] {
  const lost: LostPart[] = [];
  if (/<script\b/i.test(content)) lost.push('script');
  // Conditions in comments are kept; those that are markup of their own are not.
  if (/<!\[(?:if|endif)/i.test(content.replace(/<!--[\s\S]*?-->/g, ''))) lost.push('condition');
  if (/<(?:form|input|iframe|object|embed)\b/i.test(content)) lost.push('form');
  return lost;
}
