// What the URL of the audit log holds besides that of every table: the area of the product.
import { type TableSearch, tableSearch } from '../../parts/table/table-search.ts';

/** The order is that of the filter. */
export const areas = [
  'campaigns',
  'automations',
  'templates',
  'contacts',
  'sending',
  'webhooks',
  'access',
  'account',
] as const;
export type Area = (typeof areas)[number];

/** For the route's validateSearch. */
export function auditSearch(raw: Record<string, unknown>): TableSearch & { area?: Area | undefined } {
  return { ...tableSearch(raw), area: areas.find((name) => name === raw.area) };
}
