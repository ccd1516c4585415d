// The preview text of a message: what an inbox shows after the subject. It is a hidden element at the start of the body, as the
// composer writes it (ui/src/screens/composer/content/preview-text.ts) and as templates have it, in whatever form. Pure.
import { readTags, type SourceTag } from '../markup/scan-html.ts';

/** The HTML with this preview text instead of its own; an empty one removes it. */
export function withPreviewText(html: string, text: string): string {
  // A <body> within a comment is none.
  const tags = readTags(html);
  const body = tags.find(({ name, isEnd }) => name === 'body' && !isEnd);
  const doctype = /^\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<!doctype[^>]*>/i.exec(html);
  const at = body?.end ?? doctype?.[0].length ?? 0;
  const element =
    text === '' ? '' : `\n<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escaped(text)}</div>`;
  const old = hiddenElement(html, tags, at);
  const rest = old ? html.slice(at, old.start) + html.slice(old.end) : html.slice(at);
  return html.slice(0, at) + element + rest;
}

/** The hidden element that the body begins with, with the white space before it; comments may be before it. */
function hiddenElement(
  html: string,
  tags: readonly SourceTag[],
  at: number,
): { start: number; end: number } | undefined {
  const before = /^(?:\s|<!--[\s\S]*?-->)*/.exec(html.slice(at))![0];
  const first = tags.findIndex(({ start }) => start === at + before.length);
  const tag = tags[first];
  if (!tag || tag.isEnd || !containers.has(tag.name) || !hides.test(tag.attributes.get('style') ?? ''))
    return undefined;
  let depth = 0;
  for (const { name, isEnd, end } of tags.slice(first)) {
    if (name !== tag.name) continue;
    depth += isEnd ? -1 : 1;
    if (depth === 0) return { start: tag.start - (before.length - before.trimEnd().length), end };
  }
  return undefined;
}

const containers = new Set(['div', 'span', 'p', 'center', 'font']);
const hides =
  /display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0(?![.\d])|mso-hide\s*:\s*all|opacity\s*:\s*0(?![.\d])/i;

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => signs[sign]!);
