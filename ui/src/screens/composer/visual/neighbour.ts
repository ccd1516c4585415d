// Gives a new row the background, side padding, alignment and text colour of the row beside it, so that a card of several rows stays
// whole. Where the card ends with round corners, they move to the new row.
import type { Component, ComponentDefinition } from 'grapesjs';
import { contrast, isColour, readable, textOn } from '../../../../../src/campaigns/model/colour.ts';
import { cellOfColumns, columnSide } from './columns.ts';
import { paddingOf, styleOf } from './element.ts';

type Style = Record<string, string>;

export function besideRow(row: ComponentDefinition, neighbour: Component, after: boolean): ComponentDefinition {
  const cells = cellsOf(neighbour);
  const [beside] = cells;
  const [cell] = row.components as ComponentDefinition[];
  if (!beside || !cell) return row;
  const ground = groundOf(beside);
  const align = ground && styleOf(beside)['text-align'];
  const isPlain = (cell.style as Style)['font-size'] === undefined;
  const text = ground ? textOnGround(neighbour, ground) : undefined;
  const style = {
    ...(cell.style as Style),
    ...sidesBeside(cell, neighbour, beside, ground !== undefined),
    ...(align && cell.type === 'text' && !(cell.style as Style)['text-align'] && { 'text-align': align }),
    ...(ground && { 'background-color': ground, ...takeCorners(beside, after) }),
  };
  const attributes = {
    ...cell.attributes,
    ...(cells.length > 1 && { colspan: String(cells.length) }),
    ...(ground && beside.getAttributes()['bgcolor'] && { bgcolor: ground }),
    // By it a button is placed.
    ...(align && isPlain && cell.type !== 'text' && { align }),
  };
  // The classes of a ground change it in dark mode, and then the text needs its own.
  const classes = text ? beside.getClasses() : [];
  const own = { ...cell, ...(classes.length > 0 && { classes }), attributes, style };
  return { ...row, components: [ground ? colouredOn(own, ground, text, true) : own] };
}

const cellsOf = (row: Component): Component[] =>
  (row.components().models as Component[]).filter(({ tagName }) => tagName?.toLowerCase() === 'td');

const groundOf = (cell: Component | undefined): string | undefined =>
  (cell && styleOf(cell)['background-color']) || undefined;

/** What is meant to have no space at its sides, such as an image, gets it on a ground only. */
function sidesBeside(cell: ComponentDefinition, neighbour: Component, beside: Component, hasGround: boolean): Style {
  const style = cell.style as Style;
  const { left, right } = paddingOf(beside);
  if (style['height'] || (left === 0 && right === 0) || (!hasGround && !style['padding-left'])) return {};
  const inside = (cellOfColumns(neighbour) ? columnSide : 0) - (style['font-size'] === '0' ? columnSide : 0);
  return { 'padding-left': `${Math.max(0, left + inside)}px`, 'padding-right': `${Math.max(0, right + inside)}px` };
}

type TextLook = { colour: string | undefined; classes: string[] };

/** The colour of a paragraph on the same ground. */
function textOnGround(neighbour: Component, ground: string): TextLook | undefined {
  const rows = [neighbour, ...((neighbour.parent()?.components().models ?? []) as Component[])];
  const paragraph = rows.filter((row) => groundOf(cellsOf(row)[0]) === ground).flatMap((row) => row.find('p'))[0];
  return paragraph && { colour: styleOf(paragraph)['color'], classes: paragraph.getClasses() };
}

/** The texts of the row in a colour that reads on the ground, and a button that is seen on it. */
function colouredOn(part: ComponentDefinition, ground: string, text: TextLook | undefined, outermost = false) {
  const { style, components } = part as { style?: Style; components?: unknown };
  const hides = !outermost && style?.['background-color']?.toLowerCase() === ground.toLowerCase();
  const isInButton = !outermost && style?.['background-color'] !== undefined;
  const next: ComponentDefinition = { ...part };
  if (style?.['color'] && part.type === 'text') {
    next.style = { ...style, color: text?.colour ?? readableColour(style['color'], ground) };
    const classes = [...((part.classes ?? []) as string[]), ...(text?.classes ?? [])];
    if (classes.length > 0) next.classes = [...new Set(classes)];
  }
  if (hides && isColour(ground)) next.style = { ...style, 'background-color': textOn(ground) };
  if (Array.isArray(components))
    next.components = (components as ComponentDefinition[]).map((inner) =>
      isInButton
        ? { ...inner, ...(hides && { style: { ...(inner.style as Style), color: ground } }) }
        : colouredOn(inner, ground, text),
    );
  return next;
}

const readableColour = (colour: string, ground: string) =>
  isColour(ground) && isColour(colour) && contrast(colour, ground) < readable ? textOn(ground) : colour;

/** The round corners at the side of the neighbour where the new row goes. */
function takeCorners(beside: Component, after: boolean): Style {
  const radius = styleOf(beside)['border-radius'];
  if (!radius || radius.includes('/')) return {};
  const [first = '0', second = first, third = first, fourth = second] = radius.trim().split(/\s+/);
  const [ours, theirs] = after
    ? [`0 0 ${third} ${fourth}`, `${first} ${second} 0 0`]
    : [`${first} ${second} 0 0`, `0 0 ${third} ${fourth}`];
  if (/^[0px ]*$/.test(ours)) return {};
  beside.addStyle({ 'border-radius': theirs });
  return { 'border-radius': ours };
}
