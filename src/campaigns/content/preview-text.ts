// The preview text of a message: what an inbox shows after the subject. It is a hidden element at the start of the body, as the
// composer writes it (ui/src/screens/composer/content/preview-text.ts). Pure.

const hidden = /^\s*<(div|span)\b[^>]*\bstyle\s*=\s*"[^"]*display\s*:\s*none[^"]*"[^>]*>([^<]*)<\/\1\s*>/i;

/** The HTML with this preview text instead of its own; an empty one removes it. */
export function withPreviewText(html: string, text: string): string {
  const open = /<body\b[^>]*>/i.exec(html) ?? /^\s*<!doctype[^>]*>/i.exec(html);
  const at = open ? open.index + open[0].length : 0;
  const rest = html.slice(at);
  const old = hidden.exec(rest)?.[0] ?? '';
  const element =
    text === '' ? '' : `\n<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escaped(text)}</div>`;
  return html.slice(0, at) + element + rest.slice(old.length);
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => signs[sign]!);
