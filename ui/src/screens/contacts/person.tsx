// What belongs to the person and is the same on every list: the values of the fields of the account, shown and edited once.
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Facts } from '../../parts/facts/facts.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Section } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type SharedField, useSharedByTag } from '../lists/fields/use-shared-fields.ts';
import { useShownValue } from '../lists/fields/use-shown-value.ts';
import type { Contact } from './contact.ts';

const PersonForm = lazy(() => import('./person-form.tsx'));

/** A field with the value of the contact, and a list through which it is changed. */
export type Own = { field: SharedField; value: string; list: string };

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
        {editing && (
          <Suspense fallback={<Lines />}>
            <PersonForm contact={contact} own={own} onDone={() => setEditing(false)} />
          </Suspense>
        )}
      </Modal>
    </Section>
  );
}
