// The fields of a mapping: a path with the members of the last request to choose from and the value that it leads to there, and rows of
// names and paths. A path can always be typed: the next request may have other members.
import { Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowLeft, IconArrowRight, IconPlus } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext } from 'react';
import { Autocomplete } from '../../parts/form/autocomplete.tsx';
import { useText } from '../../text/use-text.tsx';
import { isObject, type Member, membersOf, membersOfItems, valueAt } from './members.ts';
import classes from './webhooks.module.css';

/** The request that paths lead into; undefined if there is none that can be read. */
export const RequestBody = createContext<unknown>(undefined);

type Errors = Record<string, ReactNode>;

type PathProps = {
  label: string;
  description?: string;
  placeholder?: string;
  /** Without a visible label, in a row. */
  inRow?: boolean;
  /** Of an item of a list, instead of the request. */
  items?: unknown;
  /** Lists and objects can be chosen too. */
  whole?: boolean;
  error?: ReactNode;
  value?: string;
  onChange(path: string): void;
};

/** Of several paths, separated by commas, the choice concerns the last one. */
export function PathField({ label, inRow = false, items, whole = false, value = '', onChange, ...props }: PathProps) {
  const request = useContext(RequestBody);
  const members = items === undefined ? membersOf(request) : membersOfItems(items);
  const chosen = new Map(members.filter((member) => whole || !isObject(member.value)).map((one) => [one.path, one]));
  const earlier = value.slice(0, value.lastIndexOf(',') + 1);
  const before = earlier === '' ? '' : `${earlier} `;
  const last = value.slice(earlier.length).trim();
  return (
    <div>
      <Autocomplete
        {...(inRow ? { 'aria-label': label } : { label })}
        {...props}
        maxLength={300}
        data={[...chosen.keys()].map((path) => before + path)}
        // A path that leads somewhere is being replaced, so all are offered.
        filter={({ options }) =>
          chosen.has(last)
            ? options
            : options.filter((option) => 'value' in option && option.value.toLowerCase().includes(last.toLowerCase()))
        }
        renderOption={({ option }) => <Offered member={chosen.get(option.value.slice(before.length))} />}
        maxDropdownHeight={280}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        value={value}
        onChange={onChange}
      />
      {value.trim() !== '' && <Found paths={value} items={items} />}
    </div>
  );
}

function Offered({ member }: { member: Member | undefined }) {
  const shown = useShown();
  if (!member) return null;
  return (
    <div className={classes.offered}>
      <Text size="sm">{member.path}</Text>
      <div className={classes.value}>{shown(member.value)}</div>
    </div>
  );
}

/** What the paths lead to in the last request. */
function Found({ paths, items }: { paths: string; items: unknown }) {
  const t = useText('webhooks');
  const shown = useShown();
  const request = useContext(RequestBody);
  const inItems = Array.isArray(items) ? items : undefined;
  if (request === undefined || (items !== undefined && !inItems)) return null;
  const values = (inItems ?? [request]).map((body) => valueAt(body, paths)).filter((value) => value !== undefined);
  if (values.length === 0)
    return (
      <Text size="xs" c="dimmed" mt={2}>
        {t('mappingNotThere')}
      </Text>
    );
  return <div className={classes.value}>= {values.slice(0, 3).map(shown).join(' · ')}</div>;
}

/** A value in a few words. */
export function useShown(): (value: unknown) => string {
  const t = useText('webhooks');
  return (value) => {
    if (Array.isArray(value)) return t('mappingItems', { count: value.length });
    if (isObject(value)) return `{ ${Object.keys(value).slice(0, 4).join(', ')} }`;
    return String(value).slice(0, 120);
  };
}

type RowsProps = {
  title: string;
  about?: string;
  add: string;
  onAdd(): void;
  children: ReactNode;
};

/** Rows with a button that adds one. */
export function MappingRows({ title, about, add, onAdd, children }: RowsProps) {
  return (
    <Stack gap="xs" role="group" aria-label={title}>
      <div>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        {about && (
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        )}
      </div>
      {children}
      <Group>
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={onAdd}>
          {add}
        </Button>
      </Group>
    </Stack>
  );
}

type RowProps = { name: ReactNode; path: ReactNode; removal: string; onRemove(): void; leads?: 'left' | 'right' };

