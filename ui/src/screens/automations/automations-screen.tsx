// The table of automations, and the autoresponders of the API as automations of one step.
import { IconRoute } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { ArrangeButtons } from '../../parts/labels/arranging.tsx';
import { LabelChips } from '../../parts/labels/label.tsx';
import { Section } from '../../parts/page.tsx';
import { CreateLink, ListScreen, NameCell } from '../../parts/table/list-screen.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { AutomationStatus } from './automation-status.tsx';
import type { Autoresponder, Listed } from './types.ts';

const LabelFilter = lazy(() => import('../../parts/labels/label-filter.tsx'));

const pageSize = 25;

export function AutomationsScreen() {
  const t = useText('automations');
  const search = useTableSearch();
  const { number } = useFormats();
  const mayWrite = useSession().may('campaigns:write');
  const hidden = search.state === 'hidden';
  const inLabels = useText('labels');
  const answer = useMethod(
    'automations',
    { hidden, ...(search.label ? { label: search.label } : {}), start: search.page - 1, limit: pageSize },
    { keep: true },
  );
  const hiddenCount = answer.data?.hidden ?? 0;
  const create = mayWrite && <CreateLink to="/automations/new" label={t('create')} />;
  const columns: Column<Listed>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: ({ id, title, list_name, labels }) => (
        <>
          <NameCell to="/automations/$id" params={{ id }} name={title} note={list_name} />
          <LabelChips labels={labels} inRow />
        </>
      ),
    },
    { name: 'state', title: t('state'), width: '140px', cell: ({ status }) => <AutomationStatus status={status} /> },
    {
      name: 'trigger',
      title: t('trigger'),
      width: '200px',
      cell: ({ trigger }) => (trigger === '' ? '–' : t.of('trigger', trigger)),
    },
    {
      name: 'inside',
      title: t('inside'),
      width: '110px',
      figure: true,
      cell: ({ figures }) => number(figures.waiting),
    },
    {
      name: 'entered',
      title: t('entered'),
      width: '110px',
      figure: true,
      cell: ({ figures }) => number(figures.entered),
    },
    {
      name: 'completed',
      title: t('completed'),
      width: '120px',
      figure: true,
      cell: ({ figures }) => number(figures.passed),
    },
  ];
  return (
    <ListScreen
      title={t('title')}
      about={t('about')}
      query={answer}
      create={create}
      empty={{ icon: IconRoute, title: t('emptyTitle'), text: t('emptyText') }}
      columns={columns}
      rows={answer.data?.data}
      total={answer.data?.total}
      pageSize={pageSize}
      search={search}
      nameOf={({ title }) => title}
      chips={hidden || hiddenCount > 0 ? [{ name: 'hidden', label: inLabels('hidden'), count: hiddenCount }] : []}
      tools={
        <Suspense>
          <LabelFilter search={search} />
        </Suspense>
      }
      narrowed={hiddenCount > 0}
      bulk={
        mayWrite
          ? (chosen, clear) => (
              <ArrangeButtons
                kind="automation"
                chosen={chosen.map((one) => ({ ...one, name: one.title }))}
                clear={clear}
              />
            )
          : undefined
      }
    >
      <Autoresponders />
    </ListScreen>
  );
}

/** Shown where there are any. They are made and changed as campaigns. */
function Autoresponders() {
  const t = useText('automations');
  const { number } = useFormats();
  const { data } = useMethod('automationAutoresponders', { limit: 100 });
  if (!data || data.total === 0) return null;
  const columns: Column<Autoresponder>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: ({ campaign, title, list_name }) => (
        <NameCell to="/campaigns/$id" params={{ id: campaign }} name={title} note={list_name} />
      ),
    },
    { name: 'state', title: t('state'), width: '140px', cell: ({ status }) => <AutomationStatus status={status} /> },
    { name: 'when', title: t('oneStep'), width: '260px', cell: (row) => <When row={row} /> },
    { name: 'waiting', title: t('inside'), width: '110px', figure: true, cell: ({ waiting }) => number(waiting) },
    { name: 'sent', title: t('sent'), width: '110px', figure: true, cell: ({ sent }) => number(sent) },
  ];
  return (
    <Section title={t('autoresponders')} description={t('autorespondersAbout')}>
      <Rows
        label={t('autoresponders')}
        columns={columns}
        rows={data.data}
        keyOf={({ campaign }) => campaign}
        nameOf={({ title }) => title}
        empty={null}
      />
    </Section>
  );
}

function When({ row: { amount, unit, direction, event, field } }: { row: Autoresponder }) {
  const t = useText('automations');
  const span = unit === '' ? '' : t(`span.${unit}s`, { count: amount });
  const from = event === 'signup' ? t('ofSignup') : t(event === 'annual' ? 'ofYearly' : 'ofDate', { field });
  return (
    <>
      {t(direction === 'before' ? 'says.before' : 'says.after', { span })} {from}
    </>
  );
}
