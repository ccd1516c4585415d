// The parts that starter templates are made of: rows of the one table, each a block of the visual editor, as it makes them itself
// (ui/src/screens/composer/visual/blocks.ts, columns.ts). A surface is a ground with the colours of the text on it. Pure.
import { escapeHtml } from '../../base/html.ts';
import type { Look } from './look.ts';

export type Ground = keyof Look['grounds'];

/** A row: a cell with its padding, in pixels, around what is in one block. */
export type Row = {
  ground: Ground;
  pad: readonly [top: number, right: number, bottom: number, left: number];
  align: Align;
  inner: string;
  columns?: true;
};
type Align = 'left' | 'center';

/** `left` and `right` are added to the sides, on wide screens. */
export type Spacing = { top?: number; side?: number; bottom?: number; left?: number; right?: number; align?: Align };
type Size = { size?: number; serif?: boolean; tight?: boolean };
export type Art = { src: string; width: number; height: number; alt: string };

/** `small`: no wider on a phone, where others have the width of the screen. */
type PictureOptions = { ground?: string; width?: number; radius?: number; small?: boolean };

/** How a design differs from others: its headlines, the corners of its buttons, where its words begin. */
export type Manner = { serif?: boolean; radius?: number; align?: Align; side?: number; left?: number; right?: number };

const tableAttributes = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

export class Surface {
  readonly look: Look;
  readonly ground: Ground;
  readonly manner: Required<Manner>;
  private readonly isLight: boolean;

  constructor(look: Look, ground: Ground, manner: Manner = {}) {
    this.look = look;
    this.ground = ground;
    this.manner = { serif: false, radius: 8, align: 'left', side: 48, left: 0, right: 0, ...manner };
    this.isLight = ground === 'sheet' || ground === 'tint';
  }

  h1(words: string, { size = 40, serif = this.manner.serif, ...at }: Spacing & Size = {}): Row {
    const line = Math.round(size * 1.15);
    return this.row(this.heading('h1', words, size, line, serif), { bottom: 16, ...at });
  }

  h2(words: string, { size = 24, serif = this.manner.serif, ...at }: Spacing & Size = {}): Row {
    return this.row(this.heading('h2', words, size, Math.round(size * 1.3), serif), { bottom: 8, ...at });
  }

  h3(words: string, at: Spacing = {}): Row {
    return this.row(this.heading('h3', words, 17, 24, false), { bottom: 4, ...at });
  }

  /** A few letters or digits, as large as a picture. */
  display(words: string, { size = 96, ...at }: Spacing & Size = {}): Row {
    const style = `margin:0;${this.type(size, Math.round(size * 1.05), this.inkOf('ink'), this.manner.serif)};font-weight:bold;letter-spacing:${size > 60 ? -3 : -1}px`;
    return this.row(`<p class="${this.classOf('ink')}${size > 60 ? ' display' : ''}" style="${style}">${words}</p>`, {
      bottom: 8,
      ...at,
    });
  }

  p(words: string | readonly string[], { size = 16, serif = false, ...at }: Spacing & Size = {}): Row {
    const all = typeof words === 'string' ? [words] : words;
    const inner = all.map((text, i) =>
      this.paragraph(text, size, i === all.length - 1 ? 0 : Math.round(size * 1.1), serif),
    );
    return this.row(inner.join('\n'), { bottom: 24, ...at });
  }

  small(words: string, at: Spacing = {}): Row {
    const style = `margin:0;${this.type(13, 20, this.inkOf('soft'))}`;
    return this.row(`<p class="${this.classOf('soft')}" style="${style}">${words}</p>`, { bottom: 24, ...at });
  }

  /** The line above a headline. */
  eyebrow(words: string, at: Spacing = {}): Row {
    const style = `margin:0;${this.type(13, 18, this.isLight ? this.look.link : this.inkOf('ink'))};font-weight:bold;letter-spacing:1px;text-transform:uppercase`;
    return this.row(`<p class="${this.isLight ? 'link' : 'on'}" style="${style}">${words}</p>`, { bottom: 12, ...at });
  }

  quote(words: string, at: Spacing = {}): Row {
    const style = `padding:4px 0 4px 24px;border-left:4px solid ${this.isLight ? this.look.grounds.brand : this.inkOf('ink')};${this.type(23, 33, this.inkOf('ink'), true)};font-style:italic`;
    return this.row(this.table(`<td class="${this.classOf('ink')}" style="${style}">${words}</td>`), {
      top: 8,
      bottom: 32,
      ...at,
    });
  }

