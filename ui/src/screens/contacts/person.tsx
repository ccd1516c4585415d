// What belongs to the person and is the same on every list: the values of the fields of the account, shown and edited once.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutate } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type SharedField, useSharedByTag } from '../lists/fields/use-shared-fields.ts';
import { useShownValue } from '../lists/fields/use-shown-value.ts';
import { ValueInput } from '../lists/fields/value-input.tsx';
import type { Contact } from './contact.ts';

/** A field with the value of the contact, and a list through which it is changed. */
type Own = { field: SharedField; value: string; list: string };

/** Pending subscriptions have what a stranger may have typed. */
function ownFields({ subscriptions }: Contact, fields: Iterable<SharedField>): Own[] {
  const order = ['subscribed', 'unsubscribed', 'inactive', 'bounced'];
  const own = subscriptions
    .filter(({ status }) => order.includes(status))
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return [...fields].flatMap((field): Own[] => {
    const on = own.find(({ list_id }) => field.lists.some(({ id }) => id === list_id));
    return on ? [{ field, value: on.merges[field.tag] ?? '', list: on.list_id }] : [];
  });
}

export function Person({ contact }: { contact: Contact }) {
  const t = useText('contacts');
  const mayWrite = useSession().may('contacts:write');
  const shownValue = useShownValue();
  const [editing, setEditing] = useState(false);
  const own = ownFields(contact, useSharedByTag().values());
  if (own.length === 0) return null;
  return (
    <Section
      title={t('person')}
      actions={
        mayWrite && (
          <Button variant="default" size="xs" aria-label={t('editPerson')} onClick={() => setEditing(true)}>
            {t('edit')}
          </Button>
        )
      }
    >
      <Facts
        label={t('person')}
        facts={own.map(({ field, value }) => [field.name, shownValue(field, value) || '–'] as const)}
      />
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title={t('editPerson')}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {editing && <EditForm contact={contact} own={own} onDone={() => setEditing(false)} />}
      </Modal>
    </Section>
  );
}

function EditForm({ contact, own, onDone }: { contact: Contact; own: readonly Own[]; onDone(): void }) {
  const t = useText('contacts');
  const update = useMutate('listUpdateMember', ['member', 'contact', 'segment']);
  const form = useMethodForm({
    initialValues: { merge_vars: Object.fromEntries(own.map(({ field, value }) => [field.tag, value])) },
    send: async ({ merge_vars }) => {
      const changed = own.filter(({ field, value }) => merge_vars[field.tag] !== value);
      for (const [id, ofList] of Map.groupBy(changed, ({ list }) => list))
        await update.mutateAsync({
          id,
          email_address: contact.id,
          merge_vars: Object.fromEntries(ofList.map(({ field: { tag } }) => [tag, merge_vars[tag] ?? ''])),
        });
    },
    done: () => {
      toast.done(t('saved'));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <Text size="sm" c="dimmed">
        {t('personAbout')}
      </Text>
      {own.map(({ field }) => (
        <ValueInput
          key={field.tag}
          field={field}
          label={field.name}
          {...form.getInputProps(`merge_vars.${field.tag}`)}
        />
      ))}
      <Group>
        <Submit form={form} disabled={!form.isDirty()}>
          {t('save')}
        </Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}
