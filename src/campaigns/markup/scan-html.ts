// Finds the zones of an HTML source (attributes, links, raw text, comments) and where to insert header, footer and pixel.
// Guarantees offsets into the unchanged source by the tokenizer rules of the HTML standard, so that a browser sees the same
// zones, in linear time for any nesting. Changes nothing: compile.ts edits the source at these offsets.
import { type Token as Parsed, Tokenizer, TokenizerMode } from 'parse5';

/** `attribute` spans a value without its quotes; `raw` is inside a tag, a style or a script; `inert` a comment or title. */
export type Zone =
  | {
      zone: 'raw' | 'inert';
      start: number;
      end: number;
      /** The element whose start tag this is; its attributes are the next zones. */
      tag?: string;
      /** The element whose raw text this is. */
      inside?: string;
    }
  | {
      zone: 'attribute';
      start: number;
      end: number;
      element: string;
      name: string;
      quoted: boolean;
      /** The value with its character references decoded. */
      value: string;
    };

export type Scan = {
  /** In order of start; attribute zones follow the raw zone of their tag, which contains them. */
  zones: Zone[];
  /** Spans between <a …> and </a>. */
  anchors: { start: number; end: number }[];
  /** Where content can be inserted that is shown first, or last. */
  bodyStart: number;
  bodyEnd: number;
};

type TagToken = Parsed.TagToken;

const rawTextElements = new Set(['style', 'xmp', 'iframe', 'noembed', 'noframes']);
const escapableElements = new Set(['title', 'textarea']);

/** Scans a document, including the markup in conditional comments, which Outlook reads as HTML. */
export function scanHtml(source: string): Scan {
  const scan: Scan = { zones: [], anchors: [], bodyStart: 0, bodyEnd: -1 };
  const unclosedAt = scanInto(scan, source, 0, true);
  if (scan.bodyEnd < 0) scan.bodyEnd = source.length;
  // Nothing after an unclosed comment, style or tag is shown, so the body ends before it.
  scan.bodyEnd = Math.max(scan.bodyStart, Math.min(scan.bodyEnd, unclosedAt));
  // A "<" or "</" that is text would turn what is inserted after it into a tag.
  while (scan.bodyEnd > scan.bodyStart && /<\/?$/.test(source.slice(Math.max(0, scan.bodyEnd - 2), scan.bodyEnd))) {
    scan.bodyEnd = source.lastIndexOf('<', scan.bodyEnd - 1);
  }
  return scan;
}

/** Decodes character references, as in an attribute value. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  let decoded = '';
  const add = (token: { chars: string }) => {
    decoded += token.chars;
  };
  const tokenizer = new Tokenizer({}, { ...ignoreAll, onCharacter: add, onWhitespaceCharacter: add });
  tokenizer.state = TokenizerMode.RCDATA;
  tokenizer.write(text, true);
  return decoded;
}

/** `start` and `end`: where the tag is in the source. */
export type SourceTag = {
  name: string;
  isEnd: boolean;
  attributes: ReadonlyMap<string, string>;
  start: number;
  end: number;
};

/** The start tags in order, with the attributes of each; character references in values are decoded. Comments are left out. */
export const readStartTags = (source: string): SourceTag[] => readTags(source).filter(({ isEnd }) => !isEnd);

/** The start and end tags in order. */
export function readTags(source: string): SourceTag[] {
  const tags: SourceTag[] = [];
  const add = (isEnd: boolean, { tagName: name, attrs, location }: TagToken) =>
    tags.push({
      name,
      isEnd,
      attributes: new Map(attrs.map(({ name, value }) => [name, value])),
      start: location!.startOffset,
      end: location!.endOffset,
    });
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      ...ignoreAll,
      onStartTag(token) {
        add(false, token);
        tokenizer.state = contentMode(token.tagName) ?? tokenizer.state;
      },
      onEndTag: (token) => add(true, token),
    },
  );
  tokenizer.write(source, true);
  return tags;
}

/** Elements that show something without any text. */
const shown = new Set([
  'img',
  'picture',
  'svg',
  'v:fill',
  'v:image',
  'video',
  'audio',
  'object',
  'embed',
  'iframe',
  'canvas',
  'input',
]);
/** Elements that do not end a line. */
const withinLines = new Set([
  'a',
  'abbr',
  'b',
  'big',
  'code',
  'em',
  'font',
  'i',
  'mark',
  's',
  'small',
  'span',
  'strong',
  'strike',
  'sub',
  'sup',
  'u',
]);

/**
 * The lines of text that a reader sees, and whether there is anything else to see, such as a picture. What is hidden by its own
 * style is left out, such as a preview text.
 * @param withHidden leaves nothing out: mail programs show a preview text in the list of messages
 * @param leftOut elements of this class are left out too
 */