/** @param leads where the arrow points: to what is on the left, unless the row renames something */
export function MappingRow({ name, path, removal, onRemove, leads = 'left' }: RowProps) {
  const Arrow = leads === 'left' ? IconArrowLeft : IconArrowRight;
  return (
    <div className={classes.row}>
      {name}
      <Arrow className={classes.arrow} size={16} aria-hidden />
      {path}
      <CloseButton className={classes.remove} aria-label={removal} onClick={onRemove} />
    </div>
  );
}

export type Pair = { name: string; member: string };
export type DataRow = Pair & { items: Pair[] };

type DataProps = { rows: readonly DataRow[]; errors: Errors; onChange(rows: DataRow[]): void };

/** What is kept as the data of the event; of a list the members of its items. */
export function DataRows({ rows, errors, onChange }: DataProps) {
  const t = useText('webhooks');
  const request = useContext(RequestBody);
  const change = (at: number, changed: Partial<DataRow>) =>
    onChange(rows.map((row, n) => (n === at ? { ...row, ...changed } : row)));
  return (
    <MappingRows
      title={t('mapping.data')}
      about={t('mappingHint.data')}
      add={t('mappingAdd.data')}
      onAdd={() => onChange([...rows, { name: '', member: '', items: [] }])}
    >
      {rows.map((row, at) => {
        const value = valueAt(request, row.member);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and their fields keep no state.
          <Stack key={at} gap="xs">
            <PairRow
              pair={row}
              at={`data.${at}`}
              errors={errors}
              whole
              onChange={(pair) => change(at, pair)}
              onRemove={() => onChange(rows.toSpliced(at, 1))}
            />
            {(Array.isArray(value) || row.items.length > 0) && (
              <div className={classes.items}>
                <ItemRows
                  of={row}
                  at={`data.${at}.items`}
                  value={value}
                  errors={errors}
                  onChange={(items) => change(at, { items })}
                />
              </div>
            )}
          </Stack>
        );
      })}
    </MappingRows>
  );
}

type ItemsProps = { of: DataRow; at: string; value: unknown; errors: Errors; onChange(items: Pair[]): void };

function ItemRows({ of, at, value, errors, onChange }: ItemsProps) {
  const t = useText('webhooks');
  const items = Array.isArray(value) ? value : null;
  return (
    <MappingRows
      title={t('mappingItemsOf', { name: of.name || of.member })}
      {...(of.items.length === 0 && { about: t('mappingAllOfItems') })}
      add={t('mappingAdd.items')}
      onAdd={() => onChange([...of.items, { name: '', member: '' }])}
    >
      {of.items.map((pair, n) => (
        <PairRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and their fields keep no state.
          key={n}
          pair={pair}
          at={`${at}.${n}`}
          errors={errors}
          items={items}
          whole
          onChange={(changed) => onChange(of.items.map((other, i) => (i === n ? changed : other)))}
          onRemove={() => onChange(of.items.toSpliced(n, 1))}
        />
      ))}
    </MappingRows>
  );
}

type PairProps = {
  pair: Pair;
  at: string;
  errors: Errors;
  items?: unknown;
  whole?: boolean;
  onChange(pair: Pair): void;
  onRemove(): void;
};

function PairRow({ pair, at, errors, onChange, onRemove, ...path }: PairProps) {
  const t = useText('webhooks');
  return (
    <MappingRow
      name={
        <TextInput
          aria-label={t('mappingName')}
          placeholder={t('mappingName')}
          maxLength={60}
          value={pair.name}
          error={errors[`${at}.name`]}
          onChange={(event) => onChange({ name: event.currentTarget.value, member: pair.member })}
        />
      }
      path={
        <PathField
          {...path}
          inRow
          label={t('mappingMember')}
          placeholder={t('mappingMember')}
          error={errors[`${at}.member`]}
          value={pair.member}
          // A member that is chosen for a row without a name keeps its own.
          onChange={(member) => onChange({ name: pair.name || nameOf(pair.member, member), member })}
        />
      }
      removal={t('mappingRemove', { name: pair.name || pair.member })}
      onRemove={onRemove}
    />
  );
}

/** The last part of a path that was chosen; '' while one is typed. */
const nameOf = (before: string, member: string): string =>
  member.length - before.length > 1 && /^[\w.]+$/.test(member) ? member.slice(member.lastIndexOf('.') + 1) : '';
