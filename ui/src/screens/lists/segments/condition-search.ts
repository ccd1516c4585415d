// The conditions of a table in the URL.
import type { Filter } from './conditions.ts';

export type ConditionSearch = { filter?: Filter | undefined; match?: 'any' | undefined };

/** For a route's validateSearch. What is wrong in a filter, the server says. */
export function conditionSearch(raw: Record<string, unknown>): ConditionSearch {
  const { filter, match } = raw;
  const isFilter = Array.isArray(filter) && filter.every((item) => typeof item === 'object' && item !== null);
  return { filter: isFilter && filter.length > 0 ? filter : undefined, match: match === 'any' ? 'any' : undefined };
}