  link(words: string, href: string, at: Spacing = {}): Row {
    return this.row(`<p style="margin:0;${this.type(16, 24, this.linkInk)}">${this.anchor(words, href)}</p>`, {
      bottom: 24,
      ...at,
    });
  }

  button(
    words: string,
    href: string,
    { full = false, ghost = false, ...at }: Spacing & { full?: boolean; ghost?: boolean } = {},
  ): Row {
    return this.row(this.buttonTable(words, href, { full, ghost, align: at.align ?? this.manner.align }), {
      top: 8,
      bottom: 40,
      ...at,
    });
  }

  /** A picture over the full width, on the ground of the row. */
  hero(art: Art, href?: string): Row {
    return this.row(this.image(art, 600, 0, href), { side: 0, bottom: 0 });
  }

  /** A picture in the text, with rounded corners on a colour of its own. */
  picture(
    art: Art,
    { ground = this.look.pale, width = 504, radius = 12, small = false, ...at }: Spacing & PictureOptions = {},
  ): Row {
    const cell = `<td${ground === this.look.pale ? ' class="pale"' : ''} bgcolor="${ground}" style="background-color:${ground};border-radius:${radius}px">${this.image(art, width, radius, '', !small)}</td>`;
    const table = small
      ? `<table ${tableAttributes} width="${width}" align="${at.align ?? this.manner.align}" style="width:${width}px">\n<tr>\n${cell}\n</tr>\n</table>`
      : this.table(cell);
    return this.row(table, { bottom: 24, ...at });
  }

  portrait(art: Art, { width = 72, ...at }: Spacing & { width?: number } = {}): Row {
    const centre = (at.align ?? this.manner.align) === 'center' ? ';margin:0 auto' : '';
    const style = `display:block;width:${width}px;max-width:100%;height:auto;border:0;border-radius:50%;background-color:${this.look.pale}${centre}`;
    return this.row(
      `<img class="pale" src="${art.src}" alt="${escapeHtml(art.alt)}" width="${width}" style="${style}">`,
      { bottom: 12, ...at },
    );
  }

  line(at: Spacing = {}): Row {
    const colour = this.isLight ? this.look.line : this.inkOf('ink');
    const cell = `<td class="${this.isLight ? 'line' : 'on'}" style="border-top:1px solid ${colour};font-size:1px;line-height:1px">&nbsp;</td>`;
    return this.row(this.table(cell), { top: 8, bottom: 32, ...at });
  }

  space(height: number): Row {
    return {
      ...this.row('&nbsp;', { bottom: 0 }),
      inner: `<div style="font-size:1px;line-height:${height}px">&nbsp;</div>`,
    };
  }

  /** A code to copy. */
  code(words: string, at: Spacing = {}): Row {
    const ink = this.inkOf('ink');
    const centre = (at.align ?? this.manner.align) === 'center' ? ' align="center"' : '';
    const style = `padding:14px 28px;border:2px dashed ${this.isLight ? this.look.grounds.brand : ink};border-radius:8px;${this.type(22, 28, ink)};font-weight:bold;letter-spacing:2px`;
    const cell = `<td class="${this.classOf('ink')}" align="center" style="${style}">${words}</td>`;
    return this.row(`<table ${tableAttributes}${centre}>\n<tr>\n${cell}\n</tr>\n</table>`, { bottom: 24, ...at });
  }

  /** Pairs of a name and a value, with lines between; the last may be a sum. */
  pairs(
    rows: readonly (readonly [string, string])[],
    { sum = false, atRight = true, ...at }: Spacing & { sum?: boolean; atRight?: boolean } = {},
  ): Row {
    const cells = rows.map(([name, value], i) => {
      const last = sum && i === rows.length - 1;
      const border = i === rows.length - 1 ? '' : `border-bottom:1px solid ${this.look.line};`;
      const size = last ? this.type(20, 28, this.inkOf('ink')) : this.type(15, 22, this.inkOf('text'));
      const both = (inner: string, isName: boolean) =>
        `<td class="${this.classOf(last ? 'ink' : 'text')} line"${!isName && atRight ? ' align="right"' : ''} valign="top" style="padding:14px ${isName ? 16 : 0}px 14px 0;${border}${size}${last || isName !== atRight ? ';font-weight:bold' : ''}">${inner}</td>`;
      return both(name, true) + both(value, false);
    });
    return this.row(this.table(...cells), { bottom: 32, ...at });
  }

