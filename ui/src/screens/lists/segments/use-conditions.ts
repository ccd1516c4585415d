// The conditions by which a table is filtered, kept in the URL in the form of the API.
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSearchChange } from '../../../parts/table/table-search.ts';
import type { ListField } from '../fields/value-input.tsx';
import type { ConditionSearch } from './condition-search.ts';
import { type Filter, filterOf, nodesOf, type SegmentNode } from './conditions.ts';

export type Conditions = {
  nodes: readonly SegmentNode[];
  match: 'all' | 'any';
  /** As methods take them. */
  given: { match: 'all' | 'any'; filter: Filter };
  change(nodes: readonly SegmentNode[], match?: 'all' | 'any'): void;
};

export type ConditionField = Pick<ListField, 'tag' | 'name' | 'field_type' | 'predefined_values'>;

export function useConditions(fields: readonly ConditionField[]): Conditions {
  const { filter, match: any } = useSearch({ strict: false }) as ConditionSearch;
  const search = useSearchChange();
  const nodes = useMemo(
    () => nodesOf(filter ?? [], new Map(fields.map(({ tag, field_type }) => [tag, field_type]))),
    [filter, fields],
  );
  const match = any ?? 'all';
  const change = (next: readonly SegmentNode[], nextMatch = match) =>
    void search({
      filter: next.length === 0 ? undefined : filterOf(next),
      match: next.length > 1 && nextMatch === 'any' ? 'any' : undefined,
    });
  return { nodes, match, given: { match, filter: filter ?? [] }, change };
}
