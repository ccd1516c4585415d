// The state of a table (what is searched, which chip is chosen, which page) in the address, so that it can be shared,
// gone back to, and survives a visit to another screen.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type TableSearch = { q?: string | undefined; state?: string | undefined; page?: number | undefined };

/** For a route's validateSearch; further members of a screen's own go into `more`. */
export function tableSearch(raw: Record<string, unknown>): TableSearch {
  const page = Number(raw.page);
  // Named even without a value: what is not named here would be passed on as it came.
  return {
    q: filled(raw.q),
    state: filled(raw.state),
    page: Number.isInteger(page) && page > 1 && page <= maxPages ? page : undefined,
  };
}

const maxPages = 1_000_000;

/** The address's reader makes numbers of digits. */
function filled(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;
}

/** The state of the table of this screen, and how to change it. A new search or chip begins at the first page. */
export function useTableSearch() {
  const search = useSearch({ strict: false }) as TableSearch;
  const navigate = useNavigate();
  const change = useCallback(
    (next: { q?: string | undefined; state?: string | undefined; page?: number | undefined }) =>
      navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (before: Record<string, unknown>) => {
          const merged: Record<string, unknown> = { ...before, page: undefined, ...next };
          if (merged.page === 1) merged.page = undefined;
          return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined && value !== ''));
        },
      } as never),
    [navigate],
  );
  return { q: search.q ?? '', state: search.state, page: search.page ?? 1, change };
}