  /** A number, a time or a sign beside a headline and a text. */
  point(
    mark: string,
    title: string,
    text: string,
    at: Spacing & { href?: string; more?: string; width?: number } = {},
  ): Row {
    const { href, more, width = 56, ...spacing } = at;
    const colour = this.isLight ? this.look.link : this.inkOf('ink');
    const first = `<td class="${this.isLight ? 'link' : 'on'}" width="${width}" valign="top" style="width:${width}px;padding:0 12px 0 0;${this.type(width > 60 ? 16 : 30, width > 60 ? 26 : 32, colour, this.manner.serif)};font-weight:bold">${mark}</td>`;
    const body = [
      this.heading('h3', title, 18, 25, false, 6),
      text === '' ? '' : this.paragraph(text, 16, 0),
      href ? `<p style="margin:8px 0 0;${this.type(15, 22, this.linkInk)}">${this.anchor(more ?? '', href)}</p>` : '',
    ].filter(Boolean);
    return this.row(this.table(`${first}\n<td valign="top" style="padding:3px 0 0">\n${body.join('\n')}\n</td>`), {
      bottom: 28,
      ...spacing,
    });
  }

  /** An article of a cart: its picture, name, kind and price. */
  article(art: Art, name: string, kind: string, price: string, at: Spacing = {}): Row {
    const image = `<img class="pale" src="${art.src}" alt="${escapeHtml(art.alt)}" width="88" height="88" style="display:block;width:88px;height:88px;border:0;border-radius:10px;background-color:${this.look.pale}">`;
    const tile = `<td width="88" valign="top" style="width:88px">${image}</td>`;
    const words = `<td valign="top" style="padding:4px 12px 0 20px">\n${this.heading('h3', name, 17, 24, false, 2)}\n<p class="${this.classOf('soft')}" style="margin:0;${this.type(14, 21, this.inkOf('soft'))}">${kind}</p>\n</td>`;
    const sum =
      price === ''
        ? ''
        : `\n<td class="${this.classOf('ink')}" align="right" valign="top" style="padding:4px 0 0;${this.type(17, 24, this.inkOf('ink'))};font-weight:bold;white-space:nowrap">${price}</td>`;
    return this.row(this.table(`${tile}\n${words}${sum}`), { bottom: 20, ...at });
  }

  /** Segments of which the first are done. */
  progress(done: number, of: number, at: Spacing = {}): Row {
    const cells = Array.from({ length: of }, (_, i) => {
      const [name, colour] = i < done ? ['on', this.look.grounds.brand] : ['rest', this.look.line];
      const gap = i === 0 ? '' : `<td width="8" style="width:8px;font-size:1px;line-height:4px">&nbsp;</td>\n`;
      return `${gap}<td class="${name}" bgcolor="${colour}" style="background-color:${colour};border-radius:3px;font-size:1px;line-height:6px">&nbsp;</td>`;
    });
    return this.row(this.table(cells.join('\n')), { bottom: 32, ...at });
  }

  /** Answers from the worst to the best, each a link. */
  scale(answers: readonly string[], href: string, at: Spacing = {}): Row {
    const cells = answers.map((answer, i) => {
      const gap = i === 0 ? '' : `<td width="8" style="width:8px;font-size:1px;line-height:1px">&nbsp;</td>\n`;
      const style = `display:block;padding:16px 0;${this.type(22, 28, this.look.link, this.manner.serif)};font-weight:bold;text-align:center;text-decoration:none`;
      return `${gap}<td class="tint" align="center" bgcolor="${this.look.grounds.tint}" style="background-color:${this.look.grounds.tint};border-radius:${this.manner.radius}px;mso-padding-alt:16px 0px"><a class="link" href="${href}" style="${style}">${answer}</a></td>`;
    });
    return this.row(this.table(cells.join('\n')), { bottom: 8, ...at });
  }

