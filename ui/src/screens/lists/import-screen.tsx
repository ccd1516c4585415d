// One import as a wizard: what the columns mean, what would happen, how far it is, what came of it, and taking it back.
// The step follows from the state of the import, so the wizard can be left and come back to.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconArrowBackUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiFault } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Figure } from '../../parts/plot/plot.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { ErrorReport } from './error-report.tsx';
import { ImportColumns } from './import-columns.tsx';
import { type ImportState, isUnderWay, stepOf, steps } from './import-states.ts';
import { ImportStatus } from './imports-tab.tsx';
import classes from './lists.module.css';

type Import = ResultOf<'importStatus'>;

/** Outcomes of rows in the order they are told; those that are 0 are left out. */
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
] as const;

export function ImportScreen() {
  const t = useText('lists');
  const { id: list, import: id } = useParams({ strict: false }) as { id: string; import: string };
  const mayWrite = useSession().may('write');
  // Asked quickly, since a worker may be done in a second.
  const { data, error, refetch } = useMethod('importStatus', { import: id }, { refetchInterval: 800 });
  const { data: info } = useMethod('listInfo', { id: list });
  const [again, setAgain] = useState(false);
  const client = useQueryClient();
  const state = data?.state;
  // A worker has changed the list: what was read before is old.
  useEffect(() => {
    if (state === 'done' || state === 'undone' || state === 'stopped' || state === 'failed')
      invalidate(client, ['list', 'member', 'contact', 'segment']);
  }, [client, state]);
  const back = { to: `/lists/${list}`, label: info?.title ?? t('list') };
  if (error instanceof ApiFault && error.status === 404) return <NotFound />;
  if (data === undefined)
    return (
      <Page>
        <PageHeader title={t('import')} back={back} />
        {error ? <FaultNote error={error} onRetry={() => refetch()} /> : <Lines />}
      </Page>
    );
  const now = data.state as ImportState;
  const step = again && now === 'checked' ? 'columns' : stepOf(now);
  return (
    <Page>
      <PageHeader title={data.name || t('pasted')} status={<ImportStatus state={now} />} back={back} />
      <Steps now={step} />
      {step === 'columns' ? (
        <ImportColumns id={id} list={list} mayWrite={mayWrite} onChecking={() => setAgain(false)} />
      ) : (
        <Run one={data} list={list} mayWrite={mayWrite} onColumns={() => setAgain(true)} />
      )}
    </Page>
  );
}

function Steps({ now }: { now: (typeof steps)[number] }) {
  const t = useText('lists');
  return (
    <ol className={classes.steps} aria-label={t('steps')}>
      {steps.map((step, i) => (
        <li key={step} aria-current={step === now ? 'step' : undefined}>
          {i + 1} · {t(`step.${step}`)}
        </li>
      ))}
    </ol>
  );
}

type RunProps = { one: Import; list: string; mayWrite: boolean; onColumns(): void };

function Run({ one, list, mayWrite, onColumns }: RunProps) {
  const t = useText('lists');
  const state = one.state as ImportState;
  if (isUnderWay(state)) return <UnderWay one={one} mayWrite={mayWrite} />;
  const told = state === 'checked' ? one.foreseen : one.result;
  return (
    <Stack gap="lg">
      {one.reason !== '' && (
        <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />}>
          <Text>{one.reason}</Text>
        </Alert>
      )}
      <Section title={t(`result.${state as 'done'}`)} description={t(`resultAbout.${state as 'done'}`)}>
        <Outcomes counts={told as Record<string, number>} foreseen={state === 'checked'} />
        {state === 'undone' && <Undone one={one} />}
        {mayWrite && <Ways one={one} list={list} onColumns={onColumns} />}
      </Section>
      {one.problems > 0 && <Problems one={one} />}
    </Stack>
  );
}

