// A table: filter bar, sorting and paging (all kept in the URL), selection, a panel with a closer look, and cards instead of
// columns in narrow containers (below 640 px). j and k move between rows, x selects, Enter opens, Space shows the panel.

import { Box, Button, Checkbox, Group, Skeleton, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import {
  lazy,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useText } from '../../text/use-text.tsx';
import { FaultNote } from '../fault.tsx';
import { type Chip, FilterBar } from './filter-bar.tsx';
import { Pager } from './pager.tsx';
import { useRowKeys } from './row-keys.ts';
import classes from './rows.module.css';
import { sortRows } from './sort-rows.ts';
import type { useTableSearch } from './table-search.ts';

const SidePanel = lazy(() => import('../panel/side-panel.tsx'));

export type Column<R> = {
  name: string;
  title: string;
  cell(row: R): ReactNode;
  /** Numbers are aligned at the end of the column. */
  figure?: boolean;
  /** Not shown on the card on a phone. */
  wideOnly?: boolean;
  /** The title is there for screen readers only: a column of menus. */
  untitled?: boolean;
  width?: string;
  /** What the rows can be sorted by, in a table that has all its rows. */
  sortBy?(row: R): string | number;
  /** Whether the server sorts by it, in a table of pages. */
  serverSort?: boolean;
};

type Props<R> = {
  /** The accessible name of the table: "Campaigns". */
  label: string;
  /** The first column names the row. */
  columns: readonly Column<R>[];
  rows: readonly R[] | undefined;
  keyOf(row: R): string;
  /** The name of a row, for its checkbox. */
  nameOf(row: R): string;
  /** Where the rows come from: its failure is shown, with a button that tries again. */
  query?: Pick<UseQueryResult, 'error' | 'refetch'>;
  search?: ReturnType<typeof useTableSearch>;
  /** The label of the search field; no field without it. */
  searchLabel?: string;
  chips?: readonly Chip[] | undefined;
  /** Buttons at the end of the filter bar. */
  tools?: ReactNode;
  /** Further filters, below the search field. */
  filters?: ReactNode;
  /** Whether filters other than the search and the chip narrow the rows, and what clears them. */
  narrowed?: boolean | undefined;
  onClear?: (() => void) | undefined;
  total?: number | undefined;
  pageSize?: number;
  /** Shown when there are no rows at all. */
  empty: ReactNode;
  /** The row in one line below its first column, in place of the other columns on a card on a phone; menus stay. */
  brief?: ((row: R) => ReactNode) | undefined;
  /** The same, made of the cells of the other columns. */
  compact?: boolean;
  /** A closer look at a row, in a panel at the side. */
  peek?: ((row: R) => ReactNode) | undefined;
  /** A click or Enter shows the panel too: the rows have no screen of their own. The first column then has no link. */
  opensPanel?: boolean;
  /** Buttons for the selected rows; without it, rows cannot be selected. */
  bulk?: ((chosen: readonly R[], clear: () => void) => ReactNode) | undefined;
};

export function Rows<R>(props: Props<R>) {
  const { search } = props;
  const shownFor = search ? `${search.q}\n${search.state}\n${search.page}\n${search.cursor}\n${search.label}` : '';
  const panel = usePanel(props, shownFor);
  return (
    <>
      <Filtered {...props} shownFor={shownFor} open={panel.open} />
      {panel.element}
    </>
  );
}

/** The rows with what filters and acts on them; what to do instead, where there are none. */
function Filtered<R>(props: Props<R> & { shownFor: string; open(row: R): void }) {
  const { rows, search, chips, empty, query, shownFor } = props;
  const t = useText('parts');
  const [chosenKeys, setChosenKeys] = useState<ReadonlySet<string>>(new Set());
  // Rows that leave the page are deselected, so that no unseen row is deleted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change of the page is the cause
  useEffect(() => setChosenKeys(new Set()), [shownFor]);

  const narrowed =
    props.narrowed === true ||
    (search !== undefined && (search.q !== '' || search.state !== undefined || search.label !== undefined));
  if (query?.error && rows === undefined) return <FaultNote error={query.error} onRetry={() => query.refetch()} />;
  if (rows?.length === 0 && !narrowed && (search?.page ?? 1) === 1 && !search?.cursor) return empty;
  const chosen = rows?.filter((row) => chosenKeys.has(props.keyOf(row))) ?? [];
  return (
    <Box className={`${classes.frame} in-order`}>
      {search && (props.searchLabel || chips) && (
        <FilterBar
          search={search}
          searchLabel={props.searchLabel}
          chips={chips}
          isLoading={rows === undefined}
          tools={props.tools}
        />
      )}
      {props.filters}
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
        <NothingFound
          onClear={props.onClear ?? (() => search?.change({ q: undefined, state: undefined, label: undefined }))}
        />
      ) : (
        <TableOf {...props} chosenKeys={chosenKeys} choose={setChosenKeys} />
      )}
      <Pages {...props} />
    </Box>
  );
}