  /** The names of the segments of a progress; the last that is done stands out. */
  steps(names: readonly string[], done: number, at: Spacing = {}): Row {
    const cells = names.map((name, i) => {
      const kind = i === done - 1 ? 'ink' : 'soft';
      return `<td class="${this.classOf(kind)}" width="${Math.floor(100 / names.length)}%" valign="top" style="padding:0 4px 0 0;${this.type(12, 17, this.inkOf(kind))}${kind === 'ink' ? ';font-weight:bold' : ''}">${name}</td>`;
    });
    return this.row(this.table(cells.join('\n')), { bottom: 32, align: 'left', ...at });
  }

  /** The words at both ends of a scale. */
  ends(first: string, last: string, at: Spacing = {}): Row {
    const cell = (words: string, align: string) =>
      `<td class="${this.classOf('soft')}" align="${align}" style="${this.type(13, 20, this.inkOf('soft'))}">${words}</td>`;
    return this.row(this.table(`${cell(first, 'left')}\n${cell(last, 'right')}`), { bottom: 32, ...at });
  }

  /** Columns, as the visual editor writes them: beside each other where the email is wide, without a media query. */
  columns(
    shares: readonly number[],
    contents: readonly (readonly Row[])[],
    { stacks = true, ...at }: Spacing & { stacks?: boolean } = {},
  ): Row {
    const side = Math.max(0, (at.side ?? this.manner.side) - 8);
    const parts = contents.map((rows, i) => {
      const before = `${i === 0 ? `<table ${tableAttributes} width="100%"><tr>` : '</td>'}<td width="${shares[i]}%" valign="top">`;
      const width = stacks ? 'calc((480px - 100%) * 480)' : `${shares[i]}%`;
      const style = `display:inline-block;width:${width};min-width:${shares[i]}%;max-width:100%;vertical-align:top`;
      return `<!--[if mso]>${before}<![endif]--><div style="${style}">${this.table(...rows.map((row) => cellOf(row, { inColumn: true })))}</div>`;
    });
    const inner = `${parts.join('')}<!--[if mso]></td></tr></table><![endif]-->`;
    return { ...this.row(inner, { bottom: 24, ...at, side }), align: 'left', columns: true };
  }

  /** Rows of words for a column: what is around it has the sides. */
  get inColumn(): Surface {
    return new Surface(this.look, this.ground, { ...this.manner, side: 8 });
  }

  /** The same, for words beside a picture on their left or right. */
  besides(side: 'left' | 'right'): Surface {
    return new Surface(this.look, this.ground, { ...this.manner, side: 8, [side]: 20 });
  }

  get centred(): Surface {
    return new Surface(this.look, this.ground, { ...this.manner, align: 'center' });
  }

  row(
    inner: string,
    {
      top = 0,
      side = this.manner.side,
      bottom = 0,
      left = this.manner.left,
      right = this.manner.right,
      align = this.manner.align,
    }: Spacing,
  ): Row {
    return { ground: this.ground, pad: [top, side + right, bottom, side + left], align, inner };
  }

  /** The name of the list in letters, or the logo. */
  name(display: 'block' | 'inline-block', size = 19): string {
    const { logoUrl } = this.look.brand;
    if (logoUrl === '') return '*|LIST:NAME|*';
    const height = Math.round(size * 1.9);
    return `<img src="${escapeHtml(logoUrl)}" alt="*|LIST:NAME|*" height="${height}" style="display:${display};height:${height}px;max-width:220px;border:0">`;
  }

  type(size: number, line: number, colour: string, serif = false): string {
    return `font-family:${serif ? this.look.serif : this.look.font};font-size:${size}px;line-height:${line}px;color:${colour}`;
  }

  inkOf(kind: 'ink' | 'text' | 'soft'): string {
    if (this.isLight) return this.look[kind];
    return this.ground === 'brand' ? this.look.onBrand : this.look.onDeep;
  }

  /** On a brand colour nothing changes in dark mode. */
  classOf(kind: 'ink' | 'text' | 'soft'): string {
    return this.isLight ? kind : 'on';
  }

  private get linkInk(): string {
    return this.isLight ? this.look.link : this.inkOf('ink');
  }

  private anchor(words: string, href: string): string {
    return `<a class="${this.isLight ? 'link' : 'on'}" href="${href}" style="color:${this.linkInk};font-weight:bold">${words}</a>`;
  }

  private table(...rows: readonly string[]): string {
    return `<table ${tableAttributes} width="100%">\n${rows.map((cells) => `<tr>\n${cells}\n</tr>\n`).join('')}</table>`;
  }

