// One incoming webhook: what of a request becomes the event, beside the last request and what the mapping makes of it.
import {
  Button,
  Checkbox,
  Code,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Incoming, LastRequest, MadeUrl } from './incoming-screen.tsx';
import { dataOf, dataText, type Mapping, pairsOf, pairsText } from './mapping-text.ts';

export function IncomingWebhookScreen() {
  const t = useText('webhooks');
  const { id } = getRouteApi('/shell/webhooks/incoming/$id').useParams();
  // The last request appears as it comes.
  const answer = useMethod('incomingWebhooks', {}, { refetchInterval: 5_000 });
  const back = { to: '/webhooks/incoming', label: t('incomingTitle') } as const;
  if (!answer.data) return <LoadingPage title={t('webhook')} back={back} query={answer} />;
  const hook = answer.data.find((one) => one.id === id);
  return hook ? <Shown key={id} hook={hook} refresh={() => void answer.refetch()} /> : <NotFound />;
}

function valuesOf({ title, list, confirms, mapping }: Incoming) {
  const { names, data, fields, ...paths } = mapping;
  return {
    title,
    list,
    confirms,
    secret: '',
    ...paths,
    names: pairsText(names.map(({ from, to }) => ({ name: from, member: to }))),
    data: dataText(data),
    fields: pairsText(fields.map(({ tag, member }) => ({ name: tag, member }))),
  };
}
type Values = ReturnType<typeof valuesOf>;

function mappingOf({ title: _, list: _l, confirms: _c, secret: _s, names, data, fields, ...paths }: Values): Mapping {
  return {
    ...paths,
    names: pairsOf(names).map(({ name, member }) => ({ from: name, to: member })),
    data: dataOf(data),
    fields: pairsOf(fields).map(({ name, member }) => ({ tag: name, member })),
  };
}

