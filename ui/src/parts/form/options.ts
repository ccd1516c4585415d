// The options of a select: they are given as names alone, with a value, or in groups.
import type { Primitive } from '@mantine/core';

type Option = Primitive | { value: Primitive; label?: string } | { group: unknown; items: readonly Option[] };

/** The name of an option; '' where it is not among them. */
export function nameOf(value: Primitive, data: readonly Option[] | undefined): string {
  for (const option of data ?? []) {
    if (typeof option !== 'object') {
      if (option === value) return `${value}`;
    } else if ('group' in option) {
      const name = nameOf(value, option.items);
      if (name !== '') return name;
    } else if (option.value === value) return option.label ?? `${value}`;
  }
  return '';
}
