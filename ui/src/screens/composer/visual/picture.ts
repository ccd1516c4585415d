// Images of the page in the visual editor: their file, link and width.
import type { Component } from 'grapesjs';
import type { ChosenPicture } from '../pictures/picture-dialog.tsx';
import { columnOf, columnWidth } from './columns.ts';
import { around, paddingOf, styleOf } from './element.ts';

/** The link around an image that is alone in it. */
export function linkOf(picture: Component): Component | undefined {
  const parent = picture.parent();
  return parent?.tagName?.toLowerCase() === 'a' && parent.components().length === 1 ? parent : undefined;
}

/** Gives an image a link; an empty one removes it. */
export function setLinkOf(picture: Component, href: string): void {
  const link = linkOf(picture);
  const parent = picture.parent();
  if (link && href !== '') link.addAttributes({ href });
  else if (link) {
    picture.move(link.parent()!, { at: link.index() });
    link.remove();
  } else if (parent && href !== '') {
    const [added] = parent.append({ type: 'link', attributes: { href }, components: [] }, { at: picture.index() });
    picture.move(added!, { at: 0 });
  }
}

/** Shows an image in this width, in pixels; on a narrow screen in that of the screen. */
export function setWidth(picture: Component, width: number): void {
  picture.addAttributes({ width: String(width) });
  picture.addStyle({ width: '100%', 'max-width': `${width}px`, height: 'auto' });
}

/** The width that an image is shown in. */
export const shownWidth = (picture: Component): number =>
  Number.parseInt(String(picture.getAttributes()['width'] ?? ''), 10) || roomFor(picture);

/** The width that an image may have where it is: that of the column or the email, without the space at its sides. Outlook would widen both. */
export function roomFor(picture: Component): number {
  const column = columnOf(picture);
  const cell = around(picture, 'td');
  const padding = cell ? paddingOf(cell) : { left: 0, right: 0 };
  const room = column ? columnWidth(column, emailWidth(column)) : emailWidth(picture);
  return Math.max(16, room - padding.left - padding.right);
}

/** The width of the email around an element, in pixels. */
function emailWidth(element: Component): number {
  for (let at = around(element, 'table'); at; at = around(at, 'table')) {
    const width = /^(\d+)px$/.exec(styleOf(at)['max-width'] ?? '')?.[1];
    if (width) return Number(width);
  }
  return 600;
}

export function showPicture(place: Component, { url, alt, width }: ChosenPicture) {
  const shown = Math.min(width, roomFor(place));
  place.set('src', url);
  place.addAttributes({ src: url, alt, width: String(shown) });
  place.addStyle({ 'max-width': `${shown}px` });
}

/** Makes images narrower that have no room any more: Outlook would widen the email. */
export function fitPictures(block: Component): void {
  for (const picture of block.find('img') as Component[])
    if (Number(picture.getAttributes()['width']) > roomFor(picture)) setWidth(picture, roomFor(picture));
}
