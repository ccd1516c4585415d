// What the drawing of a starter template is given: surfaces in the look of the account, words in its language, pictures.
import type { Look } from './look.ts';
import { type Art, type Ground, type Manner, type Row, Surface } from './surface.ts';

export type Design = (draw: Draw) => { rows: readonly Row[]; width?: number };
export type Draw = ReturnType<typeof drawing>;

/**
 * @param w the words of the template, by name
 * @param art the drawings, by name
 */
export const drawing = (look: Look, w: (name: string) => string, art: (name: string) => Art) => ({
  w,
  art,
  on: (ground: Ground, manner?: Manner) => new Surface(look, ground, manner),
  brandColour: look.grounds.brand,
  /** Numbered words: name1, name2 and so on. */
  all: (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => w(`${name}${i + 1}`)),
});

/** Where buttons lead until their links are set: to the website of the list. */
export const site = '*|LIST:URL|*';
