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
  return new Html(strings.map((text, i) => text + show(values[i])).join(''));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => escapes[sign]!);
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const show = (piece: Piece): string => {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(show).join('');
  return escapeHtml(String(piece));
};
