// The preview text of an email: what an inbox shows after the subject. It is a hidden element at the start of the body, as
// in most newsletters. Reads and writes it; the rest of the HTML stays as it is. Pure.

const hidden = /^\s*<(div|span)\b[^>]*\bstyle\s*=\s*"[^"]*display\s*:\s*none[^"]*"[^>]*>([^<]*)<\/\1\s*>/i;

/** The hidden element at the start of this content, with the space before it; "" if there is none. */
export const hiddenStart = (content: string): string => hidden.exec(content)?.[0] ?? '';

/** Where the content of the page begins. */
export function contentStart(html: string): number {
  const open = /<body\b[^>]*>/i.exec(html) ?? /^\s*<!doctype[^>]*>/i.exec(html);
  return open ? open.index + open[0].length : 0;
}

const padding = /(?:\s|&#847;|&zwnj;|&#8204;|&nbsp;|&#160;|[\u034f\u200c\u00a0])+$/i;

/** The text without the characters that pad it. A space at its end stays: more words may follow. */
export function previewTextOf(html: string): string {
  const text = hidden.exec(html.slice(contentStart(html)))?.[2] ?? '';
  const end = padding.exec(text)?.[0] ?? '';
  return decode(/^ ?$/.test(end) ? text : text.slice(0, text.length - end.length)).trimStart();
}

/** An empty text removes the element. */
export function withPreviewText(html: string, text: string): string {
  const at = contentStart(html);
  const rest = html.slice(at);
  const old = hiddenStart(rest);
  const element =
    text === '' ? '' : `\n<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${encode(text)}</div>`;
  return html.slice(0, at) + element + rest.slice(old.length);
}

const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const encode = (text: string) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!);
const decode = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => names[name]!);
