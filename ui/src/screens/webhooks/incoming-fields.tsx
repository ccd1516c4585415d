// What of a request becomes the event: the contact, the event with its data, the revenue, and the secret. Each part is folded
// until it is needed, and says what it is set to.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import { Fold } from './fold.tsx';
import type { Incoming } from './incoming-screen.tsx';
import type { FormOf } from './incoming-values.ts';
import { DataRows, MappingRow, MappingRows, PathField } from './mapping-rows.tsx';
import classes from './webhooks.module.css';

const parts = ['contact', 'event', 'value', 'security'] as const;
export type Part = (typeof parts)[number];

/** The part in which a field is. */
const partOf = (field: string): Part =>
  ['email', 'create_contact', 'list', 'fields', 'consent', 'confirms'].includes(field.split('.')[0]!)
    ? 'contact'
    : ['value', 'value_events', 'currency'].includes(field)
      ? 'value'
      : field === 'secret'
        ? 'security'
        : 'event';

/** Of a service that is known, nothing is needed; of another one, the mapping is, as soon as a request shows what there is. */
function neededAt({ service, last_body, last_result }: Incoming): Part[] {
  const isMapped = last_result === 'accepted' || last_result === 'duplicate';
  return service === 'custom' && last_body !== '' && !isMapped ? ['contact', 'event', 'value'] : [];
}

/** The parts that are open, and a way to open the one with a field. */
export function useParts(form: FormOf, hook: Incoming) {
  const [opened, setOpened] = useState<readonly Part[]>([]);
  const [wasNeeded, setNeeded] = useState(false);
  const needed = neededAt(hook);
  // Once, and they stay open: the next request may be accepted while one is at it.
  if (!wasNeeded && needed.length > 0) {
    setNeeded(true);
    setOpened([...opened, ...needed]);
  }
  const open = new Set([...opened, ...Object.keys(form.errors).map(partOf)]);
  return {
    isOpen: (part: Part) => open.has(part),
    toggle: (part: Part) => setOpened(open.has(part) ? [...open].filter((one) => one !== part) : [...open, part]),
    show: (field: string) => setOpened([...open, partOf(field)]),
  };
}

type Props = { form: FormOf; hook: Incoming; parts: ReturnType<typeof useParts> };

export function Fields({ form, hook, parts: state }: Props) {
  const t = useText('webhooks');
  const summary = useSummary(form, hook);
  const content = {
    contact: <ContactFields form={form} />,
    event: <EventFields form={form} hook={hook} />,
    value: <ValueFields form={form} />,
    security: (
      <TextInput
        label={t('signingSecret')}
        description={t(hook.signed ? 'signingSecretSet' : 'signingSecretHint')}
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('secret')}
      />
    ),
  };
  return (
    <>
      <TextInput label={t('name')} maxLength={200} {...form.getInputProps('title')} />
      <div className={classes.folds}>
        {parts.map((part) => (
          <Fold
            key={part}
            title={t(`incomingPart.${part}`)}
            summary={summary(part)}
            isOpen={state.isOpen(part)}
            onToggle={() => state.toggle(part)}
          >
            {content[part]}
          </Fold>
        ))}
      </div>
    </>
  );
}

/** What a part is set to, in a line. */
function useSummary(form: FormOf, hook: Incoming): (part: Part) => string {
  const t = useText('webhooks');
  const lists = useMethod('lists', { limit: 1_000 }).data ?? [];
  const { email, list, names, event, event_member, value } = form.values;
  const listName = lists.find(({ id }) => id === list)?.name;
  const events = [...new Set(names.map(({ to }) => to).filter(Boolean))];
  return (part) => {
    if (part === 'security')
      return t(hook.signed || form.values.secret !== '' ? 'incomingSum.signed' : 'incomingSum.unsigned');
    if (part === 'value') return value === '' ? t('incomingSum.none') : t('incomingSum.value', { path: value });
    if (part === 'event') {
      if (events.length > 0) return events.join(', ');
      if (event_member !== '') return t('incomingSum.any');
      return event || (hook.service === 'custom' ? t('incomingSum.none') : t('incomingSum.any'));
    }
    const address = email === '' ? t('incomingSum.none') : t('incomingSum.address', { path: email });
    return listName ? `${address} · ${t('incomingSum.list', { list: listName })}` : address;
  };
}

type PathName = 'email' | 'event_member' | 'id' | 'time' | 'value' | 'currency' | 'consent';

function Path({ form, name }: { form: FormOf; name: PathName }) {
  const t = useText('webhooks');
  return (
    <PathField label={t(`mapping.${name}`)} description={t(`mappingHint.${name}`)} {...form.getInputProps(name)} />
  );
}

function Words({ form, name }: { form: FormOf; name: 'event' | 'value_events' | 'id_events' }) {
  const t = useText('webhooks');
  return (
    <TextInput
      label={t(`mapping.${name}`)}
      description={t(`mappingHint.${name}`)}
      maxLength={300}
      {...form.getInputProps(name)}
    />
  );
}

function ContactFields({ form }: { form: FormOf }) {
  const t = useText('webhooks');
  const lists = useMethod('lists', { limit: 1_000 }).data ?? [];
  return (
    <>
      <Path form={form} name="email" />
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
          <FieldRows form={form} list={form.values.list} />
          <Path form={form} name="consent" />
          <Checkbox label={t('incomingConfirms')} {...form.getInputProps('confirms', { type: 'checkbox' })} />
        </>
      )}
    </>
  );
}

function EventFields({ form, hook }: { form: FormOf; hook: Incoming }) {
  const custom = hook.service === 'custom';
  return (
    <>
      {custom && <Words form={form} name="event" />}
      {custom && <Path form={form} name="event_member" />}
      <NameRows form={form} />
      <DataRows rows={form.values.data} errors={form.errors} onChange={(data) => form.setFieldValue('data', data)} />
      <Path form={form} name="time" />
      <Path form={form} name="id" />
      <Words form={form} name="id_events" />
    </>
  );
}

function ValueFields({ form }: { form: FormOf }) {
  return (
    <>
      <Path form={form} name="value" />
      <Words form={form} name="value_events" />
      <Path form={form} name="currency" />
    </>
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
