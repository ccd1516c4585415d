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
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import type { ParamsOf, ResultOf } from '../../api/types.ts';
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
import { DataRows, MappingRow, MappingRows, PathField, RequestBody } from './mapping-rows.tsx';
import { readRequest } from './members.ts';
import classes from './webhooks.module.css';

type Mapping = NonNullable<ParamsOf<'incomingWebhookUpdate'>['mapping']>;

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
  return { title, list, confirms, secret: '', ...mapping };
}
type Values = ReturnType<typeof valuesOf>;

/** Rows without anything are left out. */
function mappingOf({ title: _, list: _l, confirms: _c, secret: _s, ...mapping }: Values): Mapping {
  const { names, data, fields } = mapping;
  return {
    ...mapping,
    names: names.filter(({ from, to }) => from + to !== ''),
    data: data
      .filter(({ name, member }) => name + member !== '')
      .map((row) => ({ ...row, items: row.items.filter(({ name, member }) => name + member !== '') })),
    fields: fields.filter(({ tag, member }) => tag + member !== ''),
  };
}

/** Both halves of a row are needed, unless it is empty. */
function halvesOf({ names, data, fields }: Values, words: string): Record<string, string> {
  const errors: Record<string, string> = {};
  const check = (at: string, row: Record<string, unknown>) => {
    const given = Object.entries(row).filter(([, value]) => typeof value === 'string') as [string, string][];
    const empty = given.filter(([, value]) => value.trim() === '');
    if (empty.length === 1) errors[`${at}.${empty[0]![0]}`] = words;
  };
  for (const [n, row] of names.entries()) check(`names.${n}`, row);
  for (const [n, row] of fields.entries()) check(`fields.${n}`, row);
  for (const [n, row] of data.entries()) {
    check(`data.${n}`, row);
    for (const [i, item] of row.items.entries()) check(`data.${n}.items.${i}`, item);
  }
  return errors;
}

