// What the visual editor does with one element of the page: its kind, its text, its image. No screen parts.
import type { Component } from 'grapesjs';
import type { ChosenPicture } from '../pictures/picture-dialog.tsx';
import { isText } from './grapes-editor.ts';

type Kind = 'piece.text' | 'piece.link' | 'piece.picture' | 'piece.table' | 'piece.row' | 'piece.cell' | 'piece.other';

export function kindOf(component: Component): Kind {
  const tag = component.tagName?.toLowerCase() ?? '';
  if (tag === 'a') return 'piece.link';
  if (tag === 'img') return 'piece.picture';
  if (isText(component)) return 'piece.text';
  if (tag === 'table' || tag === 'tbody') return 'piece.table';
  if (tag === 'tr') return 'piece.row';
  return tag === 'td' ? 'piece.cell' : 'piece.other';
}

/** The maximum width of an image, in pixels; smaller images keep their size. */
export const maxPicture = 600;

export function showPicture(place: Component, { url, alt, width }: ChosenPicture, maxWidth: number) {
  const shown = Math.min(width, maxWidth);
  place.set('src', url);
  place.addAttributes({ src: url, alt, width: String(shown) });
  place.addStyle({ 'max-width': `${shown}px` });
}

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
