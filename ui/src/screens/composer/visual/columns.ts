// Columns of an email: how they are written, and what the visual editor does with them. They are beside each other in a wide email and
// below each other where it is narrower than 480 px, without a media query, which not every client heeds: the width is
// negative, so the share, in a wider email, and larger than the email in a narrower one. Outlook, which knows no such
// widths, reads the table in the comments.
import type { Component, ComponentDefinition } from 'grapesjs';
import { isColumn, paddingOf, styleOf } from './element.ts';

/** The space at the sides of the block, and of what is in a column. */
export const blockSide = 24;
export const columnSide = 8;

const stacking = 'calc((480px - 100%) * 480)';

/** Shares of the width, in per cent, by the count of columns. */
export const ratios: readonly (readonly number[])[] = [
  [100],
  [50, 50],
  [33.33, 66.66],
  [66.66, 33.33],
  [25, 75],
  [75, 25],
  [33.33, 33.33, 33.33],
  [25, 50, 25],
  [50, 25, 25],
  [25, 25, 50],
];

/** The definition of a block of columns, of the tables in them. */
export function columnParts(tables: ComponentDefinition[]): ComponentDefinition[] {
  const shares = ratios.find(({ length }) => length === tables.length)!;
  return withOutlook(
    shares,
    tables.map((table, at) => ({ tagName: 'div', style: columnStyle(shares[at]!, true), components: [table] })),
  );
}

const columnStyle = (share: number, stacks: boolean): Record<string, string> => ({
  display: 'inline-block',
  width: stacks ? stacking : `${share}%`,
  'min-width': `${share}%`,
  'max-width': '100%',
  'vertical-align': 'top',
});

/** Columns with what Outlook reads before, between and after them. */
function withOutlook(shares: readonly number[], columns: ComponentDefinition[]): ComponentDefinition[] {
  return [
    ...columns.flatMap((column, at) => [comment(beforeColumn(shares[at]!, at)), column]),
    comment('</td></tr></table>'),
  ];
}

const beforeColumn = (share: number, at: number) =>
  `${at === 0 ? '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>' : '</td>'}<td width="${share}%" valign="top">`;

const comment = (html: string): ComponentDefinition => ({
  type: 'comment',
  tagName: '',
  content: `[if mso]>${html}<![endif]`,
});

/** The column that an element is in; undefined outside columns, and for a column itself. */
export function columnOf(element: Component): Component | undefined {
  for (let at = element.parent(); at; at = at.parent()) if (isColumn(at)) return at;
  return undefined;
}

/** The table body of a column, which has its blocks. */
export const bodyOf = (column: Component): Component | undefined => column.find('tbody')[0];

/** The width of a column in an email of this width, in pixels. */
export function columnWidth(column: Component, email: number): number {
  const cell = column.parent();
  const { left, right } = cell ? paddingOf(cell) : { left: 0, right: 0 };
  return Math.floor(((email - left - right) * shareOf(column)) / 100);
}

const shareOf = (column: Component) => Number.parseFloat(styleOf(column)['min-width'] ?? '') || 100;

export type Arrangement = { shares: readonly number[]; stacks: boolean };

/** The cell with the columns of a block; undefined for other blocks. */
export const cellOfColumns = (block: Component): Component | undefined =>
  (block.components().models as Component[]).find(
    (cell) => cell.tagName?.toLowerCase() === 'td' && columnsIn(cell).length > 0,
  );

const columnsIn = (cell: Component): Component[] => (cell.components().models as Component[]).filter(isColumn);

export function arrangementOf(cell: Component): Arrangement {
  const columns = columnsIn(cell);
  return {
    shares: columns.map(shareOf),
    stacks: columns.some((column) => styleOf(column)['width'] !== `${shareOf(column)}%`),
  };
}

/** Gives a block as many columns as there are shares: a further one has `content`; what is in one too many goes to the last that stays. */
export function arrange(cell: Component, { shares, stacks }: Arrangement, content?: () => ComponentDefinition): void {
  const columns = columnsIn(cell);
  for (const surplus of columns.splice(shares.length)) {
    const last = bodyOf(columns.at(-1)!);
    for (const block of [...((bodyOf(surplus)?.components().models ?? []) as Component[])])
      if (last) block.move(last, { at: last.components().length });
    surplus.remove();
  }
  for (const share of shares.slice(columns.length)) {
    const [added] = cell.append({
      tagName: 'div',
      style: columnStyle(share, stacks),
      components: content ? [content()] : [],
    });
    columns.push(added!);
  }
  for (const [at, column] of columns.entries())
    column.setStyle({ ...styleOf(column), ...columnStyle(shares[at]!, stacks) });
  for (const other of [...(cell.components().models as Component[])])
    if (other.get('type') === 'comment') other.remove();
  for (const [at, share] of shares.entries())
    cell.append(comment(beforeColumn(share, at)), { at: columns[at]!.index() });
  cell.append(comment('</td></tr></table>'));
}
