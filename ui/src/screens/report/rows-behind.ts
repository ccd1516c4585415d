// Links to the recipients behind a number of the report.
import type { Target } from '../../parts/link.tsx';

/** @param state a filter of the recipients table */
export const rowsBehind = (cid: string, state: string): Target => ({
  to: '/campaigns/$id',
  params: { id: cid },
  search: { tab: 'recipients', ...(state === 'all' ? {} : { state }) },
});
