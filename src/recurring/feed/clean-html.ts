// Makes foreign HTML fit for a message: an allowlist of elements and attributes, by sanitize-html. Guarantees no script, style, frame,
// form or event handler, absolute http, https and mailto addresses only, and no text that is read as a merge tag.
import sanitizeHtml from 'sanitize-html';
import { safeUrl } from '../../campaigns/markup/escape.ts';
import { decodeReferences, readStartTags } from '../../campaigns/markup/scan-html.ts';
import { webUrl } from './feed.ts';
import { withPlainMedia } from './media.ts';
import { withoutTags, withoutTagsInUrl } from './without-tags.ts';

const inText = 'p br hr b strong i em u s del ins small sub sup code span a img'.split(' ');
const blocks =
  'blockquote pre ul ol li dl dt dd h1 h2 h3 h4 h5 h6 figure figcaption div table caption thead tbody tfoot tr th td';
/** Elements whose content is no text. */
const silent = [
  'script',
  'style',
  'textarea',
  'option',
  'noscript',
  'iframe',
  'svg',
  'math',
  'template',
  'title',
  'object',
];

/** @param base what relative addresses are relative to */
export function safeHtml(html: string, base: string): string {
  if (html.trim() === '') return '';
  return sanitizeHtml(withPlainMedia(html, base), {
    allowedTags: [...inText, ...blocks.split(' ')],
    nonTextTags: silent,
    nestingLimit: 60,
    allowedAttributes: {
      a: ['href', 'title'],
      img: ['src', 'alt', 'title', 'width', 'style'],
      th: ['colspan', 'rowspan'],
      td: ['colspan', 'rowspan'],
    },
    parseStyleAttributes: false,
    allowedSchemes: ['http', 'https', 'mailto'],
    transformTags: {
      a: (tagName, { href = '', title }) => ({
        tagName,
        attribs: {
          ...(address(href, base) && { href: address(href, base) }),
          ...(title && { title: withoutTags(title) }),
        },
      }),
      img: (tagName, { src = '', alt = '', title, width }) => ({
        tagName,
        attribs: {
          src: withoutTagsInUrl(webUrl(src, base)),
          alt: withoutTags(alt),
          ...(title && { title: withoutTags(title) }),
          ...(/^[0-9]{1,4}$/.test(width ?? '') && { width: width! }),
          style: 'max-width:100%;height:auto',
        },
      }),
    },
    // media.ts has left out pictures without an address and pixels; those whose address is not of the web are left out here.
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs['src'],
    textFilter: withoutTags,
  }).trim();
}

/** The beginning of the text, in one line. */
export function textOf(html: string, max: number): string {
  const spaced = html.replace(
    /<\/?(?:br|p|div|li|ul|ol|tr|td|th|h[1-6]|blockquote|figure|figcaption)\b[^<>]*>/gi,
    ' $& ',
  );
  const text = sanitizeHtml(spaced, { allowedTags: [], allowedAttributes: {}, nonTextTags: silent });
  const line = decodeReferences(text).replace(/\s+/g, ' ').trim();
  if (line.length <= max) return line;
  const cut = line.slice(0, max - 1);
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > max / 2 ? cut.slice(0, lastSpace) : cut).toWellFormed().trimEnd()}…`;
}

/** Titles are plain text in some feeds and HTML in others: known elements are taken off, references decoded. */
export function titleOf(text: string): string {
  const plain = text.replace(
    /<\/?(?:a|abbr|b|br|cite|code|em|font|i|img|mark|p|q|s|small|span|strong|sub|sup|u)\b[^<>]*>/gi,
    '',
  );
  return decodeReferences(plain)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
}

/** The first picture of sanitised HTML. */
export function firstImage(html: string): string {
  if (!html.includes('<img')) return '';
  return (
    readStartTags(html)
      .find(({ name }) => name === 'img')
      ?.attributes.get('src') ?? ''
  );
}

function address(href: string, base: string): string {
  // An anchor without an address is a place to jump to, and no link to the page.
  if (href.trim() === '') return '';
  const absolute = URL.parse(href.trim(), URL.canParse(base) ? base : undefined)?.href ?? '';
  return withoutTagsInUrl(safeUrl(absolute));
}
