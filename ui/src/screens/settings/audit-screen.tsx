// The audit log: who changed what, when, and from where.

import { Group, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
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
import { useText } from '../../text/use-text.tsx';
import { type AuditRow, type Entry, joined } from './audit-rows.ts';
import { SettingsFrame } from './frame.tsx';

const AuditPeek = lazy(() => import('./audit-peek.tsx'));

/** Entries, of which those of autosaves become few rows. */
const pageSize = 100;

export function AuditScreen() {
  const t = useText('settings');
  // In the URL, the method is q and the user is state.
  const search = useTableSearch();
  const people = useMethod('users').data ?? [];
  const answer = useMethod(
    'auditLog',
    {
      start: search.page - 1,
      limit: pageSize,
      ...(search.q ? { method: search.q } : {}),
      ...(search.state ? { user: search.state } : {}),
    },
    { keep: true },
  );
  const named = useText('audit');
  const actions = named
    .names('did')
    .map((value) => ({ value, label: named.of('did', value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const columns: Column<AuditRow>[] = [
    {
      name: 'what',
      title: t('auditAction'),
      cell: (entry) => <What entry={entry} />,
    },
    { name: 'who', title: t('auditUser'), width: '240px', cell: (entry) => <Who entry={entry} /> },
    { name: 'when', title: t('when'), width: '140px', cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <SettingsFrame section="audit" description={t('auditAbout')}>
      <Stack>
        <Group align="flex-end">
          <Select
            label={t('auditMethod')}
            placeholder={t('auditAll')}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('auditAll') }}
            w={280}
            data={actions}
            value={search.q || null}
            onChange={(value) => search.change({ q: value ?? undefined })}
          />
          <Select
            label={t('person')}
            placeholder={t('auditAllUsers')}
            clearable
            clearButtonProps={{ 'aria-label': t('auditAllUsers') }}
            data={people.map(({ id, name, email }) => ({ value: id, label: name || email }))}
            value={search.state ?? null}
            onChange={(value) => search.change({ state: value ?? undefined })}
          />
        </Group>
        <Rows
          label={t('section.audit')}
          columns={columns}
          rows={answer.data && joined(answer.data)}
          keyOf={({ id }) => id}
          nameOf={({ method }) => named.of('did', method)}
          opensPanel
          peek={(row) => (
            <Suspense fallback={<Lines />}>
              <AuditPeek row={row} place={placeOf(row)} name={row.subject_name || row.subject} />
            </Suspense>
          )}
          query={answer}
          empty={<Empty icon={IconHistory} title={t('auditEmptyTitle')} text={t('auditEmptyText')} />}
        />
        <Neighbours search={search} more={answer.data?.length === pageSize} />
      </Stack>
    </SettingsFrame>
  );
}

function What({ entry }: { entry: AuditRow }) {
  const t = useText('settings');
  const named = useText('audit');
  const { dateTime } = useFormats();
  const name = entry.subject_name || named.of('field', entry.subject);
  const { ignored } = entry.detail;
  const isField = (value: string) => entry.entries.some(({ detail }) => detail['name'] === value);
  const details = entry.details
    .filter((value) => value !== entry.subject && value !== name && value !== ignored)
    .map((value) => (isTime.test(value) ? dateTime(parseTime(value)!) : value))
    .map((value) => (isField(value) ? named.of('field', value) : value));
  if (entry.entries.length > 1) details.unshift(t('auditTimes', { count: entry.entries.length }));
  // Names that are no field of the list, which the call sent.
  if (ignored) details.push(t('auditIgnored', { names: String(ignored) }));
  return (
    <>
      <Text fw={500}>{named.of('did', entry.method)}</Text>
      <Text size="xs" c="dimmed">
        <Tagged>{name}</Tagged>
        {name !== '' && details.length > 0 && ' · '}
        <Tagged>{details.join(' · ')}</Tagged>
      </Text>
    </>
  );
}

/** A date and time as methods take it. */
const isTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** The page of what was changed, while it has a name. */
function placeOf({ method, subject, subject_name }: Entry): Target | undefined {
  if (subject_name === '') return undefined;
  if (method.startsWith('recurring')) return { to: '/recurring/$id', params: { id: subject } };
  const areas = ['automation', 'campaign', 'template', 'webhook'] as const;
  return { to: `/${areas.find((name) => method.startsWith(name)) ?? 'list'}s/$id`, params: { id: subject } };
}

function Who({ entry }: { entry: Entry }) {
  const t = useText('settings');
  return (
    <>
      <Text>{entry.user || (entry.key && t('auditKey', { key: entry.key })) || t('auditOperator')}</Text>
      <Text size="xs" c="dimmed">
        {[t.of('door', entry.door), entry.ip].filter(Boolean).join(' · ')}
      </Text>
    </>
  );
}
