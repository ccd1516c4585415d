// Blocks of the page in the visual editor: the rows of the main table, and the rows in a column. Adds, moves, copies and removes them.
import type { Component, ComponentDefinition, Editor } from 'grapesjs';
import { inTable } from './blocks.ts';
import { arrange, arrangementOf, bodyOf, cellOfColumns, columnOf, ratios } from './columns.ts';
import { around, isText, styleOf } from './element.ts';
import { endWriting } from './writing/cursor.ts';

/** Where a row goes: after this block, or before it; after the selected one if undefined. */
export type RowPlace = { block: Component; after: boolean } | undefined;

/**
 * Inserts a row there, else after the block of the selected element, else at the end of the page. Only what fits goes into a
 * column; other rows go after the block with the columns. `row` is given the column, or the place in the page. @returns the new row
 */
export async function addRow(
  editor: Editor,
  row: (column: Component | undefined, beside: RowPlace) => ComponentDefinition,
  at?: RowPlace,
  fitsColumn = false,
): Promise<Component> {
  await endWriting(editor);
  const selected = editor.getSelected();
  const place = at ?? (selected && placeAfter(editor, selected));
  const column = place && columnOf(place.block);
  const outer = column && !fitsColumn ? { block: blockOf(editor, column)!, after: true } : place;
  const parent = outer?.block.parent();
  const definition = fitsColumn && column ? row(column, undefined) : row(undefined, outer);
  const added =
    outer && parent
      ? parent.append(definition, { at: outer.block.index() + (outer.after ? 1 : 0) })
      : (mainBody(editor)?.append(definition) ?? editor.getWrapper()!.append(inTable(definition)));
  const [component] = added;
  editor.select(firstEditable(component!));
  // The frame gets its room first, which a sheet of blocks may have had.
  requestAnimationFrame(() =>
    editor.Canvas.scrollTo(component!, { behavior: 'smooth', block: 'nearest', force: true }),
  );
  return component!;
}

function placeAfter(editor: Editor, selected: Component): RowPlace {
  const block = blockOf(editor, selected);
  return block && { block, after: true };
}

/** A row from its HTML, which a browser reads only inside a table; other HTML gets a row around it. */
export function rowFrom(editor: Editor, html: string): ComponentDefinition {
  const row = /^\s*<tr\b/i.test(html) ? html : `<tr><td>${html}</td></tr>`;
  const { html: parsed } = editor.Parser.parseHtml(`<table><tbody>${row}</tbody></table>`);
  const [table] = [parsed].flat() as ComponentDefinition[];
  const [body] = table!.components as ComponentDefinition[];
  return (body!.components as ComponentDefinition[])[0]!;
}

/**
 * The block that contains this element: a row of a column, a row of the main table, else the outermost row with siblings, because
 * buttons and columns are tables inside their row.
 */
export function blockOf(editor: Editor, element: Component): Component | undefined {
  const column = columnOf(element);
  const main = (column && bodyOf(column)) ?? mainBody(editor);
  const rows: Component[] = [];
  for (let at: Component | undefined = element; at && at !== column; at = at.parent())
    if (at.tagName?.toLowerCase() === 'tr') rows.push(at);
  const block =
    rows.find((row) => main && row.parent() === main) ??
    rows.findLast((row) => (row.parent() ? rowsOf(row.parent()!).length : 0) > 1) ??
    rows[0];
  return block ?? (column && blockOf(editor, column));
}

const rowsOf = (body: Component): Component[] =>
  (body.components().models as Component[]).filter((child) => child.tagName?.toLowerCase() === 'tr');

/** Moves the block of an element by one, up or down. */
export async function moveBlock(editor: Editor, element: Component, by: 1 | -1): Promise<void> {
  await endWriting(editor);
  const row = blockOf(editor, element) ?? element;
  const parent = row.parent();
  if (!parent) return;
  const at = row.index() + by;
  if (at < 0 || at >= parent.components().length) return;
  row.move(parent, { at: by > 0 ? at + 1 : at });
  editor.select(element);
}

/** Moves a block to another place. What has columns goes into no column. */
export async function moveTo(editor: Editor, row: Component, place: RowPlace): Promise<void> {
  await endWriting(editor);
  const column = place && columnOf(place.block);
  const to = column && cellOfColumns(row) ? { block: blockOf(editor, column)!, after: true } : place;
  const parent = to?.block.parent();
  if (!to || !parent || to.block === row || isWithin(to.block, row)) return;
  const emptied = columnOf(row);
  row.move(parent, { at: to.block.index() + (to.after ? 1 : 0) });
  if (emptied && rowsOf(bodyOf(emptied) ?? emptied).length === 0) removeColumn(editor, emptied);
  editor.select(firstEditable(row));
}

function isWithin(element: Component, outer: Component): boolean {
  for (let at = element.parent(); at; at = at.parent()) if (at === outer) return true;
  return false;
}

export async function duplicateBlock(editor: Editor, element: Component): Promise<void> {
  await endWriting(editor);
  const row = blockOf(editor, element) ?? element;
  row.parent()?.append(row.clone(), { at: row.index() + 1 });
}

/** Removes the block of the selected element; a column without blocks goes too. */
export async function removeBlock(editor: Editor): Promise<void> {
  await endWriting(editor);
  const selected = editor.getSelected();
  if (!selected) return;
  const block = blockOf(editor, selected) ?? selected;
  const column = columnOf(block);
  editor.select();
  if (column && rowsOf(bodyOf(column) ?? column).length === 1) removeColumn(editor, column);
  else block.remove();
}

function removeColumn(editor: Editor, column: Component): void {
  const cell = column.parent()!;
  const { shares, stacks } = arrangementOf(cell);
  if (shares.length === 1) return void blockOf(editor, column)?.remove();
  column.remove();
  arrange(cell, { shares: ratios.find(({ length }) => length === shares.length - 1)!, stacks });
}

/**
 * Whether this is no part of a block: the page itself, or what is around the whole email, such as the table with the background. A
 * row with others beside it is a block.
 */
export function isGround(editor: Editor, element: Component | undefined): boolean {
  if (!element || element === editor.getWrapper()) return true;
  const main = mainBody(editor);
  if (!main || !isWithin(main, element)) return false;
  for (let at: Component | undefined = element; at; at = at.parent())
    if (at.tagName?.toLowerCase() === 'tr' && rowsOf(at.parent()!).length > 1) return false;
  return true;
}

/** The table body with the main content: the one with the most rows; of several, the first with the width of an email. */
function mainBody(editor: Editor): Component | undefined {
  const bodies: Component[] = editor.getWrapper()!.find('table, tbody');
  return bodies
    .filter((body) => rowsOf(body).length > 0 && !columnOf(body))
    .sort((a, b) => rowsOf(b).length - rowsOf(a).length || Number(hasWidth(b)) - Number(hasWidth(a)))[0];
}

/** Whether its table has a width in pixels, as that of an email; the table around it, for the background, has none. */
function hasWidth(body: Component): boolean {
  const table = body.tagName?.toLowerCase() === 'table' ? body : around(body, 'table');
  return table !== undefined && /^\d+px$/.test(styleOf(table)['max-width'] ?? '');
}

/** What is edited first inside: an image, a link, the columns or a text. */
const firstEditable = (component: Component): Component =>
  component.find('img, a')[0] ?? cellOfColumns(component) ?? component.find('td').findLast(isText) ?? component;
