// The audit log: who changed what, when, and from where.

import { Group, Stack, Text } from '@mantine/core';
import { IconArrowRight, IconHistory } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { Select } from '../../parts/form/select.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import type { Target } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Neighbours } from '../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { Time } from '../../parts/time.tsx';
import { type Translate, useText } from '../../text/use-text.tsx';
import { areaOf } from './audit-areas.ts';
import { type AuditRow, type Change, type Entry, joined, netChanges } from './audit-rows.ts';
import { type Area, areas } from './audit-search.ts';
import { areLengths, Value } from './audit-value.tsx';
import { SettingsFrame } from './frame.tsx';
import classes from './settings.module.css';

const AuditPeek = lazy(() => import('./audit-peek.tsx'));

/** Entries, of which those of autosaves become few rows. */
const pageSize = 100;

export function AuditScreen() {
  const t = useText('settings');
  const named = useText('audit');
  // In the URL, the method is q and the user is state.
  const search = useTableSearch();
  const { area } = useSearch({ strict: false }) as { area?: Area };
  const answer = useMethod(
    'auditLog',
    {
      start: search.page - 1,
      limit: pageSize,
      ...(search.q ? { method: search.q } : area ? { methods: methodsOf(named.names('did'), area) } : {}),
      ...(search.state ? { user: search.state } : {}),
    },
    { keep: true },
  );
  const columns: Column<AuditRow>[] = [
    { name: 'what', title: named('auditAction'), cell: (entry) => <What entry={entry} /> },
    { name: 'who', title: named('auditUser'), width: '220px', cell: (entry) => <Who entry={entry} /> },
    { name: 'when', title: t('when'), width: '130px', cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <SettingsFrame section="audit" description={named('auditAbout')}>
      <Stack>
        <Filters search={search} area={area} />
        <Rows
          label={t('section.audit')}
          columns={columns}
          rows={answer.data && joined(answer.data)}
          keyOf={({ id }) => id}
          nameOf={({ method }) => named.of('did', method)}
          brief={(entry) => (
            <>
              <Time at={entry.at} />
              <WhoDid entry={entry} />
            </>
          )}
          narrowed={search.q !== '' || area !== undefined || search.state !== undefined}
          onClear={() => search.change({ q: undefined, area: undefined, state: undefined })}
          opensPanel
          peek={(row) => (
            <Suspense fallback={<Lines />}>
              <NamedPeek row={row} />
            </Suspense>
          )}
          query={answer}
          empty={<Empty icon={IconHistory} title={named('auditEmptyTitle')} text={named('auditEmptyText')} />}
        />
        <Neighbours search={search} more={answer.data?.length === pageSize} />
      </Stack>
    </SettingsFrame>
  );
}

function NamedPeek({ row }: { row: AuditRow }) {
  return <AuditPeek row={row} place={placeOf(row)} name={useSubjectName(row)} />;
}

const methodsOf = (methods: readonly string[], area: Area) => methods.filter((method) => areaOf(method) === area);

type Filter = { search: ReturnType<typeof useTableSearch>; area: Area | undefined };

/** First the area, then an action in it: two hundred actions in one list would have to be known by name. */
function Filters({ search, area }: Filter) {
  const t = useText('settings');
  const named = useText('audit');
  const people = useMethod('users').data ?? [];
  const options = (of: Area) =>
    methodsOf(named.names('did'), of)
      .map((value) => ({ value, label: named.of('did', value) }))
      .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <Group gap="sm" className={classes.filters}>
      <Select
        aria-label={named('auditArea')}
        placeholder={named('auditAllAreas')}
        clearable
        clearButtonProps={{ 'aria-label': named('auditAllAreas') }}
        data={areas.map((value) => ({ value, label: named(`auditAreas.${value}`) }))}
        value={area ?? null}
        onChange={(value) => search.change({ area: value ?? undefined, q: undefined })}
      />
      <Select
        aria-label={named('auditMethod')}
        placeholder={named('auditAll')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': named('auditAll') }}
        data={
          area ? options(area) : areas.map((group) => ({ group: named(`auditAreas.${group}`), items: options(group) }))
        }
        value={search.q || null}
        onChange={(value) => search.change({ q: value ?? undefined })}
      />
      <Select
        aria-label={t('person')}
        placeholder={named('auditAllUsers')}
        clearable
        clearButtonProps={{ 'aria-label': named('auditAllUsers') }}
        data={people.map(({ id, name, email }) => ({ value: id, label: name || email }))}
        value={search.state ?? null}
        onChange={(value) => search.change({ state: value ?? undefined })}
      />
    </Group>
  );
}

/** Changes that a row has room for; the panel shows all. */
const changesInRow = 2;
/** Characters of a value in a row. */
const valueInRow = 32;

function What({ entry }: { entry: AuditRow }) {
  const t = useText('settings');
  const named = useText('audit');
  const { dateTime } = useFormats();
  const changes = netChanges(entry.entries);
  const name = useSubjectName(entry);
  const { ignored } = entry.detail;
  const isField = (value: string) => entry.entries.some(({ detail }) => detail['name'] === value);
  const isShown = (value: string) => changes.some((change) => change.name === value || change.after === value);
  const details = entry.details
    .filter((value) => ![entry.subject, entry.subject_name, name, ignored, ''].includes(value))
    // A change says it with the values.
    .filter((value) => changes.length === 0 || !(isField(value) || isShown(value)))
    .map((value) => (isTime.test(value) ? dateTime(parseTime(value)!) : value))
    .map((value) => (isField(value) ? named.of('field', value) : inWords(t, entry, value)));
  if (entry.entries.length > 1) details.unshift(named('auditTimes', { count: entry.entries.length }));
  // Names that are no field of the list, which the call sent.
  if (ignored) details.push(named('auditIgnored', { names: String(ignored) }));
  return (
    <>
      <Text fw={500}>{named.of('did', entry.method)}</Text>
      {name + details.join('') !== '' && (
        <Text size="xs" c="dimmed">
          <Tagged>{name}</Tagged>
          {name !== '' && details.length > 0 && ' · '}
          <Tagged>{details.join(' · ')}</Tagged>
        </Text>
      )}
      {changes.slice(0, changesInRow).map((change) => (
        <ChangeInRow key={change.name} change={change} />
      ))}
      {changes.length > changesInRow && (
        <Text size="xs" c="dimmed">
          {named('auditMore', { count: changes.length - changesInRow })}
        </Text>
      )}
    </>
  );
}

/** A role or a scope by the name that the screens give it. */
function inWords(t: Translate<'settings'>, { detail }: Entry, value: string): string {
  if (value === detail['role']) return t.of('role', value);
  return value === detail['scope'] ? t.of('scope', value) : value;
}

/** What the entry is about, in words: an id says nothing to a reader. */
function useSubjectName({ method, subject, subject_name, subject_deleted }: Entry): string {
  const named = useText('audit');
  if (subject_deleted)
    return subject_name === ''
      ? named('auditDeletedId', { id: subject })
      : named('auditDeleted', { name: subject_name });
  if (subject_name !== '') return subject_name;
  if (!/^[0-9a-f]{8}$/.test(subject)) return named.of('field', subject);
  return areaOf(method) === 'campaigns' ? named('auditUnnamed') : '';
}

/** The name of a value, what it was and what it became. */
function ChangeInRow({ change }: { change: Change }) {
  const named = useText('audit');
  const { name, before, after, before_length, after_length } = change;
  if (areLengths(change))
    return (
      <div className={classes.change}>
        <span className={classes.changed}>{named.of('field', name)}</span> {named('auditChanged')}
      </div>
    );
  return (
    <div className={classes.change}>
      <span className={classes.changed}>{named.of('field', name)}</span>
      <span className={classes.former}>
        <span className={classes.way}>{named('auditBefore')}</span>
        <Value text={before} length={before_length} most={valueInRow} />
      </span>
      <IconArrowRight size={12} aria-hidden />
      <span>
        <span className={classes.way}>{named('auditAfter')}</span>
        <Value text={after} length={after_length} most={valueInRow} />
      </span>
    </div>
  );
}

/** A date and time as methods take it. */
const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** What has a page of its own; a segment has that of its list. */
const hasPage = /^(recurring|automation|campaign|template|webhook|list(?!Segment))/;

/** The page of what was changed, while it has a name. */
function placeOf({ method, subject, subject_name, subject_deleted }: Entry): Target | undefined {
  if (subject_name === '' || subject_deleted || !hasPage.test(method)) return undefined;
  if (method.startsWith('recurring')) return { to: '/recurring/$id', params: { id: subject } };
  const areas = ['automation', 'campaign', 'template', 'webhook'] as const;
  return { to: `/${areas.find((name) => method.startsWith(name)) ?? 'list'}s/$id`, params: { id: subject } };
}

function Who({ entry }: { entry: Entry }) {
  const t = useText('settings');
  return (
    <>
      <Text style={{ overflowWrap: 'anywhere' }}>
        <WhoDid entry={entry} />
      </Text>
      <Text size="xs" c="dimmed">
        {[t.of('door', entry.door), entry.ip].filter(Boolean).join(' · ')}
      </Text>
    </>
  );
}

function WhoDid({ entry: { user, key } }: { entry: Entry }) {
  const named = useText('audit');
  return <span>{user || (key && named('auditKey', { key })) || named('auditOperator')}</span>;
}
