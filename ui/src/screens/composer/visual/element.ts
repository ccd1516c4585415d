// What the visual editor does with one element of the page: its kind, its text, its place. No screen parts.
import type { Component } from 'grapesjs';

type Kind =
  | 'piece.heading'
  | 'piece.text'
  | 'piece.link'
  | 'piece.button'
  | 'piece.picture'
  | 'piece.table'
  | 'piece.row'
  | 'piece.cell'
  | 'piece.column'
  | 'piece.columns'
  | 'piece.other';

export function kindOf(component: Component): Kind {
  const tag = component.tagName?.toLowerCase() ?? '';
  if (isButton(component)) return 'piece.button';
  if (tag === 'a') return 'piece.link';
  if (tag === 'img') return 'piece.picture';
  if (isText(component)) return isHeading(component) ? 'piece.heading' : 'piece.text';
  if (tag === 'table' || tag === 'tbody') return 'piece.table';
  if (component.components().models.some(isColumn)) return 'piece.columns';
  if (tag === 'tr') return 'piece.row';
  if (isColumn(component)) return 'piece.column';
  return tag === 'td' ? 'piece.cell' : 'piece.other';
}

/** An email has no headings of its own: they are texts with large letters. */
const isHeading = (text: Component) => Number.parseInt(styleOf(text)['font-size'] ?? '', 10) >= 20;

export const isPicture = (component: Component) => component.tagName?.toLowerCase() === 'img';

export const isText = (component: Component) => component.get('type') === 'text' || component.isInstanceOf('text');

export const styleOf = (element: Component) => element.getStyle() as Record<string, string>;

/** A column of a block (columns.ts). */
export const isColumn = (element: Component): boolean =>
  element.tagName?.toLowerCase() === 'div' &&
  styleOf(element)['display'] === 'inline-block' &&
  styleOf(element)['min-width']?.endsWith('%') === true;

/** A link that looks like a button: alone in a cell, and with space around its words. */
export function isButton(link: Component): boolean {
  const cell = link.parent();
  return (
    link.tagName?.toLowerCase() === 'a' &&
    cell?.tagName?.toLowerCase() === 'td' &&
    cell.components().length === 1 &&
    Object.keys(styleOf(link)).some((name) => name.startsWith('padding'))
  );
}

/** The nearest element around it with this tag. */
export function around(element: Component, tag: string): Component | undefined {
  for (let at = element.parent(); at; at = at.parent()) if (at.tagName?.toLowerCase() === tag) return at;
  return undefined;
}

export const sides = ['top', 'right', 'bottom', 'left'] as const;
export type Side = (typeof sides)[number];

/** The padding of an element in pixels, also where one declaration has all sides. */
export function paddingOf(element: Component): Record<Side, number> {
  const found = { top: 0, right: 0, bottom: 0, left: 0 };
  for (const [name, value] of Object.entries(styleOf(element))) {
    if (name === 'padding') {
      const [top = '0', right = top, bottom = top, left = right] = value.trim().split(/\s+/);
      for (const [at, size] of [top, right, bottom, left].entries()) found[sides[at]!] = Number.parseInt(size, 10) || 0;
    }
    const side = sides.find((side) => name === `padding-${side}`);
    if (side) found[side] = Number.parseInt(value, 10) || 0;
  }
  return found;
}

/** Sets sides of the padding; they become one declaration. */
export function setPadding(element: Component, changes: Partial<Record<Side, number>>): void {
  const padding = { ...paddingOf(element), ...changes };
  const others = Object.entries(styleOf(element)).filter(([name]) => !/^padding(-|$)/.test(name));
  const value = sides.map((side) => `${padding[side]}px`).join(' ');
  element.setStyle({ ...Object.fromEntries(others), padding: value });
}

/**
 * Sets sides of the padding of a button. Outlook ignores the padding of links: it takes that of the cell, under a name that the others
 * do not know.
 */
export function setButtonPadding(link: Component, changes: Partial<Record<Side, number>>): void {
  setPadding(link, changes);
  around(link, 'td')?.addStyle({ 'mso-padding-alt': styleOf(link)['padding']! });
}

export type Align = 'left' | 'center' | 'right';

/** How the words of an element are aligned, also when it is an element around it that says so. */
export function alignOf(element: Component): Align {
  const own = styleOf(element)['text-align'] ?? element.getAttributes()['align'];
  const shown = element.getEl();
  const style = shown?.ownerDocument.defaultView?.getComputedStyle(shown);
  const value = String(own ?? style?.textAlign).replace('-webkit-', '');
  const isEnd = (value === 'end') !== (style?.direction === 'rtl');
  if (value === 'start' || value === 'end') return isEnd ? 'right' : 'left';
  return value === 'center' || value === 'right' ? value : 'left';
}

/** How a button or an image is placed: by its cell, which Outlook heeds. */
export const placeOf = (element: Component): Align => {
  const value = String(around(element, 'td')?.getAttributes()['align'] ?? 'left');
  return value === 'center' || value === 'right' ? value : 'left';
};

/** Places an image or a table in its cell. Margins are for clients in which the cell moves only text. */
export function place(element: Component, align: Align): void {
  around(element, 'td')?.addAttributes({ align });
  element.addStyle({
    'margin-left': align === 'left' ? '0' : 'auto',
    'margin-right': align === 'right' ? '0' : 'auto',
  });
}

/** Its words with their merge tags, which the frame shows the values of. */
export const textOf = (selected: Component) =>
  new DOMParser().parseFromString(selected.getInnerHTML(), 'text/html').body.textContent ?? '';

export function setText(selected: Component, words: string) {
  selected.components([
    {
      type: 'textnode',
      content: words.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!),
    },
  ]);
}
