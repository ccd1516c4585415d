// Sorts the rows of a table that has all of them. `sort` is the name of a column, after a minus sign for descending.

type Sortable<R> = { name: string; sortBy?(row: R): string | number };

export function sortRows<R>(
  rows: readonly R[],
  columns: readonly Sortable<R>[],
  sort: string | undefined,
): readonly R[] {
  const of = columns.find(({ name }) => name === sort?.replace(/^-/, ''))?.sortBy;
  if (!of) return rows;
  const sign = sort!.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [of(one), of(other)];
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}