export function readVisible(source: string, withHidden = false, leftOut = ''): { texts: string[]; shows: boolean } {
  const texts: string[] = [];
  let line = '';
  let shows = false;
  let unread: string | null = null;
  // A hidden element, and how many of its name are open in it.
  let hidden: { name: string; depth: number; at: number } | null = null;
  const endLine = () => {
    texts.push(line);
    line = '';
  };
  const add = ({ chars }: { chars: string }) => {
    if (unread === null) line += chars;
  };
  const tokenizer = new Tokenizer(
    {},
    {
      ...ignoreAll,
      onCharacter: add,
      onWhitespaceCharacter: add,
      onStartTag({ tagName: name, attrs }) {
        if (!withinLines.has(name)) endLine();
        const style = attrs.find((attribute) => attribute.name === 'style')?.value ?? '';
        const isLeftOut = leftOut !== '' && hasClass(attrs, leftOut);
        if (hidden?.name === name) hidden.depth++;
        else if (!hidden && (isLeftOut || (!withHidden && /display\s*:\s*none/i.test(style)))) {
          endLine();
          hidden = { name, depth: 1, at: texts.length };
        }
        const isPicture =
          (shown.has(name) && !isLogo(attrs)) || attrs.some((attribute) => attribute.name === 'background');
        if (!hidden && (isPicture || /background[\w-]*\s*:[^;]*url\(/i.test(style))) shows = true;
        const mode = contentMode(name);
        if (mode === undefined) return;
        tokenizer.state = mode;
        if (name !== 'plaintext' && name !== 'textarea' && name !== 'xmp') unread = name;
      },
      onEndTag({ tagName: name }) {
        if (!withinLines.has(name)) endLine();
        if (unread === name) unread = null;
        if (hidden?.name !== name || --hidden.depth > 0) return;
        endLine();
        texts.length = hidden.at;
        hidden = null;
      },
    },
  );
  tokenizer.write(source, true);
  endLine();
  return { texts: texts.filter((text) => text.trim() !== ''), shows };
}

type Attributes = readonly { name: string; value: string }[];

/** The logo stands for the name of the list (starter/surface.ts). */
const isLogo = (attributes: Attributes): boolean =>
  attributes.some(({ name, value }) => name === 'alt' && value === '*|LIST:NAME|*');

const hasClass = (attributes: Attributes, wanted: string): boolean =>
  attributes.some(({ name, value }) => name === 'class' && value.split(/\s+/).includes(wanted));

/** How the content of an element is read, where it is no ordinary text. */
function contentMode(name: string): (typeof TokenizerMode)[keyof typeof TokenizerMode] | undefined {
  if (name === 'script') return TokenizerMode.SCRIPT_DATA;
  if (rawTextElements.has(name)) return TokenizerMode.RAWTEXT;
  if (name === 'plaintext') return TokenizerMode.PLAINTEXT;
  if (escapableElements.has(name)) return TokenizerMode.RCDATA;
  return undefined;
}

const ignoreAll = {
  onComment() {},
  onDoctype() {},
  onStartTag() {},
  onEndTag() {},
  onEof() {},
  onCharacter() {},
  onNullCharacter() {},
  onWhitespaceCharacter() {},
};

/** Returns where an unclosed construct at the end of the source begins, or the source's length. */
function scanInto(scan: Scan, source: string, base: number, outermost: boolean): number {
  let rawSince: { zone: 'raw' | 'inert'; name: string; start: number; at: number } | null = null;
  let anchorSince = -1;
  let htmlEnd = -1;
  let bodyOpen = false;
  let lastEnd = 0;

  const closeRaw = (end: number) => {
    if (rawSince && end > rawSince.start) {
      const { zone, name: inside, start } = rawSince;
      scan.zones.push({ zone, start: base + start, end: base + end, inside });
    }
    rawSince = null;
  };

  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      ...ignoreAll,
      onCharacter(token) {
        lastEnd = token.location!.endOffset;
      },
      onWhitespaceCharacter(token) {
        lastEnd = token.location!.endOffset;
      },
      onNullCharacter(token) {
        lastEnd = token.location!.endOffset;
      },
      onDoctype(token) {
        lastEnd = token.location!.endOffset;
        scan.zones.push({ zone: 'raw', start: base + token.location!.startOffset, end: base + lastEnd });
        if (outermost && !bodyOpen) scan.bodyStart = lastEnd;
      },
      onComment(token) {
        const { startOffset, endOffset } = token.location!;
        // A comment that is cut off by the end of the source hides whatever is inserted after it.
        const closed = isClosed(source.slice(startOffset, endOffset));
        if (closed) lastEnd = endOffset;
        // Conditional comments cannot be nested: the first --> ends both.
        const inner = closed && outermost ? conditional(source.slice(startOffset, endOffset)) : null;
        const innerStart = startOffset + (inner?.start ?? 0);
        const innerEnd = startOffset + (inner?.end ?? 0);
        scan.zones.push({ zone: 'inert', start: base + startOffset, end: base + (inner ? innerStart : endOffset) });
        if (!inner) return;
        scanInto(scan, source.slice(innerStart, innerEnd), base + innerStart, false);
        scan.zones.push({ zone: 'inert', start: base + innerEnd, end: base + endOffset });
      },
      onStartTag(token) {
        const { startOffset, endOffset } = token.location!;
        lastEnd = endOffset;
        const name = token.tagName;
        pushTag(scan, source, base, token);
        if (name === 'a') {
          if (anchorSince >= 0) scan.anchors.push({ start: base + anchorSince, end: base + startOffset });
          anchorSince = endOffset;
        }
        if (outermost && !bodyOpen && (name === 'body' || name === 'html')) {
          scan.bodyStart = endOffset;
          bodyOpen = name === 'body';
        }
        const mode = contentMode(name);
        if (mode === undefined) return;
        tokenizer.state = mode;
        rawSince = { zone: escapableElements.has(name) ? 'inert' : 'raw', name, start: endOffset, at: startOffset };
      },
      onEndTag(token) {
        const { startOffset, endOffset } = token.location!;
        lastEnd = endOffset;
        closeRaw(startOffset);
        scan.zones.push({ zone: 'raw', start: base + startOffset, end: base + endOffset });
        if (token.tagName === 'a' && anchorSince >= 0) {
          scan.anchors.push({ start: base + anchorSince, end: base + startOffset });
          anchorSince = -1;
        }
        if (!outermost) return;
        if (token.tagName === 'head' && !bodyOpen) scan.bodyStart = endOffset;
        if (token.tagName === 'body') scan.bodyEnd = startOffset;
        if (token.tagName === 'html') htmlEnd = startOffset;
      },
    },
  );
  tokenizer.write(source, true);
  if (anchorSince >= 0) scan.anchors.push({ start: base + anchorSince, end: base + source.length });
  const open = rawSince as { at: number } | null;
  closeRaw(source.length);
  if (outermost && scan.bodyEnd < 0) scan.bodyEnd = htmlEnd;
  // After the last token there may be the start of a tag that never ends.
  if (lastEnd < source.length && !open) {
    scan.zones.push({ zone: 'raw', start: base + lastEnd, end: base + source.length });
  }
  return open?.at ?? lastEnd;
}

