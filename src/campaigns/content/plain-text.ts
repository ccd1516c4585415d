// Plain text made from HTML, for the text part of a campaign. Guarantees that merge tags stay unchanged, that hidden
// content (preheaders, styles) is left out, and linear time. Lines are wrapped at 78 characters, URLs stay whole.
import { type FormatCallback, type HtmlToTextOptions, htmlToText } from 'html-to-text';
import { Tokenizer } from 'parse5';
import { findTags, parseTags } from '../markup/merge-tags.ts';
import { decodeReferences } from '../markup/scan-html.ts';

/** Elements nested deeper than this lose their tags, not their text. Newsletters have some 60 that count here. */
const depthLimit = 400;

/** The plain part of a message: the text of the page or, when it has only pictures, where to see it. */
export function plainPartOf(html: string): string {
  return textFromHtml(html) || '*|CAMPAIGN:SUBJECT|*\n\n*|ARCHIVE|*';
}

/** The text of a page: `text (address)` for links, the alternative texts of images, lists, tables of figures. */
export function textFromHtml(html: string): string {
  // A tag could be wrapped, or its signs taken for something else: it travels as one word of private characters.
  const tags: string[] = [];
  let source = '';
  const page = html.replace(/[\ue000-\ue002]/g, '');
  for (const token of parseTags(page, 'address')) {
    if (typeof token === 'string') source += token;
    else source += `\ue000${tags.push(inText(page.slice(token.start, token.end))) - 1}\ue001`;
  }
  const text = htmlToText(flattened(source), options)
    // Senders fill preheaders with invisible characters so that nothing of the page shows behind them.
    .replace(/(?:(?:\u034f|[\u00ad\u061c\u200b-\u200f\u2060\ufeff\u2007])[ \u00a0]*){4,}/g, ' ')
    .replace(/\u00a0/g, ' ')
    // Where a word may be divided says nothing in plain text, and some programs show it as a hyphen.
    .replace(/\u00ad/g, '')
    // What follows an address without a blank would be read as a part of it.
    .replace(/\ue002(?=[^\s.,;:!?)\]}'"\u201d\u2019])/g, ' ')
    .replaceAll('\ue002', '')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{4,}/g, '\n\n\n')
    .trim();
  return text.replace(/\ue000(\d+)\ue001/g, (_, number: string) => tags[Number(number)] ?? '');
}

/** A tag as it is written in plain text: without the escapes of addresses and of HTML. */
function inText(tag: string): string {
  const plain = /%(?:7C|5[BD])/i.test(tag)
    ? tag.replace(/%7C/gi, '|').replace(/%5B/gi, '[').replace(/%5D/gi, ']').replace(/%20/g, ' ')
    : tag;
  const decoded = decodeReferences(plain);
  if (isTag(decoded)) return decoded;
  // What a reference stands for could end the tag early. Between brackets a bar is a letter like others.
  const [written] = findTags(plain);
  if (!written?.argument) return plain;
  const words = decodeReferences(written.argument).replace(/\s+/g, ' ');
  const bracketed = `#[${written.name}:${words.replace(/\[/g, '(').replace(/\]/g, ')')}]#`;
  return isTag(bracketed) ? bracketed : plain;
}

function isTag(text: string): boolean {
  const [found, ...others] = findTags(text, 'plain');
  return others.length === 0 && found?.start === 0 && found.end === text.length;
}

const anchor: FormatCallback = (element, walk, builder) => {
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  const href: string = (element.attribs?.['href'] ?? '').trim().replace(/[\t\r\n]/g, '');
  if (href === '' || href.startsWith('#') || /^javascript:/i.test(href)) return;
  // In running text a blank or an angle bracket would end the address; browsers send them encoded anyway.
  const shown = href.replace(/^(?:mailto|tel|sms):/i, '').replace(/[ <>"]/g, encodeURIComponent);
  const same = (a: string) =>
    a
      .replace(/^https?:\/\//i, '')
      .replace(/[\s/]/g, '')
      .toLowerCase();
  if (text.trim() === '') {
    // A link around nothing readable, such as an image without alternative text, leads somewhere all the same.
    if (hasImage(element)) builder.addInline(` ${shown}\ue002`, { noWordTransform: true });
  } else if (same(text) !== same(shown)) {
    builder.addInline(` (${shown})\ue002`, { noWordTransform: true });
  }
};

const image: FormatCallback = (element, _walk, builder) => {
  const text = (element.attribs?.['alt'] ?? '').trim();
  if (text !== '') builder.addInline(text);
};

/** What a term means, set in. */
const detail: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1, reservedLineLength: 2 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 1, blockTransform: (text) => text.replace(/^(?=.)/gm, '  ') });
};

