// The form fields of a webhook, for creating and editing.
import { Button, Checkbox, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import type { MethodFormState } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { useText } from '../../text/use-text.tsx';
import { isSubscribed } from './event-choice.ts';
import { EventsField } from './events-field.tsx';
import { ExampleBody } from './example.tsx';
import classes from './webhooks.module.css';

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

/** Name, address and events, with the rest folded away. */
export function WebhookFields({ form }: { form: MethodFormState<WebhookValues> }) {
  const t = useText('webhooks');
  const types = useMethod('eventTypes').data ?? [];
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
      {types.length === 0 ? <Lines count={6} /> : <EventsField form={form} types={types} />}
      <Advanced form={form} />
    </>
  );
}

const advanced = ['sources', 'list_id', 'algorithm', 'format', 'signature_header'] as const;

/** What most leave as it is; open where it is not, or where a value was refused. */
function Advanced({ form }: { form: MethodFormState<WebhookValues> }) {
  const t = useText('webhooks');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const [isOpen, setOpen] = useState(() =>
    advanced.some((name) => JSON.stringify(form.values[name]) !== JSON.stringify(freshValues[name])),
  );
  const shown = isOpen || advanced.some((name) => form.errors[name] !== undefined);
  return (
    <Stack gap="md">
      <Button
        variant="subtle"
        color="gray"
        w="fit-content"
        px="xs"
        aria-expanded={shown}
        leftSection={shown ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        onClick={() => setOpen(!shown)}
      >
        {t('advanced')}
      </Button>
      {shown && (
        <>
          <Select
            label={t('list')}
            description={t('listHint')}
            data={[{ value: '', label: t('allLists') }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
            allowDeselect={false}
            searchable
            {...form.getInputProps('list_id')}
          />
          <Checkbox.Group label={t('sources')} description={t('sourcesHint')} {...form.getInputProps('sources')}>
            <Stack mt="sm" gap="sm">
              {sourceNames.map((source) => (
                <Checkbox key={source} value={source} label={t(`source.${source}`)} />
              ))}
            </Stack>
          </Checkbox.Group>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
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
            <Select
              label={t('algorithm')}
              description={t('algorithmHint')}
              data={['sha1', 'sha256', 'sha384', 'sha512']}
              allowDeselect={false}
              {...form.getInputProps('algorithm')}
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
        </>
      )}
    </Stack>
  );
}

/** A request as the webhook would send it, beside what decides about it. */
export function WebhookExample({ form }: { form: MethodFormState<WebhookValues> }) {
  const types = useMethod('eventTypes').data ?? [];
  const shown = types.filter(({ type }) => isSubscribed(form.values.events, type));
  return (
    <div className={classes.beside}>
      <ExampleBody types={shown.length > 0 ? shown : types} format={form.values.format} sources={form.values.sources} />
    </div>
  );
}