function isClosed(comment: string): boolean {
  if (!comment.startsWith('<!--')) return comment.endsWith('>');
  return comment.endsWith('-->') || (comment.endsWith('--!>') && comment.length >= '<!----!>'.length);
}

/** The content of `<!--[if …]>…<![endif]-->`. */
function conditional(comment: string): { start: number; end: number } | null {
  if (!/^<!--\s*\[if\b/i.test(comment)) return null;
  const start = comment.indexOf(']>') + 2;
  const end = comment.lastIndexOf('<![endif]');
  return start >= 2 && end >= start ? { start, end } : null;
}

function pushTag(scan: Scan, source: string, base: number, token: TagToken): void {
  const { startOffset, endOffset, attrs } = token.location!;
  scan.zones.push({ zone: 'raw', start: base + startOffset, end: base + endOffset, tag: token.tagName });
  for (const attribute of token.attrs) {
    const location = attrs?.[attribute.name];
    if (!location) continue;
    let at = location.startOffset + attribute.name.length;
    while (at < location.endOffset && htmlSpace.test(source[at]!)) at++;
    if (source[at] !== '=') continue;
    at++;
    while (at < location.endOffset && htmlSpace.test(source[at]!)) at++;
    const quoted = source[at] === '"' || source[at] === "'";
    scan.zones.push({
      zone: 'attribute',
      start: base + (quoted ? at + 1 : at),
      end: base + (quoted ? location.endOffset - 1 : location.endOffset),
      element: token.tagName,
      name: attribute.name,
      quoted,
      value: attribute.value,
    });
  }
}

const htmlSpace = /[\t\n\f\r ]/;

/** Whether the value of the attribute is a URL. */
export function isUrlAttribute(name: string): boolean {
  return urlAttributes.has(name);
}

const urlAttributes = new Set([
  'action',
  'href',
  'src',
  'srcset',
  'background',
  'cite',
  'data',
  'formaction',
  'longdesc',
  'lowsrc',
  'dynsrc',
  'poster',
  'ping',
  'usemap',
  'codebase',
  'classid',
  'archive',
  'manifest',
  'profile',
  'xlink:href',
  'o:href',
]);

/** Finds the zone at an offset: an attribute rather than its tag. Offsets must be passed in ascending order. */
export class ZoneFinder {
  readonly #zones: Zone[];
  #next = 0;
  #tag: Zone | null = null;
  #inner: Zone | null = null;

  constructor(zones: readonly Zone[]) {
    this.#zones = [...zones].sort((a, b) => a.start - b.start || b.end - a.end);
  }

  at(offset: number): Zone | null {
    while (this.#next < this.#zones.length && this.#zones[this.#next]!.start <= offset) {
      const zone = this.#zones[this.#next++]!;
      if (zone.zone === 'attribute') this.#inner = zone;
      else this.#tag = zone;
    }
    if (this.#inner && offset < this.#inner.end) return this.#inner;
    return this.#tag && offset < this.#tag.end ? this.#tag : null;
  }

  /** Where the next zone after this offset begins. */
  nextStart(offset: number): number {
    this.at(offset);
    return this.#zones[this.#next]?.start ?? Number.POSITIVE_INFINITY;
  }
}
