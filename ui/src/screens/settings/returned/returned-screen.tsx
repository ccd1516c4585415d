// Returned mail: the services and mailboxes that bounces, complaints and unsubscribes come from. When each service was last heard from, or what to do
// to connect it. A URL is shown once, when it is made.
import { Alert, Button, Code, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconMailForward, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ParamsOf, ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import classes from '../settings.module.css';
import { Mailboxes } from './mailboxes.tsx';

type Source = ResultOf<'noticeSources'>[number];
type Service = ParamsOf<'noticeSourceCreate'>['service'];

/** THE list on the screen, in its order; complete, since the compiler compares it with that of the methods. */
const services = {
  ses: { takesKey: false },
  sendgrid: { takesKey: true },
  postmark: { takesKey: false },
  mailgun: { takesKey: true },
  brevo: { takesKey: false },
  mailjet: { takesKey: false },
  resend: { takesKey: true },
  sparkpost: { takesKey: false },
  generic: { takesKey: false },
} satisfies Record<Service, { /** Its requests are signed with a key that is entered here. */ takesKey: boolean }>;
const serviceNames = Object.keys(services) as Service[];

const tones: Record<Source['state'], Tone> = {
  needs_key: 'waiting',
  waiting: 'still',
  working: 'good',
  refused: 'bad',
};

export function ReturnedScreen() {
  const t = useText('settings');
  const answer = useMethod('noticeSources', {}, { refetchInterval: 10_000 });
  const [connecting, setConnecting] = useState(false);
  const [urls, setUrls] = useState<Record<string, string>>({});
  const connect = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setConnecting(true)}>
      {t('sourceConnect')}
    </Button>
  );
  const show = (made: { id: string; url: string }) => setUrls((known) => ({ ...known, [made.id]: made.url }));
  return (
    <SettingsFrame section="returned" description={t('returnedAbout')} actions={connect}>
      <Loaded query={answer}>
        {(sources) =>
          sources.length === 0 ? (
            <Empty
              icon={IconMailForward}
              title={t('sourcesEmptyTitle')}
              text={t('sourcesEmptyText')}
              action={connect}
            />
          ) : (
            <Stack>
              {sources.map((source) => (
                <OneSource key={source.id} source={source} url={urls[source.id]} onUrl={show} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      <Mailboxes />
      <Modal opened={connecting} onClose={() => setConnecting(false)} title={t('sourceConnect')}>
        <Connect
          onDone={(made) => {
            show(made);
            setConnecting(false);
          }}
        />
      </Modal>
    </SettingsFrame>
  );
}

function Connect({ onDone }: { onDone(made: { id: string; url: string }): void }) {
  const t = useText('settings');
  const create = useMutate('noticeSourceCreate');
  const form = useMethodForm({
    initialValues: { service: 'ses' as Service, title: '' },
    send: ({ service, title }) => create.mutateAsync({ service, title }),
    done: onDone,
  });
  return (
    <MethodForm form={form}>
      <NativeSelect
        label={t('sourceService')}
        data={serviceNames.map((name) => ({ value: name, label: t(`service.${name}`) }))}
        data-autofocus
        {...form.getInputProps('service')}
      />
      <TextInput
        label={t('sourceTitle')}
        description={t('sourceTitleHint')}
        maxLength={100}
        {...form.getInputProps('title')}
      />
      <Text c="dimmed">{t('sourceConnectText')}</Text>
      <Group justify="flex-end">
        <Submit form={form}>{t('sourceConnectConfirm')}</Submit>
      </Group>
    </MethodForm>
  );
}

type OneProps = { source: Source; url: string | undefined; onUrl(made: { id: string; url: string }): void };

function OneSource({ source, url, onUrl }: OneProps) {
  const t = useText('settings');
  const service = t(`service.${source.service}`);
  const name = source.title === '' ? service : `${source.title} (${service})`;
  return (
    <Stack gap="sm" className={classes.box} component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm">
            <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            <Status tone={tones[source.state]}>{t(`sourceState.${source.state}`)}</Status>
          </Group>
          <Facts source={source} />
        </div>
        <Actions source={source} name={name} onUrl={onUrl} />
      </Group>
      {url === undefined ? (
        <Code style={{ overflowWrap: 'anywhere' }}>{source.url}</Code>
      ) : (
        <Alert variant="outline" icon={<IconPlugConnected aria-hidden />} title={t('sourceUrlTitle')} role="status">
          <Stack gap="sm">
            <Text size="sm">{t('sourceUrlText')}</Text>
            <Group gap="sm" wrap="nowrap">
              <Code style={{ overflowWrap: 'anywhere' }}>{url}</Code>
              <Copy value={url} label={t('sourceUrl')} />
            </Group>
          </Stack>
        </Alert>
      )}
      {source.state !== 'working' && <Text>{t.of('sourceSteps', source.service)}</Text>}
      {source.signs && services[source.service].takesKey && !source.has_key && <KeyForm source={source} />}
      {source.state === 'refused' && (
        <Text>
          {t('sourceProblem')} {source.problem} (<Time at={source.refused_at} />)
        </Text>
      )}
    </Stack>
  );
}

function Facts({ source }: { source: Source }) {
  const t = useText('settings');
  const { number } = useFormats();
  return (
    <Text c="dimmed" size="xs" mt={4}>
      {t('sourceHeard')} <Time at={source.heard_at} never={t('never')} />
      {source.received > 0 && ` · ${t('sourceMatched', { count: source.matched, matched: number(source.matched) })}`}
      {source.unknown > 0 && ` · ${t('sourceUnknown', { count: source.unknown, unknown: number(source.unknown) })}`}
      {source.refused > 0 && ` · ${t('sourceRefused', { count: source.refused, refused: number(source.refused) })}`}
    </Text>
  );
}

function KeyForm({ source }: { source: Source }) {
  const t = useText('settings');
  const update = useMutate('noticeSourceUpdate');
  const form = useMethodForm({
    initialValues: { value: '' },
    send: ({ value }) => update.mutateAsync({ id: source.id, name: 'key', value }),
    done: () => toast.done(t('sourceKeySaved')),
  });
  return (
    <MethodForm form={form}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t.of('sourceKey', source.service)}
          autoComplete="off"
          spellCheck={false}
          style={{ flex: '1 1 240px' }}
          {...form.getInputProps('value')}
        />
        <Submit form={form}>{t('sourceKeySave')}</Submit>
      </Group>
    </MethodForm>
  );
}

function Actions({ source, name, onUrl }: Omit<OneProps, 'url'> & { name: string }) {
  const t = useText('settings');
  const replace = useMutate('noticeSourceReplaceUrl');
  const remove = useMutate('noticeSourceDelete');
  const act = async (question: { title: string; text: string; action: string }, run: () => Promise<void>) => {
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await run();
    } catch (error) {
      toast.failed(error);
    }
  };
  const onReplace = () =>
    act(
      { title: t('sourceReplaceTitle', { name }), text: t('sourceReplaceText'), action: t('sourceReplace') },
      async () => onUrl(await replace.mutateAsync({ id: source.id })),
    );
  const onRemove = () =>
    act(
      { title: t('sourceRemoveTitle', { name }), text: t('sourceRemoveText'), action: t('sourceRemove') },
      async () => {
        await remove.mutateAsync({ id: source.id });
        toast.done(t('sourceRemoved', { name }));
      },
    );
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" aria-label={t('sourceReplaceOf', { name })} onClick={onReplace}>
        {t('sourceReplace')}
      </Button>
      <Button variant="default" size="xs" aria-label={t('sourceRemoveOf', { name })} onClick={onRemove}>
        {t('sourceRemove')}
      </Button>
    </Group>
  );
}
