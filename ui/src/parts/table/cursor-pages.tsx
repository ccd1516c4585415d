// The pages of a table whose rows are too many to number: the page before and the next one, and how many rows there are.
import { Pager } from './pager.tsx';
import type { useTableSearch } from './table-search.ts';

type Props = {
  search: ReturnType<typeof useTableSearch>;
  previous: string;
  next: string;
  /** How many rows there are, in words; empty while that is counted. */
  total: string;
};

export function CursorPages({ search, previous, next, total }: Props) {
  const to = (cursor: string) => (cursor === '' ? undefined : () => search.change({ cursor }));
  return (
    <Pager
      words={total}
      previous={to(previous)}
      next={to(next)}
      first={search.cursor && previous === '' ? () => search.change({ cursor: undefined }) : undefined}
    />
  );
}