/** Nearly all tables of a newsletter lay out the page; one with header cells and no table within holds figures. */
const table: FormatCallback = (element, walk, builder, format) => {
  const role = element.attribs?.['role'];
  const isData =
    role !== 'presentation' && role !== 'none' && !hasElement(element, 'table') && hasElement(element, 'th');
  const asData = builder.options.formatters?.['dataTable'];
  if (isData && asData) {
    asData(element, walk, builder, { ...format, uppercaseHeaderCells: false, maxColumnWidth: 40, colSpacing: 2 });
    return;
  }
  builder.openBlock({ leadingLineBreaks: 1 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 1 });
};

/**
 * The source without the tags beyond the depth limits, and with a link closed where the next one begins: for depth the
 * parser behind the converter takes quadratic time, and the converter stack. Elements that close themselves, and those
 * that only stand within a table, do not count.
 */
function flattened(source: string): string {
  const changes: { start: number; end: number; text: string }[] = [];
  let depth = 0;
  let indents = 0;
  let inLink = false;
  const change = (
    token: { location: { startOffset: number; endOffset: number } | null },
    text: string,
    keep = false,
  ) => {
    const { startOffset, endOffset } = token.location!;
    changes.push({ start: startOffset, end: keep ? startOffset : endOffset, text });
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag(token) {
        const name = token.tagName;
        if (name === 'a') {
          if (inLink) change(token, '</a>', true);
          inLink = true;
          return;
        }
        if (!uncounted.test(name) && !token.selfClosing) depth++;
        if (indenting.has(name)) indents++;
        if (depth > depthLimit || (indenting.has(name) && indents > indentLimit)) change(token, ' ');
      },
      onEndTag(token) {
        const name = token.tagName;
        if (name === 'a') {
          if (!inLink) change(token, '');
          inLink = false;
          return;
        }
        if (depth > depthLimit || (indenting.has(name) && indents > indentLimit)) change(token, ' ');
        if (!uncounted.test(name) && depth > 0) depth--;
        if (indenting.has(name) && indents > 0) indents--;
      },
      onComment: ignore,
      onDoctype: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(source, true);
  if (changes.length === 0) return source;
  const kept: string[] = [];
  let from = 0;
  for (const { start, end, text } of changes) {
    kept.push(source.slice(from, start), text);
    from = end;
  }
  kept.push(source.slice(from));
  return kept.join('');
}

/** Elements whose text is set in: each level goes over the text once more. */
const indenting = new Set(['blockquote', 'ul', 'ol']);
const indentLimit = 12;

const uncounted =
  /^(?:a|area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|tbody|thead|tfoot|dd|dt|option)$/;

type Node = Parameters<FormatCallback>[0];

function hasElement(of: Node, name: string): boolean {
  const waiting: Node[] = [...(of.children ?? [])];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.name === name) return true;
    if (node.children) waiting.push(...node.children);
  }
  return false;
}

function hasImage(of: Node): boolean {
  return hasElement(of, 'img') || hasElement(of, 'svg') || hasElement(of, 'amp-img');
}

const hidden = [
  '[hidden]',
  '[style*="display:none" i]',
  '[style*="display: none" i]',
  '[style*="mso-hide:all" i]',
].concat(
  '[style*="mso-hide: all" i]',
  '[style*="visibility:hidden" i]',
  '[style*="visibility: hidden" i]',
  '[style*="max-height:0;" i]',
  '[style*="max-height:0px" i]',
  '[style*="max-height: 0" i]',
);

const options: HtmlToTextOptions = {
  wordwrap: 78,
  formatters: { letterAnchor: anchor, letterImage: image, letterTable: table, letterDetail: detail },
  selectors: [
    ...['style', 'script', 'title', 'noscript', 'template', 'head > *'].map((selector) => ({
      selector,
      format: 'skip',
    })),
    ...hidden.map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', format: 'letterAnchor' },
    { selector: 'img', format: 'letterImage' },
    { selector: 'amp-img', format: 'letterImage' },
    { selector: 'table', format: 'letterTable' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 2 },
    })),
    { selector: 'td', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'dt', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'dd', format: 'letterDetail' },
    { selector: 'dl', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: 'ul', options: { itemPrefix: '* ' } },
    { selector: 'hr', options: { length: 40 } },
  ],
};
