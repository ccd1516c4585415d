// One recurring campaign: when the next issue is due, the issue that waits for approval, all issues, a preview and the settings.
import { Alert, Button, Group, Tabs, Text } from '@mantine/core';
import { IconAlertCircle, IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useText } from '../../text/use-text.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { isUnstarted, RecurringStatus } from './chips.tsx';
import { IssuesTab } from './issues-tab.tsx';
import { RunNow } from './run-now.tsx';
import type { Info } from './types.ts';
import { useDecisions } from './use-decisions.ts';
import { scheduleInWords } from './words.ts';

const PreviewTab = lazy(() => import('./preview-tab.tsx'));
const SettingsTab = lazy(() => import('./settings-tab.tsx'));

export function RecurringCampaignScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useMethod('recurringGet', { id }, { refetchInterval: 10_000 });
  return (
    <Page>
      <Loaded query={query}>{(info) => <Recurring info={info} />}</Loaded>
    </Page>
  );
}

function Recurring({ info }: { info: Info }) {
  const t = useText('recurring');
  const { language } = useLanguage();
  const { dateTime } = useFormats();
  const session = useSession();
  const { tab: wanted } = useSearch({ strict: false }) as { tab?: Tab<'recurring'> };
  const next = parseTime(info.next_at);
  const shown = tabs.recurring.filter((name) => name === 'issues' || session.may('campaigns:write'));
  // Before the first issue there is only what it would be.
  const first = isUnstarted(info) && shown.includes('preview') ? 'preview' : 'issues';
  const tab = shown.find((name) => name === wanted) ?? first;
  return (
    <>
      <PageHeader
        title={info.title}
        status={<RecurringStatus recurring={info} />}
        description={
          <Text size="sm">
            {scheduleInWords(t, info.schedule, language)} ({info.time_zone}) ·{' '}
            {t('ofList', { list: info.list_name || '–' })}
            {next && <> · {t('nextAt', { time: dateTime(next) })}</>}
          </Text>
        }
        back={{ to: '/recurring', label: t('title') }}
        actions={<Actions info={info} />}
      />
      <Notes info={info} />
      <UrlTabs tabs={shown} open={tab} labelOf={(name) => t(`tab.${name}`)}>
        <Tabs.Panel value="issues">
          <IssuesTab info={info} />
        </Tabs.Panel>
        <Suspense fallback={<Lines />}>
          <Tabs.Panel value="preview">
            <PreviewTab info={info} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <SettingsTab info={info} />
          </Tabs.Panel>
        </Suspense>
      </UrlTabs>
    </>
  );
}

/** What needs the user: an issue that waits or failed, a paused campaign, a missing original. */
function Notes({ info }: { info: Info }) {
  const t = useText('recurring');
  const decide = useDecisions();
  const maySend = useSession().may('campaigns:send');
  const [latest] = info.latest;
  const icon = <IconAlertCircle aria-hidden />;
  if (info.problem !== '')
    return (
      <Alert color="red" variant="outline" icon={icon} role="status">
        <Text size="sm">{t('problem', { reason: info.problem })}</Text>
      </Alert>
    );
  if (latest?.state === 'waiting')
    return (
      <Alert color="orange" variant="outline" icon={icon} role="status">
        <Text size="sm" mb={maySend ? 'sm' : 0}>
          <Tagged>{t('waits', { subject: latest.subject })}</Tagged>
          {latest.reason !== '' && ` ${t('waitsWhy', { reason: latest.reason })}`}
        </Text>
        {maySend && (
          <Group gap="sm">
            <Button onClick={() => decide.approve(latest.campaign, latest.subject)}>{t('approveNow')}</Button>
            <LinkButton variant="default" to="/campaigns/$id/edit" params={{ id: latest.campaign }}>
              {t('look')}
            </LinkButton>
            <Button variant="subtle" onClick={() => decide.skip(latest.campaign)}>
              {t('skip')}
            </Button>
          </Group>
        )}
      </Alert>
    );
  if (latest?.state === 'failed')
    return (
      <Alert color="red" variant="outline" icon={icon} role="status">
        <Text size="sm">{t('latestFailed', { reason: latest.reason })}</Text>
      </Alert>
    );
  if (info.status === 'paused')
    return (
      <Text size="sm" c="dimmed" role="status">
        {t(isUnstarted(info) ? 'notStartedNote' : 'pausedNote')}
      </Text>
    );
  return null;
}

function Actions({ info }: { info: Info }) {
  const t = useText('recurring');
  const session = useSession();
  const resume = useMutate('recurringResume');
  const pause = useMutate('recurringPause');
  const remove = useMutate('recurringDelete');
  const onError = (error: unknown) => toast.failed(error);
  const isActive = info.status === 'active';
  return (
    <>
      {session.may('campaigns:write') && info.campaign !== '' && (
        <LinkButton
          to="/campaigns/$id/edit"
          params={{ id: info.campaign }}
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          {t('editEmail')}
        </LinkButton>
      )}
      <RunNow info={info} />
      {/* On a phone the menu never stands alone on a line. */}
      <Group gap="sm" wrap="nowrap">
        {session.may('campaigns:send') &&
          (isActive ? (
            <Button
              variant="default"
              loading={pause.isPending}
              leftSection={<IconPlayerPause size={16} aria-hidden />}
              onClick={() => pause.mutate({ id: info.id }, { onError, onSuccess: () => toast.done(t('paused')) })}
            >
              {t('pause')}
            </Button>
          ) : (
            <Button
              loading={resume.isPending}
              disabled={info.campaign === ''}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              onClick={() => resume.mutate({ id: info.id }, { onError, onSuccess: () => toast.done(t('started')) })}
            >
              {t('start')}
            </Button>
          ))}
        {session.may('campaigns:write') && (
          <ObjectMenu
            items={[]}
            removal={{
              title: t('confirmDelete', { title: info.title }),
              text: t('confirmDeleteText'),
              action: t('delete'),
              remove: () => remove.mutateAsync({ id: info.id }),
              done: t('deleted'),
              backTo: '/recurring',
            }}
          />
        )}
      </Group>
    </>
  );
}
