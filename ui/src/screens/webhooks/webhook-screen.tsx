// A webhook: state, log, settings, secret and signature verification.
import { Alert, Button, Group, Tabs, Text } from '@mantine/core';
import { IconAlertTriangle, IconCopy, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { asSentence } from '../../text/as-sentence.ts';
import { useText } from '../../text/use-text.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { HookStatus, type Webhook } from './hook-status.tsx';
import { Attempts } from './log/attempts.tsx';
import { takeSecret } from './new-secret.ts';
import { Overview } from './overview-tab.tsx';
import { Samples } from './samples-tab.tsx';
import { Secret } from './secret-tab.tsx';
import { Settings } from './settings-tab.tsx';
import { isAtRest, stateOf } from './states.ts';
import { TestEvent } from './test-event.tsx';
import { useClock } from './use-clock.ts';

export function WebhookScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const answer = useMethod('webhooks', {}, { refetchInterval: 5_000 });
  const t = useText('webhooks');
  const back = { to: '/webhooks', label: t('title') } as const;
  if (answer.data === undefined) return <LoadingPage title={t('webhook')} back={back} query={answer} />;
  const hook = answer.data.find((candidate) => candidate.id === id);
  return hook ? <Shown key={id} hook={hook} /> : <NotFound />;
}

/** Since when it fails, when the waiting events are sent again, and a button that does it now. */
function NextTry({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const clock = useClock();
  const retry = useMutate('webhookRetry');
  const { may } = useSession();
  const waits = hook.next_try !== '';
  const sendNow = () =>
    retry.mutate({ wid: hook.id }, { onSuccess: () => toast.done(t('retried')), onError: toast.failed });
  return (
    <Group gap="sm" mt="xs">
      <Text size="sm">
        {t('failingFrom', { time: clock(hook.failing_since) })}
        {waits && ` · ${t('nextTry', { time: clock(hook.next_try) })}`}
      </Text>
      {waits && may('webhooks:write') && (
        <Button variant="default" size="xs" loading={retry.isPending} onClick={sendNow}>
          {t('retryNow')}
        </Button>
      )}
    </Group>
  );
}

function Shown({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const { tab = 'overview' } = useSearch({ strict: false }) as { tab?: Tab<'webhook'> };
  // A secret created here is kept until the page is left: shown once, and filled into the code samples.
  const [secret, setSecret] = useState<string | undefined>(() => takeSecret(hook.id));
  return (
    <Page>
      <PageHeader
        title={hook.title}
        status={<HookStatus hook={hook} />}
        description={<Text style={{ overflowWrap: 'anywhere' }}>{hook.url}</Text>}
        back={{ to: '/webhooks', label: t('title') }}
        actions={<Actions hook={hook} />}
      />
      {hook.status_reason !== '' && (
        <Alert
          color={hook.status === 'off' ? 'red' : 'yellow'}
          variant="outline"
          icon={<IconAlertTriangle aria-hidden />}
          title={t.of('why', stateOf(hook))}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Text size="sm">{asSentence(hook.status_reason)}</Text>
          {stateOf(hook) === 'failing' && <NextTry hook={hook} />}
        </Alert>
      )}
      <UrlTabs tabs={tabs.webhook} open={tab} labelOf={(name) => t(`tab.${name}`)}>
        <Tabs.Panel value="overview">
          <Overview hook={hook} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <Attempts hook={hook} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Settings hook={hook} />
        </Tabs.Panel>
        <Tabs.Panel value="secret">
          <Secret hook={hook} made={secret} onMade={setSecret} />
        </Tabs.Panel>
        <Tabs.Panel value="verify">
          <Samples hook={hook} secret={secret} />
        </Tabs.Panel>
      </UrlTabs>
    </Page>
  );
}

function Actions({ hook }: { hook: Webhook }) {
  const t = useText('webhooks');
  const navigate = useNavigate();
  const { number } = useFormats();
  const update = useMutate('webhookUpdate');
  const replicate = useMutate('webhookReplicate');
  const destroy = useMutate('webhookDelete');
  const rests = isAtRest(hook);
  const change = (status: 'active' | 'paused') =>
    update.mutate({ wid: hook.id, name: 'status', value: status }, { onError: toast.failed });
  const duplicate = () =>
    replicate.mutate(
      { wid: hook.id },
      {
        onSuccess: (id) => {
          toast.done(t('duplicated'));
          navigate({ to: '/webhooks/$id', params: { id } });
        },
        onError: toast.failed,
      },
    );
  return (
    <>
      <TestEvent hook={hook} primary={!rests} />
      <Button
        variant={rests ? 'filled' : 'default'}
        loading={update.isPending}
        leftSection={rests ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
        onClick={() => change(rests ? 'active' : 'paused')}
      >
        {t(rests ? 'turnOn' : 'pause')}
      </Button>
      <ObjectMenu
        items={[{ label: t('duplicate'), icon: IconCopy, act: duplicate }]}
        removal={{
          title: t('deleteTitle', { name: hook.title }),
          figures: [{ value: number(hook.waiting_events), label: t('deleteQueued', { count: hook.waiting_events }) }],
          text: t('deleteText'),
          action: t('delete'),
          remove: () => destroy.mutateAsync({ wid: hook.id }),
          done: t('deleted'),
          backTo: '/webhooks',
        }}
      />
    </>
  );
}
