// The import wizard: map columns, preview, import, result, undo. The step follows from the state of the import, so the
// wizard can be left and resumed.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconArrowBackUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiFault } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkButton } from '../../../parts/link.tsx';
import { LoadingPage } from '../../../parts/loading-page.tsx';
import { Page, PageHeader, Section } from '../../../parts/page.tsx';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { Steps } from '../../../parts/steps/steps.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { NotFound } from '../../../shell/not-found.tsx';
import { capital } from '../../../text/capital.ts';
import { useText } from '../../../text/use-text.tsx';
import { ErrorReport } from './error-report.tsx';
import { ImportColumns } from './import-columns.tsx';
import { type ImportState, isInProgress, stepOf, steps } from './import-states.ts';
import { ImportStatus } from './imports-tab.tsx';

type Import = ResultOf<'importGet'>;

/** Row outcomes in display order; zeros are left out. */
const outcomes = [
  'added',
  'updated',
  'unchanged',
  'duplicate',
  'known',
  'unknown',
  'left',
  'suppressed',
  'invalid',
  'values_left_out',
] as const;

/** A worker may be done within a second; otherwise only another person changes it. */
const intervalOf = (answer?: { state: ImportState }) => (!answer || isInProgress(answer.state) ? 800 : 4_000);

export function ImportScreen() {
  const t = useText('lists');
  const { id: list, import: id } = useParams({ strict: false }) as { id: string; import: string };
  const mayWrite = useSession().may('contacts:write');
  const { data, error, refetch } = useMethod('importGet', { import: id }, { refetchInterval: intervalOf });
  const { data: info } = useMethod('listGet', { id: list });
  const [again, setAgain] = useState(false);
  const client = useQueryClient();
  const state = data?.state;
  // A worker has changed the list: refetch it.
  useEffect(() => {
    if (state === 'done' || state === 'undone' || state === 'stopped' || state === 'failed')
      invalidate(client, ['list', 'member', 'contact', 'segment']);
  }, [client, state]);
  const back = { to: '/lists/$id', params: { id: list }, label: info?.title ?? t('list') } as const;
  if (error instanceof ApiFault && error.status === 404) return <NotFound />;
  if (data === undefined) return <LoadingPage title={t('import')} back={back} query={{ error, refetch }} />;
  const now = data.state;
  const step = again && now === 'checked' ? 'columns' : stepOf(now);
  return (
    <Page>
      <PageHeader title={data.name || t('pasted')} status={<ImportStatus state={now} />} back={back} />
      <Steps
        label={t('steps')}
        steps={steps.map((name) => ({ name, title: t(`step.${name}`) }))}
        now={step}
        finished={now === 'done' || now === 'undone'}
      />
      {step === 'columns' ? (
        <ImportColumns id={id} list={list} mayWrite={mayWrite} onChecking={() => setAgain(false)} />
      ) : (
        <ImportResult status={data} list={list} mayWrite={mayWrite} onColumns={() => setAgain(true)} />
      )}
    </Page>
  );
}

type Counts = Import['result'];
type ResultProps = { status: Import; list: string; mayWrite: boolean; onColumns(): void };

function ImportResult({ status, list, mayWrite, onColumns }: ResultProps) {
  const t = useText('lists');
  const { state } = status;
  if (isInProgress(state)) return <InProgress status={status} mayWrite={mayWrite} />;
  // Columns are chosen first.
  if (state === 'uploaded' || state === 'mapped') return null;
  const counts = state === 'checked' ? status.predicted : status.result;
  return (
    <Stack gap="lg">
      {status.reason !== '' && (
        <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />}>
          <Text>{status.reason}</Text>
        </Alert>
      )}
      <Section title={t(`result.${state}`)} description={t(`resultAbout.${state}`)}>
        <Outcomes counts={counts} predicted={state === 'checked'} />
        {state === 'undone' && <UndoCounts status={status} />}
        {mayWrite && <Actions status={status} list={list} onColumns={onColumns} />}
      </Section>
      {status.problems > 0 && <Problems status={status} />}
    </Stack>
  );
}

