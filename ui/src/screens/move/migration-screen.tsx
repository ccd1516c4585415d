// A migration: what its dry run has found, its progress and its result. It goes on in a worker, so the screen can be left.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiFault } from '../../api/call.ts';
import { invalidate, useMethod, useMutate } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LinkButton } from '../../parts/link.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Steps } from '../../parts/steps/steps.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Migration, type MovedList, sourceNames, steps, sumOf, tones } from './migration.ts';
import { Lists, Problems } from './tables.tsx';

const back = '/contacts/move';
/** What a migration changes. */
const touches = ['list', 'member', 'contact', 'segment', 'suppressed', 'campaign'] as const;

/** A worker may be done within a second; otherwise only another person changes it. */
const intervalOf = (migration?: Migration) => (!migration || isInProgress(migration) ? 800 : 4_000);
const isInProgress = ({ state }: Migration) => state === 'reading' || state === 'running';

export function MigrationScreen() {
  const t = useText('move');
  const { migration } = useParams({ strict: false }) as { migration: string };
  const { data, error, refetch } = useMethod('migrationGet', { migration }, { refetchInterval: intervalOf });
  const client = useQueryClient();
  const state = data?.state;
  useEffect(() => {
    if (state === 'done' || state === 'stopped') invalidate(client, touches);
  }, [client, state]);
  if (error instanceof ApiFault && error.status === 404) return <NotFound />;
  if (data === undefined)
    return <LoadingPage title={t('title')} back={{ to: back, label: t('title') }} query={{ error, refetch }} />;
  const isApplied = data.date_started !== '';
  return (
    <Page>
      <PageHeader
        title={t('from', { source: sourceNames[data.source] })}
        status={<Status tone={tones[data.state]}>{t(`state.${data.state}`)}</Status>}
        back={{ to: back, label: t('title') }}
      />
      <Steps
        label={t('steps')}
        steps={steps.map((name) => ({ name, title: t(`step.${name}`) }))}
        now={isApplied ? 'move' : 'check'}
        finished={data.state === 'done'}
      />
      {isInProgress(data) ? <InProgress status={data} /> : <Result status={data} />}
      {data.checked && <Lists status={data} isApplied={isApplied} />}
      {data.problems.length > 0 && <Problems status={data} />}
    </Page>
  );
}

function InProgress({ status }: { status: Migration }) {
  const t = useText('move');
  const { number, percent } = useFormats();
  const mayWrite = useSession().may('contacts:write');
  const stop = useMutate('migrationStop');
  const reading = status.state === 'reading';
  return (
    <Section title={t(reading ? 'reading' : 'running')} description={t(reading ? 'readingAbout' : 'runningAbout')}>
      <Progress
        value={reading ? 100 : status.share * 100}
        striped={reading}
        animated={reading}
        size="lg"
        aria-label={t('progress')}
      />
      <Group gap="xl" role="status">
        {!reading && <Stat label={t('progress')} value={percent(status.share)} />}
        <Stat label={t(reading ? 'entries' : 'moved')} value={number(status.position)} />
      </Group>
      {mayWrite && (
        <Group>
          <Button
            variant="default"
            loading={stop.isPending}
            onClick={() => stop.mutate({ migration: status.id }, { onError: toast.failed })}
          >
            {t('stop')}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function Result({ status }: { status: Migration }) {
  const t = useText('move');
  const state = status.state as 'checked' | 'stopped' | 'failed' | 'done';
  const mayWrite = useSession().may('contacts:write');
  return (
    <Stack gap="lg">
      {status.reason !== '' && (
        <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />}>
          <Text>{status.reason}</Text>
        </Alert>
      )}
      <Section title={t(state)} description={state === 'failed' ? undefined : t(`${state}About`)}>
        {status.checked && <Figures status={status} />}
        {mayWrite && <Actions status={status} />}
      </Section>
    </Stack>
  );
}

function Figures({ status }: { status: Migration }) {
  const t = useText('move');
  const { number } = useFormats();
  const of = status.date_started === '' ? 'predicted' : 'result';
  const sum = (name: keyof MovedList['result']) => sumOf(status, of, name);
  const left = sum('added_left');
  const missing = sum('invalid') + sum('duplicate') + sum('suppressed') + sum('left');
  const { others } = status;
  const end = of === 'predicted' ? 'new' : 'added';
  return (
    <Stats>
      <Stat
        label={t('added')}
        value={number(sum('added'))}
        note={left > 0 && t('leftNote', { count: left, number: number(left) })}
      />
      {sum('updated') > 0 && <Stat label={t('updated')} value={number(sum('updated'))} />}
      {sum('unchanged') > 0 && <Stat label={t('unchanged')} value={number(sum('unchanged'))} />}
      <Stat label={t('notTaken')} value={number(missing)} />
      {(['suppressions', 'templates'] as const).map((name) => (
        <Stat
          key={name}
          label={t(name)}
          value={number(others[`${name}_${end}`])}
          note={t('newOf', { number: number(others[name]) })}
        />
      ))}
    </Stats>
  );
}

function Actions({ status }: { status: Migration }) {
  const t = useText('move');
  const { number } = useFormats();
  const start = useMutate('migrationStart', [...touches]);
  const { others } = status;
  const count = sumOf(status, 'predicted', 'added') + sumOf(status, 'predicted', 'updated');
  const rest = others.suppressions_new + others.templates_new;
  if (status.state === 'done')
    return (
      <Group>
        <LinkButton to="/lists">{t('showLists')}</LinkButton>
      </Group>
    );
  if (status.state === 'checked' && count + rest === 0) return <Text>{t('nothing')}</Text>;
  const label =
    status.state !== 'checked'
      ? t('resume')
      : count > 0
        ? t('apply', { count, number: number(count) })
        : t('applyRest');
  return (
    <Group>
      <Button
        loading={start.isPending}
        onClick={() => start.mutate({ migration: status.id }, { onError: toast.failed })}
      >
        {label}
      </Button>
      {status.state === 'failed' && (
        <LinkButton variant="default" to={back}>
          {t('otherFiles')}
        </LinkButton>
      )}
    </Group>
  );
}
