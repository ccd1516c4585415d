// The state of a table (search text, status chip, sorting, page) in the URL, so that it can be shared, survives navigation, and
// works with the back button.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type TableSearch = {
  q?: string | undefined;
  state?: string | undefined;
  page?: number | undefined;
  /** The name of a column; after a minus sign when descending. */
  sort?: string | undefined;
  /** Where the page begins, in a table whose pages have no numbers. */
  cursor?: string | undefined;
  /** The id of a label that the rows have. */
  label?: string | undefined;
};

/** For a route's validateSearch; a screen adds its own members. */
export function tableSearch(raw: Record<string, unknown>): TableSearch {
  const page = Number(raw.page);
  // Every member is listed, even without a value: the router passes unlisted ones through unchecked.
  return {
    q: filled(raw.q),
    state: filled(raw.state),
    sort: filled(raw.sort),
    cursor: filled(raw.cursor),
    label: filled(raw.label),
    page: Number.isInteger(page) && page > 1 && page <= maxPages ? page : undefined,
  };
}

const maxPages = 1_000_000;

/** The router parses digits as numbers. */
function filled(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;
}

/** Changes some of the state in the URL, and goes back to the first page unless that is what changes. */
export function useSearchChange() {
  const navigate = useNavigate();
  return useCallback(
    (next: TableSearch & Record<string, unknown>) =>
      navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (before: Record<string, unknown>) => {
          const merged: Record<string, unknown> = { ...before, page: undefined, cursor: undefined, ...next };
          if (merged.page === 1) merged.page = undefined;
          return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined && value !== ''));
        },
      }),
    [navigate],
  );
}

/** The table state of this screen, and a function to change it. A new search or chip goes back to the first page. */
export function useTableSearch() {
  const search = useSearch({ strict: false }) as TableSearch;
  const change = useSearchChange();
  return {
    q: search.q ?? '',
    state: search.state,
    sort: search.sort,
    page: search.page ?? 1,
    cursor: search.cursor,
    label: search.label,
    change,
  };
}