function UnderWay({ one, mayWrite }: { one: Import; mayWrite: boolean }) {
  const t = useText('lists');
  const { number, percent } = useFormats();
  const stop = useMutate('importStop');
  return (
    <Section title={t(`import.${one.state as ImportState}`)}>
      <Progress value={one.share * 100} size="lg" aria-label={t('progress')} />
      <Group gap="xl" role="status">
        <Figure label={t('progress')} value={percent(one.share)} />
        <Figure label={t('rows')} value={number(one.position)} />
        {one.rate > 0 && <Figure label={t('rate')} value={number(one.rate)} />}
        {one.finish_at !== '' && <Figure label={t('finish')} value={<Time at={one.finish_at} />} />}
      </Group>
      {mayWrite && one.state !== 'undoing' && (
        <Group>
          <Button
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate({ import: one.id }, { onError: toast.failed })}
          >
            {t('stop')}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function Outcomes({ counts, foreseen }: { counts: Record<string, number>; foreseen: boolean }) {
  const t = useText('lists');
  const { number } = useFormats();
  const met = outcomes.filter((name) => name === 'added' || (counts[name] ?? 0) > 0);
  return (
    <Group gap="xl" align="flex-start">
      <Figure label={t('rows')} value={number(counts.rows ?? 0)} />
      {met.map((name) => (
        <Figure
          key={name}
          label={t(foreseen && (name === 'added' || name === 'updated') ? `predicted.${name}` : `count.${name}`)}
          value={number(counts[name] ?? 0)}
        />
      ))}
    </Group>
  );
}

function Undone({ one }: { one: Import }) {
  const t = useText('lists');
  const { number } = useFormats();
  return (
    <Group gap="xl">
      <Figure label={t('undone.removed')} value={number(one.undone.removed)} />
      <Figure label={t('undone.putBack')} value={number(one.undone.put_back)} />
      <Figure label={t('undone.kept')} value={number(one.undone.kept)} />
    </Group>
  );
}

function Ways({ one, list, onColumns }: Omit<RunProps, 'mayWrite'>) {
  const t = useText('lists');
  const { number } = useFormats();
  const touches = ['list', 'member', 'contact', 'segment'];
  const start = useMutate('importStart', touches);
  const undo = useMutate('importUndo', touches);
  const state = one.state as ImportState;
  const foreseen = one.foreseen as Record<string, number>;
  const result = one.result as Record<string, number>;
  const takeBack = async () => {
    const yes = await confirm({
      title: t('undoTitle'),
      figures: [
        { value: number(result.added ?? 0), label: t('undoAdded', { count: result.added ?? 0 }) },
        { value: number(result.updated ?? 0), label: t('undoUpdated', { count: result.updated ?? 0 }) },
      ],
      text: t('undoText'),
      action: t('undo'),
      danger: true,
    });
    if (yes) undo.mutate({ import: one.id }, { onError: toast.failed });
  };
  const touched = (foreseen.added ?? 0) + (foreseen.updated ?? 0);
  return (
    <Group>
      {(state === 'checked' || state === 'stopped' || state === 'failed') && (
        <Button
          loading={start.isPending}
          disabled={state === 'checked' && touched === 0}
          onClick={() => start.mutate({ import: one.id }, { onError: toast.failed })}
        >
          {state === 'checked' ? t('startImport', { count: touched }) : t('resume')}
        </Button>
      )}
      {state === 'checked' && (
        <Button variant="default" onClick={onColumns}>
          {t('changeColumns')}
        </Button>
      )}
      {(state === 'done' || state === 'undone') && (
        <Button component={Link} to={`/lists/${list}` as string} variant={state === 'done' ? 'filled' : 'default'}>
          {t('showMembers')}
        </Button>
      )}
      {(state === 'done' || state === 'stopped' || state === 'failed') && (
        <Button
          variant="default"
          loading={undo.isPending}
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          onClick={takeBack}
        >
          {t('undo')}
        </Button>
      )}
    </Group>
  );
}

function Problems({ one }: { one: Import }) {
  const t = useText('lists');
  const { number } = useFormats();
  const rows = useMethod('importErrors', { import: one.id, limit: 20 }).data ?? [];
  return (
    <Section
      title={t('problems', { count: one.problems })}
      description={t('problemsAbout')}
      actions={<ErrorReport importId={one.id}>{t('errorReport')}</ErrorReport>}
    >
      <Stack gap="sm" component="ul" m={0} p={0}>
        {rows.map((row) => (
          <li key={`${row.line} ${row.column}`} className={classes.card}>
            <Text fw={500}>
              {t('line', { line: number(row.line) })}
              {row.column !== '' && ` · ${row.column}`}
            </Text>
            <Text style={{ overflowWrap: 'anywhere' }}>{row.reason}</Text>
            {row.value !== '' && <Text className={classes.samples}>{row.value}</Text>}
          </li>
        ))}
      </Stack>
      {one.problems > rows.length && rows.length > 0 && (
        <ErrorReport importId={one.id} plain>
          {t('allProblems', { count: one.problems })}
        </ErrorReport>
      )}
    </Section>
  );
}