/**
 * The panel with a closer look at a row. It stays open until the user closes it or shows another page, even when the rows are
 * loaded again and its own is no longer among them: it then shows the row as it was.
 */
function usePanel<R>({ rows: unsorted, columns, search, peek, keyOf, nameOf }: Props<R>, shownFor: string) {
  const [opened, open] = useState<R>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the change of the page is the cause
  useEffect(() => open(undefined), [shownFor]);
  if (opened === undefined || !peek) return { open, element: null };
  const rows = (unsorted && sortRows(unsorted, columns, search?.sort)) ?? [];
  const key = keyOf(opened);
  const at = rows.findIndex((row) => keyOf(row) === key);
  const row = rows[at] ?? opened;
  const step = (by: 1 | -1) => open((before) => (at < 0 ? rows[0] : rows[at + by]) ?? before);
  return {
    open,
    element: (
      <Suspense>
        <SidePanel title={nameOf(row)} onClose={() => open(undefined)} onStep={step}>
          {peek(row)}
        </SidePanel>
      </Suspense>
    ),
  };
}

type TableProps<R> = Props<R> & {
  chosenKeys: ReadonlySet<string>;
  choose(keys: ReadonlySet<string>): void;
  open(row: R): void;
};

function TableOf<R>({
  label,
  columns,
  rows: unsorted,
  keyOf,
  nameOf,
  bulk,
  brief,
  compact,
  peek,
  opensPanel,
  search,
  chosenKeys,
  choose,
  open,
}: TableProps<R>) {
  const t = useText('parts');
  const rows = unsorted && sortRows(unsorted, columns, search?.sort);
  const keys = rows?.map(keyOf) ?? [];
  const all = keys.length > 0 && keys.every((key) => chosenKeys.has(key));
  const toggle = (key: string) => {
    const next = new Set(chosenKeys);
    if (!next.delete(key)) next.add(key);
    choose(next);
  };
  const body = useRef<HTMLTableSectionElement>(null);
  const isNarrow = useNarrow(body);
  const onKeyDown = useRowKeys(body, {
    onSelect: bulk && ((i) => toggle(keys[i]!)),
    onPeek: peek && ((i) => open(rows![i]!)),
  });
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
          {columns.map((column) => (
            <HeadCell key={column.name} column={column} search={search} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body} onKeyDown={onKeyDown}>
        {rows === undefined && <SkeletonRows columns={columns.length + (bulk ? 1 : 0)} />}
        {rows?.map((row, i) => (
          <TableRow
            key={keys[i]}
            row={row}
            columns={columns}
            brief={isNarrow ? (brief ?? (compact ? inOneLine(columns) : undefined)) : undefined}
            chosen={chosenKeys.has(keys[i]!)}
            name={nameOf(row)}
            onToggle={bulk && (() => toggle(keys[i]!))}
            onOpen={peek && opensPanel ? () => open(row) : undefined}
          />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  );
}

/** The cells after the first one in one line, figures with their titles. */
const inOneLine =
  <R,>(columns: readonly Column<R>[]) =>
  (row: R): ReactNode =>
    columns.slice(1).map(
      ({ name, title, cell, figure, wideOnly, untitled }) =>
        !wideOnly &&
        !untitled && (
          <span key={name}>
            {figure && `${title} `}
            {cell(row)}
          </span>
        ),
    );

/** Whether the rows are cards: as wide as the container query of rows.module.css says. */
function useNarrow(body: RefObject<HTMLElement | null>): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const frame = body.current!.closest(`.${classes.frame}`)!;
    const measure = () => setNarrow(frame.clientWidth <= 640);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [body]);
  return isNarrow;
}

type RowProps<R> = {
  row: R;
  columns: readonly Column<R>[];
  brief?: ((row: R) => ReactNode) | undefined;
  chosen: boolean;
  name: string;
  onToggle?: (() => void) | undefined;
  onOpen?: (() => void) | undefined;
};

/** A click anywhere in it follows its link or presses its button, which is what takes the focus. */
function TableRow<R>({ row, columns, brief, chosen, name, onToggle, onOpen }: RowProps<R>) {
  const t = useText('parts');
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: as above
    <tr role="row" data-chosen={chosen || undefined} data-brief={brief ? true : undefined} onClick={followLink}>
      {onToggle && (
        <td role="cell" className={classes.check}>
          <Checkbox aria-label={t('select', { name: name })} checked={chosen} onChange={onToggle} />
        </td>
      )}
      {(brief ? columns.filter(({ untitled }, i) => i === 0 || untitled) : columns).map((column, i) => (
        <td
          key={column.name}
          role="cell"
          data-first={i === 0 || undefined}
          data-figure={column.figure || undefined}
          data-wide-only={column.wideOnly || undefined}
          data-untitled={column.untitled || undefined}
        >
          {i > 0 && !column.untitled && (
            <span className={classes.cardTitle} aria-hidden>
              {column.title}
            </span>
          )}
          {i === 0 && onOpen ? (
            <UnstyledButton className={classes.opener} data-opens aria-haspopup="dialog" onClick={onOpen}>
              {column.cell(row)}
            </UnstyledButton>
          ) : (
            <div className={classes.value}>{column.cell(row)}</div>
          )}
          {brief && i === 0 && <div className={classes.brief}>{brief(row)}</div>}
        </td>
      ))}
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  );
}

type HeadCellProps<R> = { column: Column<R>; search: ReturnType<typeof useTableSearch> | undefined };

/** The title of a column; a button where the rows can be sorted by it. */
function HeadCell<R>({
  column: { name, title, figure, width, untitled, sortBy, serverSort },
  search,
}: HeadCellProps<R>) {
  const down = search?.sort === `-${name}`;
  const sorted = down || search?.sort === name;
  const Icon = down ? IconArrowDown : IconArrowUp;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: as above
    <th
      scope="col"
      role="columnheader"
      data-figure={figure || undefined}
      style={{ width }}
      aria-sort={sorted ? (down ? 'descending' : 'ascending') : undefined}
    >
      {(sortBy || serverSort) && search ? (
        <UnstyledButton
          className={classes.sort}
          // Figures first from the largest, words from A.
          onClick={() => search.change({ sort: sorted ? (down ? name : `-${name}`) : figure ? `-${name}` : name })}
        >
          {title}
          {sorted && <Icon size={14} aria-hidden />}
        </UnstyledButton>
      ) : untitled ? (
        <VisuallyHidden>{title}</VisuallyHidden>
      ) : (
        <span className={classes.title}>{title}</span>
      )}
    </th>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  );
}

/** A click anywhere in a row follows the link in its first column, or opens its panel; other controls and selecting text stay as they are. */
function followLink(event: MouseEvent<HTMLTableRowElement>) {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event;
  // A menu of the row is drawn elsewhere, but its clicks arrive here.
  if (!currentTarget.contains(target as Element)) return;
  const control = (target as Element).closest('a, button, input, label, select, [role]:not([role=row], [role=cell])');
  if (control && currentTarget.contains(control)) return;
  if (document.getSelection()?.toString()) return;
  const link = currentTarget.querySelector('td[data-first] :is(a, [data-opens])');
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
  const { page, change } = search;
  const from = (page - 1) * pageSize + 1;
  return (
    <Pager
      words={t('shown', { from, to: Math.min(total, from + pageSize - 1), total })}
      previous={page > 1 ? () => change({ page: page - 1 }) : undefined}
      next={page < pages ? () => change({ page: page + 1 }) : undefined}
    />
  );
}
