// A template tag for HTML that escapes every value. Base: pages and the pieces of HTML that methods answer with use it.

/** Text that is HTML already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** HTML from a template; every value that is not Html itself is escaped. */
export function html(strings: TemplateStringsArray, ...values: Piece[]): Html {
  return new Html(withBdi(strings.map((text, i) => text + show(values[i])).join('')));
}

/** Isolated text (U+2068 to U+2069) in <bdi>, but for attributes and elements that hold text only. The HTML must be ours. */
export const withBdi = (html: string): string =>
  html.includes('\u2068')
    ? html.replace(
        /<(?:title|option|textarea|style|script)\b[^>]*>[^<]*|<[^>]*>|\u2068([^\u2066-\u2069<>]*)\u2069/g,
        (piece, inner?: string) => (inner === undefined ? piece : `<bdi>${inner}</bdi>`),
      )
    : html;

/** Called for each value of each message: a replacement by a function would take twice as long. */
export function escapeHtml(text: string): string {
  let escaped = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const reference = references[text.charCodeAt(at)];
    if (reference === undefined) continue;
    escaped += text.slice(from, at) + reference;
    from = at + 1;
  }
  return from === 0 ? text : escaped + text.slice(from);
}

/** By code: & < > " ' */
const references: readonly (string | undefined)[] = Array.from(
  { length: 128 },
  (_, code) => ({ 38: '&amp;', 60: '&lt;', 62: '&gt;', 34: '&quot;', 39: '&#39;' })[code],
);

const show = (piece: Piece): string => {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(show).join('');
  return escapeHtml(String(piece));
};
