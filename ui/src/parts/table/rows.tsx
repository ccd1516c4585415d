// A table: search, status chips, paging (all kept in the URL), selection, and cards instead of columns in narrow
// containers (below 640 px).
import { Box, Button, Checkbox, Group, Skeleton, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, type MouseEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { FaultNote } from '../fault.tsx';
import { useFormats } from '../formats.ts';
import classes from './rows.module.css';
import type { useTableSearch } from './table-search.ts';

const PageButtons = lazy(() => import('./page-buttons.tsx'));

export type Column<R> = {
  name: string;
  title: string;
  cell(row: R): ReactNode;
  /** Numbers are aligned at the end of the column. */
  figure?: boolean;
  /** Not shown on the card on a phone. */
  wideOnly?: boolean;
  width?: string;
};

export type Chip = { name: string; label: string; count?: number | undefined };

type Props<R> = {
  /** The accessible name of the table: "Campaigns". */
  label: string;
  /** The first column names the row. */
  columns: readonly Column<R>[];
  rows: readonly R[] | undefined;
  keyOf(row: R): string;
  /** The name of a row, for its checkbox. */
  nameOf(row: R): string;
  error?: unknown;
  onRetry?(): void;
  search?: ReturnType<typeof useTableSearch>;
  /** The label of the search field; no field without it. */
  searchLabel?: string;
  chips?: readonly Chip[];
  total?: number | undefined;
  pageSize?: number;
  /** Shown when there are no rows at all. */
  empty: ReactNode;
  /** Buttons for the selected rows; without it, rows cannot be selected. */
  bulk?: ((chosen: readonly R[], clear: () => void) => ReactNode) | undefined;
};

export function Rows<R>(props: Props<R>) {
  const { rows, search, chips, empty, error } = props;
  const t = useText('parts');
  const [chosenKeys, setChosenKeys] = useState<ReadonlySet<string>>(new Set());
  const shownFor = search ? `${search.q}\n${search.state}\n${search.page}` : '';
  // Rows that leave the page are deselected, so that no unseen row is deleted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change of the page is the cause
  useEffect(() => setChosenKeys(new Set()), [shownFor]);

  const narrowed = search !== undefined && (search.q !== '' || search.state !== undefined);
  if (error !== undefined && error !== null && rows === undefined)
    return <FaultNote error={error} onRetry={props.onRetry} />;
  if (rows?.length === 0 && !narrowed && (search?.page ?? 1) === 1) return empty;
  const chosen = rows?.filter((row) => chosenKeys.has(props.keyOf(row))) ?? [];
  return (
    <Box className={classes.frame}>
      <Group gap="sm" mb="sm">
        {search && props.searchLabel && <SearchField search={search} label={props.searchLabel} />}
        {search && chips && <Chips chips={chips} search={search} />}
      </Group>
      {chosen.length > 0 && props.bulk && (
        <Group className={classes.bulk} gap="sm" role="region" aria-label={t('selection')}>
          <Text size="sm" aria-live="polite">
            {t('selected', { count: chosen.length })}
          </Text>
          {props.bulk(chosen, () => setChosenKeys(new Set()))}
          <Button variant="subtle" color="gray" size="xs" onClick={() => setChosenKeys(new Set())}>
            {t('clear')}
          </Button>
        </Group>
      )}
      {rows?.length === 0 ? (
        <NothingFound onClear={() => search?.change({ q: undefined, state: undefined })} />
      ) : (
        <TableOf {...props} chosenKeys={chosenKeys} choose={setChosenKeys} />
      )}
      <Pages {...props} />
    </Box>
  );
}

type TableProps<R> = Props<R> & { chosenKeys: ReadonlySet<string>; choose(keys: ReadonlySet<string>): void };

function TableOf<R>({ label, columns, rows, keyOf, nameOf, bulk, chosenKeys, choose }: TableProps<R>) {
  const t = useText('parts');
  const keys = rows?.map(keyOf) ?? [];
  const all = keys.length > 0 && keys.every((key) => chosenKeys.has(key));
  const toggle = (key: string) => {
    const next = new Set(chosenKeys);
    if (!next.delete(key)) next.add(key);
    choose(next);
  };
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: drawn as cards, a table loses its roles where they are not named
    <table className={classes.table} role="table" aria-busy={rows === undefined}>
      <caption>
        <VisuallyHidden>{label}</VisuallyHidden>
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          {bulk && (
            <th scope="col" role="columnheader" className={classes.check}>
              <Checkbox
                className={classes.checkAll}
                aria-label={t('selectAll')}
                label={<span aria-hidden>{t('selectAll')}</span>}
                size="sm"
                checked={all}
                indeterminate={!all && chosenKeys.size > 0}
                disabled={keys.length === 0}
                onChange={() => choose(new Set(all ? [] : keys))}
              />
            </th>
          )}
          {columns.map(({ name, title, figure, width }) => (
            <th key={name} scope="col" role="columnheader" data-figure={figure || undefined} style={{ width }}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows === undefined && <SkeletonRows columns={columns.length + (bulk ? 1 : 0)} />}
        {rows?.map((row) => {
          const key = keyOf(row);
          return (
            // Widens the link in the row, which is what takes the focus.
            <tr key={key} role="row" data-chosen={chosenKeys.has(key) || undefined} onClick={followLink}>
              {bulk && (
                <td role="cell" className={classes.check}>
                  <Checkbox
                    aria-label={t('select', { name: nameOf(row) })}
                    checked={chosenKeys.has(key)}
                    onChange={() => toggle(key)}
                  />
                </td>
              )}
              {columns.map((column, i) => (
                <td
                  key={column.name}
                  role="cell"
                  data-first={i === 0 || undefined}
                  data-figure={column.figure || undefined}
                  data-wide-only={column.wideOnly || undefined}
                >
                  {i > 0 && (
                    <span className={classes.cardTitle} aria-hidden>
                      {column.title}
                    </span>
                  )}
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  );
}

/** A click anywhere in a row follows the link in its first column; other controls and selecting text stay as they are. */
function followLink(event: MouseEvent<HTMLTableRowElement>) {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event;
  const control = (target as Element).closest('a, button, input, label, select, [role]:not([role=row], [role=cell])');
  if (control && currentTarget.contains(control)) return;
  if (document.getSelection()?.toString()) return;
  const link = currentTarget.querySelector('td[data-first] a');
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  link?.dispatchEvent(new window.MouseEvent('click', click));
}

function SkeletonRows({ columns }: { columns: number }) {
  return ['a', 'b', 'c', 'd', 'e', 'f'].map((row) => (
    <tr key={row}>
      <td colSpan={columns}>
        <Skeleton height={20} my={6} />
      </td>
    </tr>
  ));
}

function SearchField({ search, label }: { search: ReturnType<typeof useTableSearch>; label: string }) {
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
      placeholder={label}
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

function Chips({ chips, search }: { chips: readonly Chip[]; search: ReturnType<typeof useTableSearch> }) {
  const t = useText('parts');
  const { number } = useFormats();
  const all: (Omit<Chip, 'name'> & { name: string | undefined })[] = [{ name: undefined, label: t('all') }, ...chips];
  return (
    <Group gap={4} role="group" aria-label={t('state')}>
      {all.map(({ name, label, count }) => (
        <UnstyledButton
          key={label}
          className={classes.chip}
          aria-pressed={search.state === name}
          onClick={() => search.change({ state: name })}
        >
          {label}
          {count !== undefined && <span className={classes.chipCount}>{number(count)}</span>}
        </UnstyledButton>
      ))}
    </Group>
  );
}

function NothingFound({ onClear }: { onClear(): void }) {
  const t = useText('parts');
  return (
    <Group justify="center" py="xl" gap="sm" role="status">
      <Text c="dimmed">{t('nothingFound')}</Text>
      <Button variant="default" size="xs" onClick={onClear}>
        {t('showAll')}
      </Button>
    </Group>
  );
}

function Pages<R>({ total, pageSize = 25, search }: Props<R>) {
  const t = useText('parts');
  if (total === undefined || search === undefined || total === 0) return null;
  const pages = Math.ceil(total / pageSize);
  const from = (search.page - 1) * pageSize + 1;
  return (
    <Group justify="space-between" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {t('shown', { from, to: Math.min(total, from + pageSize - 1), total })}
      </Text>
      {pages > 1 && (
        <Suspense>
          <PageButtons pages={pages} search={search} />
        </Suspense>
      )}
    </Group>
  );
}
