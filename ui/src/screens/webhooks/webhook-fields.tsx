// The form fields of a webhook, for creating and editing.
import { Checkbox, Code, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { useText } from '../../text/use-text.tsx';
import { ExampleBody } from './example.tsx';

export const sourceNames = ['subscriber', 'admin', 'api'] as const;

export type WebhookValues = {
  title: string;
  url: string;
  secret_key: string;
  list_id: string;
  events: string[];
  sources: string[];
  algorithm: string;
  format: string;
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
          label={t('secretOptional')}
          description={t('secretHint')}
          autoComplete="off"
          maxLength={200}
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

/** The types by group. The box of a group covers its types and those that are added later, and the first box all groups. */
function EventTypes({
  form,
  types,
}: {
  form: MethodFormState<WebhookValues>;
  types: { type: string; meaning: string }[];
}) {
  const t = useText('webhooks');
  const { events } = form.values;
  const groups = [...new Set(types.map(({ type }) => patternOf(type)))];
  const covered = [...groups, ...types.map(({ type }) => type)].filter((type) => isCovered(events, type));
  const props = form.getInputProps('events');
  const choose = (chosen: string[]) => props.onChange(chosen.filter((type) => !isCovered(chosen, type)));
  return (
    <Checkbox.Group
      label={t('events')}
      description={t('eventsHint')}
      {...props}
      value={[...new Set([...events, ...covered])]}
      onChange={choose}
    >
      <Stack mt="sm" gap="lg">
        {types.length > 0 && <Checkbox value="*" label={t('everyEvent')} description={t('everyEventHint')} />}
        {groups.map((group) => (
          <Stack key={group} gap="sm">
            <Checkbox
              value={group}
              disabled={covered.includes(group)}
              label={t('everyEventOf', { group: t.of('group', group.slice(0, -2)) })}
              styles={{ label: { fontWeight: 500 } }}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" ps={28}>
              {types
                .filter(({ type }) => patternOf(type) === group)
                .map(({ type, meaning }) => (
                  <Checkbox
                    key={type}
                    value={type}
                    disabled={covered.includes(type)}
                    label={<Code>{type}</Code>}
                    description={t.names('event').includes(type) ? t.of('event', type) : meaning}
                  />
                ))}
            </SimpleGrid>
          </Stack>
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

const patternOf = (type: string) => `${type.split('.')[0]}.*`;
/** Whether a wider choice includes this one. */
const isCovered = (events: readonly string[], type: string) =>
  (type !== '*' && events.includes('*')) || (type !== patternOf(type) && events.includes(patternOf(type)));
const isSubscribed = (events: readonly string[], type: string) => events.includes(type) || isCovered(events, type);