function Shown({ hook, refresh }: { hook: Incoming; refresh(): void }) {
  const t = useText('webhooks');
  const mayWrite = useSession().may('contacts:write');
  const update = useMutate('incomingWebhookUpdate');
  const renew = useMutate('incomingWebhookUrl');
  const destroy = useMutate('incomingWebhookDelete');
  const [url, setUrl] = useState('');
  /** The last request, unless another one is being tried. */
  const [tried, setTried] = useState<string>();
  const body = tried ?? pretty(hook.last_body);
  const form = useMethodForm({
    initialValues: valuesOf(hook),
    validate: (values: Values) => halvesOf(values, t('mappingIncomplete')),
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
        <RequestBody value={useMemo(() => readRequest(body), [body])}>
          <MethodForm form={form} guard>
            <Fields form={form} hook={hook} />
            {mayWrite && (
              <Group>
                <Submit form={form}>{t('save')}</Submit>
              </Group>
            )}
          </MethodForm>
        </RequestBody>
        <div className={classes.beside}>
          <Last
            hook={hook}
            body={body}
            onBody={setTried}
            mapping={() => mappingOf(form.getValues())}
            refresh={() => {
              setTried(undefined);
              refresh();
            }}
          />
        </div>
      </SimpleGrid>
    </Page>
  );
}

type FormOf = ReturnType<typeof useMethodForm<Values, boolean>>;

function Fields({ form, hook }: { form: FormOf; hook: Incoming }) {
  const t = useText('webhooks');
  const lists = useMethod('lists', { limit: 1_000 }).data ?? [];
  const path = (name: 'email' | 'event_member' | 'id' | 'time' | 'value' | 'currency' | 'consent') => (
    <PathField
      key={name}
      label={t(`mapping.${name}`)}
      description={t(`mappingHint.${name}`)}
      {...form.getInputProps(name)}
    />
  );
  const words = (name: 'event' | 'value_events' | 'id_events') => (
    <TextInput
      key={name}
      label={t(`mapping.${name}`)}
      description={t(`mappingHint.${name}`)}
      maxLength={300}
      {...form.getInputProps(name)}
    />
  );
  const custom = hook.service === 'custom';
  return (
    <Stack gap="xl">
      <TextInput label={t('name')} maxLength={200} {...form.getInputProps('title')} />
      <Section title={t('incomingPart.contact')}>
        {path('email')}
        <Checkbox
          label={t('mapping.create_contact')}
          description={t('mappingHint.create_contact')}
          {...form.getInputProps('create_contact', { type: 'checkbox' })}
        />
        <NativeSelect
          label={t('incomingList')}
          description={t('incomingListHint')}
          data={[
            { value: '', label: t('incomingNoList') },
            ...lists.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.getInputProps('list')}
        />
        {form.values.list !== '' && (
          <>
            <FieldRows form={form} list={form.values.list} />
            {path('consent')}
            <Checkbox label={t('incomingConfirms')} {...form.getInputProps('confirms', { type: 'checkbox' })} />
          </>
        )}
      </Section>
      <Section title={t('incomingPart.event')}>
        {custom && words('event')}
        {custom && path('event_member')}
        <NameRows form={form} />
        <DataRows rows={form.values.data} errors={form.errors} onChange={(data) => form.setFieldValue('data', data)} />
        {path('time')}
        {path('id')}
        {words('id_events')}
      </Section>
      <Section title={t('incomingPart.value')}>
        {path('value')}
        {words('value_events')}
        {path('currency')}
      </Section>
      <Section title={t('incomingPart.security')}>
        <TextInput
          label={t('signingSecret')}
          description={t(hook.signed ? 'signingSecretSet' : 'signingSecretHint')}
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('secret')}
        />
      </Section>
    </Stack>
  );
}

/** What the service calls the events, and what they are called here. */
function NameRows({ form }: { form: FormOf }) {
  const t = useText('webhooks');
  const { names } = form.values;
  return (
    <MappingRows
      title={t('mapping.names')}
      about={t('mappingHint.names')}
      add={t('mappingAdd.names')}
      onAdd={() => form.insertListItem('names', { from: '', to: '' })}
    >
      {names.map(({ from, to }, n) => (
        <MappingRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and their fields keep no state.
          key={n}
          leads="right"
          name={
            <TextInput
              aria-label={t('mappingFrom')}
              placeholder="orders/create"
              maxLength={100}
              {...form.getInputProps(`names.${n}.from`)}
            />
          }
          path={
            <TextInput
              aria-label={t('mappingTo')}
              placeholder="order.created"
              maxLength={100}
              {...form.getInputProps(`names.${n}.to`)}
            />
          }
          removal={t('mappingRemove', { name: from || to })}
          onRemove={() => form.removeListItem('names', n)}
        />
      ))}
    </MappingRows>
  );
}

/** Fields of the list that a request sets. */
function FieldRows({ form, list }: { form: FormOf; list: string }) {
  const t = useText('webhooks');
  const tags = (useMethod('listMergeVars', { id: list }).data ?? []).map(({ tag }) => tag);
  const { fields } = form.values;
  return (
    <MappingRows
      title={t('mapping.fields')}
      about={t('mappingHint.fields')}
      add={t('mappingAdd.fields')}
      onAdd={() => form.insertListItem('fields', { tag: '', member: '' })}
    >
      {fields.map(({ tag, member }, n) => (
        <MappingRow
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names, and their fields keep no state.
          key={n}
          name={
            <NativeSelect
              aria-label={t('mappingTag')}
              data={['', ...new Set([...tags, tag])].filter((one, at) => at === 0 || one !== '')}
              {...form.getInputProps(`fields.${n}.tag`)}
            />
          }
          path={
            <PathField
              inRow
              label={t('mappingMember')}
              placeholder={t('mappingMember')}
              {...form.getInputProps(`fields.${n}.member`)}
            />
          }
          removal={t('mappingRemove', { name: tag || member })}
          onRemove={() => form.removeListItem('fields', n)}
        />
      ))}
    </MappingRows>
  );
}

type LastProps = { hook: Incoming; body: string; onBody(body: string): void; mapping(): Mapping; refresh(): void };

/** The last request, and what the mapping makes of it. */
function Last({ hook, body, onBody, mapping, refresh }: LastProps) {
  const t = useText('webhooks');
  const [made, setMade] = useState<ResultOf<'incomingWebhookTry'>>();
  const [fault, setFault] = useState<unknown>();
  const onTry = async () => {
    try {
      const given = mapping();
      // As the service called the last one; before the first, one that is mapped, unless the body says it.
      const called = hook.last_called || (given.event_member ? '' : (given.names?.[0]?.from ?? ''));
      setMade(await call('incomingWebhookTry', { body, mapping: given, called }));
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
          <Button variant="default" size="xs" onClick={refresh}>
            {t('incomingRefresh')}
          </Button>
        </Group>
        <Textarea
          label={t('incomingBody')}
          description={t('incomingBodyHint')}
          value={body}
          onChange={(event) => onBody(event.currentTarget.value)}
          autosize
          minRows={8}
          maxRows={18}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        />
        <Group>
          <Button variant="default" size="xs" disabled={body.trim() === ''} onClick={onTry}>
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
