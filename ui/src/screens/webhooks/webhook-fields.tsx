// The form fields of a webhook, for creating and editing.
import { Checkbox, Code, Input, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { useText } from '../../text/use-text.tsx';
import { ExampleBody } from './example.tsx';

type Options = ResultOf<'webhooks'>[number];

export const sourceNames: readonly Options['sources'][number][] = ['subscriber', 'admin', 'api'];

export type WebhookValues = {
  title: string;
  url: string;
  secret_key: string;
  list_id: string;
  events: string[];
  sources: string[];
  algorithm: Options['algorithm'];
  format: Options['format'];
  signature_header: string;
};

export const freshValues: WebhookValues = {
  title: '',
  url: '',
  secret_key: '',
  list_id: '',
  events: [],
  sources: [...sourceNames],
  algorithm: 'sha256',
  format: 'standard',
  signature_header: '',
};

/** @param secret the secret field, for a new webhook only: later it is rotated, never read */
export function WebhookFields({ form, secret }: { form: MethodFormState<WebhookValues>; secret: boolean }) {
  const t = useText('webhooks');
  const types = useMethod('eventTypes').data ?? [];
  const shown = types.filter(({ type }) => isSubscribed(form.values.events, type));
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  return (
    <>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        maxLength={200}
        {...form.getInputProps('title')}
      />
      <TextInput
        label={t('url')}
        description={t('urlHint')}
        placeholder="https://example.com/hooks/mail"
        type="url"
        required
        {...form.getInputProps('url')}
      />
      {secret && (
        <TextInput
          label={t('secret')}
          description={t('secretHint')}
          autoComplete="off"
          maxLength={200}
          rightSection={<Copy value={form.values.secret_key} label={t('secret')} />}
          {...form.getInputProps('secret_key')}
        />
      )}
      <EventTypes form={form} types={types} />
      <Checkbox.Group label={t('sources')} description={t('sourcesHint')} {...form.getInputProps('sources')}>
        <Stack mt="sm" gap="sm">
          {sourceNames.map((source) => (
            <Checkbox key={source} value={source} label={t(`source.${source}`)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label={t('list')}
        description={t('listHint')}
        data={[{ value: '', label: t('allLists') }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
        allowDeselect={false}
        searchable
        {...form.getInputProps('list_id')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t('algorithm')}
          description={t('algorithmHint')}
          data={['sha1', 'sha256', 'sha384', 'sha512']}
          allowDeselect={false}
          {...form.getInputProps('algorithm')}
        />
        <Select
          label={t('format')}
          description={t('formatHint')}
          data={[
            { value: 'standard', label: t('format.standard') },
            { value: 'classic', label: t('format.classic') },
          ]}
          allowDeselect={false}
          {...form.getInputProps('format')}
        />
      </SimpleGrid>
      {form.values.format === 'classic' && (
        <TextInput
          label={t('signatureHeader')}
          description={t('signatureHeaderHint')}
          placeholder="X-Vendor-Signature"
          maxLength={100}
          {...form.getInputProps('signature_header')}
        />
      )}
      <ExampleBody types={shown.length > 0 ? shown : types} format={form.values.format} sources={form.values.sources} />
      {types.length === 0 && <Text c="dimmed">{t('loadingTypes')}</Text>}
    </>
  );
}

/** The types by group. The box of a group, and that of all groups, selects what is in it and shows when only some is. */
function EventTypes({
  form,
  types,
}: {
  form: MethodFormState<WebhookValues>;
  types: { type: string; meaning: string }[];
}) {
  const t = useText('webhooks');
  const { events } = form.values;
  const props = form.getInputProps('events');
  const [future, setFuture] = useState(events.some((type) => type.endsWith('*')));
  const all = types.map(({ type }) => type);
  const groups = [...new Set(all.map(patternOf))];
  const chosen = all.filter((type) => isSubscribed(events, type));
  const choose = (next: readonly string[], andFuture = future) => {
    const wanted = all.filter((type) => next.includes(type));
    props.onChange(andFuture ? withPatterns(wanted, all) : wanted);
  };
  const boxOf = (inside: readonly string[]) => {
    const count = inside.filter((type) => chosen.includes(type)).length;
    const isFull = count === inside.length;
    return {
      checked: isFull,
      indeterminate: count > 0 && !isFull,
      onChange: () => choose(isFull ? chosen.filter((type) => !inside.includes(type)) : [...chosen, ...inside]),
    };
  };
  return (
    <Input.Wrapper
      label={t('events')}
      description={t('eventsHint')}
      error={props.error}
      role="group"
      labelElement="div"
    >
      <Stack mt="sm" gap="lg">
        {types.length > 0 && <Checkbox label={t('everyEvent')} {...boxOf(all)} />}
        {groups.map((group) => {
          const ofGroup = types.filter(({ type }) => patternOf(type) === group);
          return (
            <Stack key={group} gap="sm">
              <Checkbox
                label={t('everyEventOf', { group: t.of('group', group.slice(0, -2)) })}
                styles={{ label: { fontWeight: 500 } }}
                {...boxOf(ofGroup.map(({ type }) => type))}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" ps={28}>
                {ofGroup.map(({ type, meaning }) => (
                  <Checkbox
                    key={type}
                    checked={chosen.includes(type)}
                    onChange={({ currentTarget }) =>
                      choose(currentTarget.checked ? [...chosen, type] : chosen.filter((other) => other !== type))
                    }
                    label={<Code>{type}</Code>}
                    description={t.names('event').includes(type) ? t.of('event', type) : meaning}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          );
        })}
        {types.length > 0 && (
          <Switch
            label={t('futureEvents')}
            description={t('futureEventsHint')}
            checked={future}
            onChange={({ currentTarget }) => {
              setFuture(currentTarget.checked);
              choose(chosen, currentTarget.checked);
            }}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const patternOf = (type: string) => `${type.split('.')[0]}.*`;

/** The pattern in place of each group that is selected as a whole, which also stands for types that later versions add. */
function withPatterns(wanted: readonly string[], all: readonly string[]): string[] {
  if (wanted.length === all.length) return ['*'];
  const isWhole = (pattern: string) => all.every((type) => patternOf(type) !== pattern || wanted.includes(type));
  return [...new Set(wanted.map((type) => (isWhole(patternOf(type)) ? patternOf(type) : type)))];
}

const isSubscribed = (events: readonly string[], type: string) =>
  events.includes(type) || events.includes('*') || events.includes(patternOf(type));
