// The filter bar of a table: a search field and the states, each with its count. Both are kept in the URL.
import { Box, Group, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { useFormats } from '../formats.ts';
import classes from './rows.module.css';
import type { useTableSearch } from './table-search.ts';

export type Chip = { name: string; label: string; count?: number | undefined };

type Search = ReturnType<typeof useTableSearch>;
type Props = {
  search: Search;
  /** The label of the search field; no field without it. */
  searchLabel?: string | undefined;
  chips?: readonly Chip[] | undefined;
  /** What the chips are about; the state without it. */
  chipsLabel?: string;
  /** The chips are not known yet: their room is kept. */
  isLoading?: boolean;
  tools?: ReactNode;
};

export function FilterBar({ search, searchLabel, chips, chipsLabel, isLoading = false, tools }: Props) {
  return (
    <Group gap="sm" mb="sm" className={classes.bar}>
      {searchLabel && <SearchField search={search} label={searchLabel} />}
      {chips && chips.length > 0 && (
        <FilterChips
          chips={chips}
          chosen={search.state}
          onChoose={(state) => search.change({ state })}
          {...(chipsLabel !== undefined && { label: chipsLabel })}
        />
      )}
      {chips?.length === 0 && isLoading && <Box h={28} className={classes.chips ?? ''} />}
      {tools && (
        <Box ms="auto" className={classes.tools}>
          {tools}
        </Box>
      )}
    </Group>
  );
}

type ChipsProps = {
  chips: readonly Chip[];
  chosen: string | undefined;
  onChoose(name: string | undefined): void;
  /** The accessible name of the group; by default "State". */
  label?: string;
};

/** One of several, or all of them. */
export function FilterChips({ chips, chosen, onChoose, label }: ChipsProps) {
  const t = useText('parts');
  const { number } = useFormats();
  const all: (Omit<Chip, 'name'> & { name: string | undefined })[] = [{ name: undefined, label: t('all') }, ...chips];
  return (
    <Group gap={4} role="group" aria-label={label ?? t('state')} className={classes.chips}>
      {all.map(({ name, label, count }) => (
        <UnstyledButton
          key={label}
          className={classes.chip}
          aria-pressed={chosen === name}
          onClick={() => onChoose(name)}
        >
          {label}
          {count !== undefined && <span className={classes.chipCount}>{number(count)}</span>}
        </UnstyledButton>
      ))}
    </Group>
  );
}

function SearchField({ search, label }: { search: Search; label: string }) {
  const t = useText('parts');
  // The whole label would be cut.
  const isNarrow = useMediaQuery('(max-width: 40em)', undefined, { getInitialValueInEffect: false });
  const [typed, setTyped] = useState(search.q);
  const pending = useRef(false);
  const apply = useDebouncedCallback((q: string) => {
    pending.current = false;
    search.change({ q: q.trim() || undefined });
  }, 250);
  // The user went back, or cleared the search elsewhere.
  useEffect(() => {
    if (!pending.current) setTyped(search.q);
  }, [search.q]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={isNarrow ? t('search') : label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        pending.current = true;
        setTyped(value);
        apply(value);
      }}
      className={classes.searchField}
    />
  );
}