function InProgress({ status, mayWrite }: { status: Import; mayWrite: boolean }) {
  const t = useText('lists');
  const { number, percent } = useFormats();
  const stop = useMutate('importStop');
  return (
    <Section title={t(`import.${status.state}`)}>
      <Progress value={status.share * 100} size="lg" aria-label={t('progress')} />
      <Group gap="xl" role="status">
        <Stat label={t('progress')} value={percent(status.share)} />
        <Stat label={t('rows')} value={number(status.position)} />
        {status.rate > 0 && <Stat label={t('rate')} value={number(status.rate)} />}
        {status.finish_at !== '' && <Stat label={t('finish')} value={<Time at={status.finish_at} />} />}
      </Group>
      {mayWrite && status.state !== 'undoing' && (
        <Group>
          <Button
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate({ import: status.id }, { onError: toast.failed })}
          >
            {t('stop')}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function Outcomes({ counts, predicted }: { counts: Partial<Counts>; predicted: boolean }) {
  const t = useText('lists');
  const { number } = useFormats();
  const shown = outcomes.filter((name) => name === 'added' || (counts[name] ?? 0) > 0);
  return (
    <Stats>
      <Stat label={t('rows')} value={number(counts.rows ?? 0)} />
      {shown.map((name) => (
        <Stat
          key={name}
          label={t(predicted && (name === 'added' || name === 'updated') ? `predicted.${name}` : `count.${name}`)}
          value={number(counts[name] ?? 0)}
          note={name === 'added' && (counts.added_left ?? 0) > 0 && t('addedLeft', { count: counts.added_left ?? 0 })}
        />
      ))}
    </Stats>
  );
}

function UndoCounts({ status }: { status: Import }) {
  const t = useText('lists');
  const { number } = useFormats();
  return (
    <Group gap="xl">
      <Stat label={t('undone.removed')} value={number(status.undone.removed)} />
      <Stat label={t('undone.putBack')} value={number(status.undone.put_back)} />
      <Stat label={t('undone.kept')} value={number(status.undone.kept)} />
    </Group>
  );
}

function Actions({ status, list, onColumns }: Omit<ResultProps, 'mayWrite'>) {
  const t = useText('lists');
  const { number } = useFormats();
  const touches = ['list', 'member', 'contact', 'segment'];
  const start = useMutate('importStart', touches);
  const undo = useMutate('importUndo', touches);
  const { state } = status;
  const { result } = status;
  const predicted: Partial<Counts> = status.predicted;
  const undoImport = async () => {
    const yes = await confirm({
      title: t('undoTitle'),
      figures: [
        { value: number(result.added), label: t('undoAdded', { count: result.added }) },
        { value: number(result.updated), label: t('undoUpdated', { count: result.updated }) },
      ],
      text: t('undoText'),
      action: t('undo'),
      danger: true,
    });
    if (yes) undo.mutate({ import: status.id }, { onError: toast.failed });
  };
  const affected = (predicted.added ?? 0) + (predicted.updated ?? 0);
  return (
    <Group>
      {(state === 'checked' || state === 'stopped' || state === 'failed') && (
        <Button
          loading={start.isPending}
          disabled={state === 'checked' && affected === 0}
          onClick={() => start.mutate({ import: status.id }, { onError: toast.failed })}
        >
          {state === 'checked' ? t('startImport', { count: affected }) : t('resume')}
        </Button>
      )}
      {state === 'checked' && (
        <Button variant="default" onClick={onColumns}>
          {t('changeColumns')}
        </Button>
      )}
      {(state === 'done' || state === 'undone') && (
        <LinkButton to="/lists/$id" params={{ id: list }} variant={state === 'done' ? 'filled' : 'default'}>
          {t('showMembers')}
        </LinkButton>
      )}
      {(state === 'done' || state === 'stopped' || state === 'failed') && (
        <Button
          variant="default"
          loading={undo.isPending}
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          onClick={undoImport}
        >
          {t('undo')}
        </Button>
      )}
    </Group>
  );
}

type ProblemGroup = ResultOf<'importProblems'>[number];

/** Why rows were skipped, by column and reason; the rows themselves are in the report. */
function Problems({ status }: { status: Import }) {
  const t = useText('lists');
  const { number } = useFormats();
  const mayExport = useSession().may('contacts:export');
  const groups = useMethod('importProblems', { import: status.id });
  const counts: Partial<Counts> = status.state === 'checked' ? status.predicted : status.result;
  const values = Math.min(counts.values_left_out ?? 0, status.problems);
  const rows = status.problems - values;
  const columns: Column<ProblemGroup>[] = [
    { name: 'column', title: t('column'), width: '180px', cell: ({ column }) => column || t('wholeRow') },
    { name: 'reason', title: t('problem'), cell: ({ reason }) => capital(reason) },
    { name: 'count', title: t('rows'), figure: true, width: '110px', cell: ({ count }) => number(count) },
    {
      name: 'example',
      title: t('firstRow'),
      cell: ({ line, value }) => (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('line', { line: number(line) })}
          {value !== '' && ` · ${value}`}
        </Text>
      ),
    },
  ];
  return (
    <Section
      title={[
        (rows > 0 || values === 0) && t('rowsSkipped', { count: rows }),
        values > 0 && t('valuesSkipped', { count: values }),
      ]
        .filter(Boolean)
        .join(' · ')}
      description={t('problemsAbout')}
      actions={mayExport && <ErrorReport importId={status.id}>{t('errorReport')}</ErrorReport>}
    >
      <Rows
        label={t('problemsTable')}
        columns={columns}
        rows={groups.data}
        keyOf={({ column, reason, line }) => `${column} ${reason} ${line}`}
        nameOf={({ reason }) => reason}
        query={groups}
        empty={null}
      />
    </Section>
  );
}
