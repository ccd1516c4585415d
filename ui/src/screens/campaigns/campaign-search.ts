// What the URL of the table of campaigns holds besides that of every table: a list, and the days of sending.
import { type TableSearch, tableSearch } from '../../parts/table/table-search.ts';

export type CampaignSearch = {
  list?: string | undefined;
  /** The first and the last day, 2027-03-01, in the account's zone. */
  from?: string | undefined;
  to?: string | undefined;
};

/** For the route's validateSearch. */
export function campaignSearch(raw: Record<string, unknown>): TableSearch & CampaignSearch {
  return { ...tableSearch(raw), list: listOf(raw.list), from: dayOf(raw.from), to: dayOf(raw.to) };
}

/** The router parses digits as a number. */
function listOf(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;
}

function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  return Number.isNaN(Date.parse(`${value}T00:00:00Z`)) ? undefined : value;
}
