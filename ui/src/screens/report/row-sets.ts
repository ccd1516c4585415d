// The filters of the recipients table and the API method behind each. All share one row type: members that a method does
// not return are undefined.
import { call } from '../../api/call.ts';

export const stateSets = ['accepted', 'later', 'failed', 'skipped', 'unclear', 'trying', 'queued', 'resent'] as const;
type StateSet = (typeof stateSets)[number] | 'all';
export type RowSet = StateSet | 'opened' | 'unopened' | 'left' | 'bounces' | `link-${string}`;

export type Row = {
  email: string;
  list_id?: string;
  state?: string;
  attempts?: number;
  done_time?: string;
  reply_code?: number;
  reply?: string;
  reason?: string;
  occasion?: string;
  opens?: number;
  clicks?: number;
  machine_opens?: number;
  machine_clicks?: number;
  last_open?: string;
  timestamp?: string;
  bounce?: string;
  code?: number;
  message?: string;
};

type Page = { start: number; limit: number };

/** The filter named in the URL; all recipients when it names none. */
export function setOf(state: string | undefined): RowSet {
  if (state === 'opened' || state === 'unopened' || state === 'left') return state;
  if (state !== undefined && /^link-\d+$/.test(state)) return state as RowSet;
  return stateSets.find((name) => name === state) ?? 'all';
}

export function readPage(cid: string, set: RowSet, page: Page): Promise<{ total: number; data: Row[] }> {
  if (set === 'opened') return call('campaignOpened', { cid, ...page });
  if (set === 'unopened') return call('campaignNotOpened', { cid, ...page });
  if (set === 'left') return call('campaignUnsubscribes', { cid, ...page });
  if (set === 'bounces') return call('campaignBounceMessages', { cid, ...page });
  if (set.startsWith('link-')) return call('campaignClickStatsDetails', { cid, link_id: set.slice(5), ...page });
  return call('campaignRecipients', { cid, filter: set as StateSet, ...page });
}

/** All rows of a filter, page by page. */
export async function readAll(cid: string, set: RowSet): Promise<Row[]> {
  const limit = 10_000;
  const rows: Row[] = [];
  for (let start = 0; ; start++) {
    const { data } = await readPage(cid, set, { start, limit });
    rows.push(...data);
    if (data.length < limit) return rows;
  }
}
