// One table of automations and autoresponders: what starts them, their state, who is in progress, and how their emails do.
import { Box, Text } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { ArrangeButtons } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { CreateLink, ListScreen, NameCell } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useTagless } from '../../parts/tagged/tagged.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { AutomationStatus } from './automation-status.tsx';
import { autoresponderStart } from './autoresponder-start.ts';
import type { Found } from './types.ts';

const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));

const pageSize = 25;
const states = ['active', 'paused', 'draft', 'ended'] as const;

export function AutomationsScreen() {
  const t = useText('automations');
  const inLabels = useText('labels');
  const search = useTableSearch();
  const { number, shareOf } = useFormats();
  const tagless = useTagless();
  const { may } = useSession();
  const mayWrite = may('campaigns:write');
  const hidden = search.state === 'hidden';
  const status = states.find((name) => name === search.state);
  const answer = useMethod(
    'automationSearch',
    {
      hidden,
      ...(search.q ? { query: search.q } : {}),
      ...(status ? { status } : {}),
      ...(search.label ? { label: search.label } : {}),
      start: search.page - 1,
      limit: pageSize,
    },
    { keep: true },
  );
  const rows = answer.data?.data;
  const cids = [...new Set((rows ?? []).flatMap(({ emails, sent }) => (sent > 0 ? emails : [])))].slice(0, 100);
  const reactions = useMethod(
    'campaignReactions',
    { cids },
    { keep: true, enabled: cids.length > 0 && may('reports:read') },
  );
  const opens = ({ emails, sent }: Found) => {
    const known = (reactions.data ?? []).filter(({ id }) => emails.includes(id));
    if (sent === 0 || known.length === 0) return '–';
    return shareOf(
      Math.min(
        sent,
        known.reduce((sum, one) => sum + one.unique_opens, 0),
      ),
      sent,
    );
  };
  const hiddenCount = answer.data?.hidden ?? 0;
  const counts = answer.data?.counts;
  const columns = useColumns(opens);
  return (
    <ListScreen
      title={t('title')}
      about={t('about')}
      query={answer}
      create={mayWrite && <CreateLink to="/automations/new" label={t('create')} />}
      empty={{ icon: IconRoute, title: t('emptyTitle'), text: t('emptyText') }}
      columns={columns}
      rows={rows}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      brief={(row) => (
        <>
          <AutomationStatus status={row.status} />
          {row.status !== 'draft' && (
            <span>
              {t(opens(row) === '–' ? 'briefUnopened' : 'brief', {
                waiting: number(row.waiting),
                sent: number(row.sent),
                opened: opens(row),
              })}
            </span>
          )}
        </>
      )}
      total={answer.data?.total}
      pageSize={pageSize}
      search={search}
      searchLabel={t('search')}
      nameOf={({ title }) => tagless(title)}
      chips={[
        ...states.flatMap((name) => {
          const count = counts?.[name] ?? 0;
          return count > 0 || status === name ? [{ name, label: t(`status.${name}`), count }] : [];
        }),
        ...(hidden || hiddenCount > 0 ? [{ name: 'hidden', label: inLabels('hidden'), count: hiddenCount }] : []),
      ]}
      tools={
        <Suspense fallback={<Box w={110} h={36} />}>
          <LabelFilter search={search} />
        </Suspense>
      }
      narrowed={hiddenCount > 0}
      bulk={mayWrite ? (chosen, clear) => <Arrange chosen={chosen} clear={clear} /> : undefined}
    />
  );
}

/** @param opens of those it was sent to */
function useColumns(opens: (row: Found) => string): Column<Found>[] {
  const t = useText('automations');
  const { number } = useFormats();
  const tagless = useTagless();
  return [
    {
      name: 'title',
      title: t('name'),
      cell: (row) => (
        <>
          {row.kind === 'automation' ? (
            <NameCell to="/automations/$id" params={{ id: row.id }} name={row.title} note={row.list_name} />
          ) : (
            <NameCell to="/campaigns/$id" params={{ id: row.id }} name={tagless(row.title)} note={row.list_name} />
          )}
          <LabelChips labels={row.labels} inRow />
        </>
      ),
    },
    {
      name: 'type',
      title: t('type'),
      width: '230px',
      cell: (row) => (
        <>
          {t(`kind.${row.kind}`)}
          <Text size="xs" c="dimmed">
            <Starts row={row} />
          </Text>
        </>
      ),
    },
    { name: 'state', title: t('state'), width: '110px', cell: ({ status }) => <AutomationStatus status={status} /> },
    { name: 'inside', title: t('inside'), width: '110px', figure: true, cell: ({ waiting }) => number(waiting) },
    { name: 'sent', title: t('sent'), width: '90px', figure: true, cell: ({ sent }) => number(sent) },
    { name: 'opened', title: t('opened'), width: '90px', figure: true, cell: opens },
  ];
}

/** Autoresponders are campaigns: those of one kind are arranged at a time. */
function Arrange({ chosen, clear }: { chosen: readonly Found[]; clear(): void }) {
  const [first] = chosen;
  if (!first || chosen.some(({ kind }) => kind !== first.kind)) return null;
  return (
    <ArrangeButtons
      kind={first.kind === 'automation' ? 'automation' : 'campaign'}
      chosen={chosen.map((one) => ({ ...one, name: one.title }))}
      clear={clear}
    />
  );
}

/** What lets contacts in. */
function Starts({ row }: { row: Found }) {
  const t = useText('automations');
  if (row.kind === 'automation') return row.trigger === '' ? t('noTrigger') : t(`starts.${row.trigger}`);
  return row.event === '' ? '–' : autoresponderStart(t, row);
}