function Shown({ hook, refresh }: { hook: Incoming; refresh(): void }) {
  const t = useText('webhooks');
  const mayWrite = useSession().may('write');
  const update = useMutate('incomingWebhookUpdate');
  const renew = useMutate('incomingWebhookUrl');
  const destroy = useMutate('incomingWebhookDelete');
  const [url, setUrl] = useState('');
  const form = useMethodForm({
    initialValues: valuesOf(hook),
    send: (values) =>
      update.mutateAsync({
        id: hook.id,
        title: values.title,
        list: values.list,
        confirms: values.confirms,
        ...(values.secret === '' ? {} : { secret: values.secret }),
        mapping: mappingOf(values),
      }),
    done: () => toast.done(t('saved')),
  });
  const onRenew = async () => {
    const question = {
      title: t('incomingRenew'),
      text: t('incomingRenewText'),
      action: t('incomingRenew'),
      danger: true,
    };
    if (!(await confirm(question))) return;
    renew.mutate({ id: hook.id }, { onSuccess: (made) => setUrl(made.url), onError: (error) => toast.failed(error) });
  };
  return (
    <Page>
      <PageHeader
        title={hook.title}
        back={{ to: '/webhooks/incoming', label: t('incomingTitle') }}
        description={`${t(`service.${hook.service}`)} · ${hook.url}`}
        actions={
          mayWrite && (
            <ObjectMenu
              items={[{ label: t('incomingRenew'), icon: IconRefresh, act: onRenew }]}
              removal={{
                title: t('incomingDeleteTitle', { name: hook.title }),
                text: t('incomingDeleteText'),
                action: t('incomingDelete'),
                remove: () => destroy.mutateAsync({ id: hook.id }),
                done: t('incomingDeleted'),
                backTo: '/webhooks/incoming',
              }}
            />
          )
        }
      />
      {url !== '' && <MadeUrl made={{ id: hook.id, title: hook.title, url }} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <MethodForm form={form} guard>
          <Fields form={form} hook={hook} />
          {mayWrite && (
            <Group>
              <Submit form={form}>{t('save')}</Submit>
            </Group>
          )}
        </MethodForm>
        <Last hook={hook} mapping={() => mappingOf(form.getValues())} refresh={refresh} />
      </SimpleGrid>
    </Page>
  );
}

type FormOf = ReturnType<typeof useMethodForm<Values, boolean>>;

function Fields({ form, hook }: { form: FormOf; hook: Incoming }) {
  const t = useText('webhooks');
  const lists = useMethod('lists', { limit: 1_000 }).data ?? [];
  const path = (
    name: 'email' | 'event' | 'event_member' | 'id' | 'time' | 'value' | 'value_events' | 'currency' | 'consent',
  ) => (
    <TextInput
      key={name}
      label={t(`mapping.${name}`)}
      description={t(`mappingHint.${name}`)}
      maxLength={300}
      {...form.getInputProps(name)}
    />
  );
  const lines = (name: 'names' | 'data' | 'fields') => (
    <Textarea
      key={name}
      label={t(`mapping.${name}`)}
      description={t(`mappingHint.${name}`)}
      autosize
      minRows={2}
      maxRows={12}
      {...form.getInputProps(name)}
    />
  );
  const custom = hook.service === 'custom';
  return (
    <Stack gap="md">
      <TextInput label={t('name')} maxLength={200} {...form.getInputProps('title')} />
      {path('email')}
      {custom && path('event')}
      {custom && path('event_member')}
      {lines('names')}
      {path('value')}
      {path('value_events')}
      {path('currency')}
      {path('time')}
      {path('id')}
      {lines('data')}
      <Checkbox
        label={t('mapping.create_contact')}
        description={t('mappingHint.create_contact')}
        {...form.getInputProps('create_contact', { type: 'checkbox' })}
      />
      <NativeSelect
        label={t('incomingList')}
        description={t('incomingListHint')}
        data={[{ value: '', label: t('incomingNoList') }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
        {...form.getInputProps('list')}
      />
      {form.values.list !== '' && (
        <>
          {lines('fields')}
          {path('consent')}
          <Checkbox label={t('incomingConfirms')} {...form.getInputProps('confirms', { type: 'checkbox' })} />
        </>
      )}
      <TextInput
        label={t('signingSecret')}
        description={t(hook.signed ? 'signingSecretSet' : 'signingSecretHint')}
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('secret')}
      />
    </Stack>
  );
}

/** The last request, and what the mapping makes of it. */
function Last({ hook, mapping, refresh }: { hook: Incoming; mapping(): Mapping; refresh(): void }) {
  const t = useText('webhooks');
  const [body, setBody] = useState<string>();
  const [made, setMade] = useState<ResultOf<'incomingWebhookTry'>>();
  const [fault, setFault] = useState<unknown>();
  const shown = body ?? pretty(hook.last_body);
  const onTry = async () => {
    try {
      const given = mapping();
      // As the service would call it.
      const called = given.names?.[0]?.from ?? '';
      setMade(await call('incomingWebhookTry', { body: shown, mapping: given, called }));
      setFault(undefined);
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <Section title={t('lastRequest')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <LastRequest hook={hook} />
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setBody(undefined);
              refresh();
            }}
          >
            {t('incomingRefresh')}
          </Button>
        </Group>
        <Textarea
          label={t('incomingBody')}
          description={t('incomingBodyHint')}
          value={shown}
          onChange={(event) => setBody(event.currentTarget.value)}
          autosize
          minRows={8}
          maxRows={24}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        />
        <Group>
          <Button variant="default" size="xs" disabled={shown.trim() === ''} onClick={onTry}>
            {t('incomingTry')}
          </Button>
        </Group>
        {fault !== undefined && <FaultNote error={fault} />}
        {made && (
          <div role="status">
            <Text size="sm" fw={500}>
              {t('incomingMakes')}
            </Text>
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {JSON.stringify(made, null, 2)}
            </Code>
          </div>
        )}
      </Stack>
    </Section>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