  private heading(
    tag: 'h1' | 'h2' | 'h3',
    words: string,
    size: number,
    line: number,
    serif: boolean,
    below = 0,
  ): string {
    const spacing = size >= 30 ? `;letter-spacing:${serif ? '-0.3' : '-0.8'}px` : '';
    const weight = serif && size >= 30 ? 'normal' : 'bold';
    return `<${tag} class="${this.classOf('ink')} ${tag}" style="margin:0 0 ${below}px;${this.type(size, line, this.inkOf('ink'), serif)};font-weight:${weight}${spacing}">${words}</${tag}>`;
  }

  private paragraph(words: string, size: number, below: number, serif = false): string {
    return `<p class="${this.classOf('text')}" style="margin:0 0 ${below}px;${this.type(size, Math.round(size * 1.62), this.inkOf('text'), serif)}">${words}</p>`;
  }

  private image({ src, alt, width, height }: Art, shown: number, radius: number, href = '', grows = false): string {
    const style = `display:block;width:100%;max-width:${shown}px;height:auto;border:0${radius > 0 ? `;border-radius:${radius}px` : ''}`;
    const tag = `<img${grows ? ' class="wide"' : ''} src="${src}" alt="${escapeHtml(alt)}" width="${shown}" height="${Math.round((height / width) * shown)}" style="${style}">`;
    return href !== '' ? `<a href="${href}">${tag}</a>` : tag;
  }

  /** A link in a cell with the background: Outlook ignores the padding of links and takes that of the cell. */
  private buttonTable(
    words: string,
    href: string,
    { full, ghost, align }: { full: boolean; ghost: boolean; align: Align },
  ): string {
    const { look } = this;
    const [ground, ink] = this.isLight
      ? [look.grounds.brand, look.onBrand]
      : [this.inkOf('ink'), readable(look, this.ground)];
    const { radius } = this.manner;
    const edge = ghost
      ? `border:2px solid ${this.isLight ? look.link : this.inkOf('ink')}`
      : `background-color:${ground}`;
    const colour = ghost ? (this.isLight ? look.link : this.inkOf('ink')) : ink;
    const style = `display:${full ? 'block' : 'inline-block'};padding:${ghost ? 13 : 15}px 32px;${this.type(16, 20, colour)};font-weight:bold;text-align:center;text-decoration:none`;
    const name = ghost && this.isLight ? 'link' : 'on';
    const cell = `<td align="center"${ghost ? ` class="${this.isLight ? 'edge' : 'on'}"` : ` bgcolor="${ground}"`} style="${edge};border-radius:${radius}px;mso-padding-alt:${ghost ? 13 : 15}px 32px"><a class="${name}" href="${href}" style="${style}">${words}</a></td>`;
    return `<table ${tableAttributes}${full ? ' width="100%"' : ''}${align === 'center' && !full ? ' align="center"' : ''}>\n<tr>\n${cell}\n</tr>\n</table>`;
  }
}

/** The colour of words on a button that has the colour of the words around it. */
const readable = (look: Look, ground: Ground): string => (ground === 'brand' ? look.onLight : look.grounds.deep);

/** The cell of a row. */
export function cellOf(
  row: Row,
  { inColumn = false, radius = '' }: { inColumn?: boolean; radius?: string },
  look?: Look,
): string {
  const [top, right, bottom, left] = row.pad;
  const light = row.ground === 'sheet' || row.ground === 'tint' ? row.ground : '';
  const names = [
    inColumn ? '' : light,
    inColumn ? (right === left ? '' : 'beside') : left < 24 ? '' : row.columns ? 'cols' : 'pad',
    radius ? 'corner' : '',
  ].filter(Boolean);
  const colour = inColumn || !look ? '' : look.grounds[row.ground];
  const style = [
    `padding:${top}px ${right}px ${bottom}px${right === left ? '' : ` ${left}px`}`,
    colour && `background-color:${colour}`,
    radius && `border-radius:${radius}`,
    `text-align:${row.align}`,
    row.columns && 'font-size:0',
  ].filter(Boolean);
  return `<td${names.length ? ` class="${names.join(' ')}"` : ''}${row.align === 'center' ? ' align="center"' : ''}${colour ? ` bgcolor="${colour}"` : ''} style="${style.join(';')}">\n${row.inner}\n</td>`;
}
