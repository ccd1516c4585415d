// The lists a contact is on: status, values, proof of consent, unsubscribing.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useSharedByTag } from '../lists/fields/use-shared-fields.ts';
import { useShownValue } from '../lists/fields/use-shown-value.ts';
import type { ListField } from '../lists/fields/value-input.tsx';
import { MemberStatus } from '../lists/member-status.tsx';
import { agreementOf, type Contact, sourceText } from './contact.ts';
import classes from './contacts.module.css';

const SubscriptionForm = lazy(() => import('./subscription-form.tsx'));

export type Subscription = Contact['subscriptions'][number];
type Props = { contact: Contact; subscription: Subscription };

export function Subscriptions({ contact }: { contact: Contact }) {
  const t = useText('contacts');
  return (
    <Section title={t('subscriptions')}>
      {contact.subscriptions.length === 0 ? (
        <Text c="dimmed">{t('noSubscriptions')}</Text>
      ) : (
        <Stack gap="sm" component="ul" m={0} p={0}>
          {contact.subscriptions.map((subscription) => (
            <li key={subscription.list_id} className={classes.card}>
              <SubscriptionCard contact={contact} subscription={subscription} />
            </li>
          ))}
        </Stack>
      )}
    </Section>
  );
}

function SubscriptionCard({ contact, subscription }: Props) {
  const t = useText('contacts');
  const mayWrite = useSession().may('contacts:write');
  const [editing, setEditing] = useState(false);
  const leave = useMutate('listUnsubscribe', ['member', 'contact', 'segment']);
  const unsubscribe = async () => {
    const yes = await confirm({
      title: t('unsubscribeTitle', { list: subscription.list_name }),
      text: t('unsubscribeText', { email: contact.email }),
      action: t('unsubscribe'),
      danger: true,
    });
    if (!yes) return;
    leave.mutate(
      { id: subscription.list_id, email_address: contact.email, send_goodbye: false },
      { onSuccess: () => toast.done(t('unsubscribed')), onError: toast.failed },
    );
  };
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <Stack gap={4} align="flex-start" miw={0}>
          <Title order={3} style={{ overflowWrap: 'anywhere' }}>
            <LinkAnchor to="/lists/$id" params={{ id: subscription.list_id }} c="inherit" inherit>
              {subscription.list_name}
            </LinkAnchor>
          </Title>
          <MemberStatus state={subscription.status} />
        </Stack>
        {mayWrite && (
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              aria-label={t('editOn', { list: subscription.list_name })}
              onClick={() => setEditing(true)}
            >
              {t('edit')}
            </Button>
            {subscription.status === 'subscribed' && (
              <Button
                variant="default"
                size="xs"
                aria-label={t('unsubscribeFrom', { list: subscription.list_name })}
                onClick={unsubscribe}
              >
                {t('unsubscribe')}
              </Button>
            )}
          </Group>
        )}
      </Group>
      <ContactValues subscription={subscription} />
      <Evidence subscription={subscription} />
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title={t('editOn', { list: subscription.list_name })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {editing && (
          <Suspense fallback={<Lines />}>
            <SubscriptionForm contact={contact} subscription={subscription} onDone={() => setEditing(false)} />
          </Suspense>
        )}
      </Modal>
    </Stack>
  );
}

/** Fields that are shown here: not those that are the same on every list, unless the subscription still has what was typed for it. */
export function useIsOwn({ status }: Subscription) {
  const shared = useSharedByTag();
  return ({ tag }: ListField) => tag !== 'EMAIL' && (status === 'pending' || !shared.has(tag));
}

function ContactValues({ subscription }: { subscription: Subscription }) {
  const t = useText('contacts');
  const shownValue = useShownValue();
  const isOwn = useIsOwn(subscription);
  const fields = useMethod('listMergeVars', { id: subscription.list_id }).data ?? [];
  const values: [name: string, value: string][] = [
    ...fields
      .filter(isOwn)
      .map((field): [string, string] => [field.name, shownValue(field, subscription.merges[field.tag])]),
    [t('format'), t(subscription.email_type === 'text' ? 'format.text' : 'format.html')],
  ];
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {t('values')}
      </Text>
      <Facts label={t('values')} facts={values.map(([name, value]) => [name, value || '–'])} />
    </div>
  );
}

/** Imported from a file that named no time of consent: the program then uses the time of the import. */
const isWithoutConsent = ({ source, signup_time, optin_time, optin_ip }: Subscription) =>
  source === 'import' && optin_time === signup_time && optin_ip === '';

function Evidence({ subscription }: { subscription: Subscription }) {
  const t = useText('contacts');
  const { date, time } = useFormats();
  const unproven = isWithoutConsent(subscription);
  const evidence: [name: string, at: Date, more: string][] = [
    [
      t('signup'),
      subscription.signup_time,
      [sourceText(t, subscription.source), subscription.signup_ip].filter(Boolean).join(' · '),
    ],
    [t('optin'), unproven ? '' : subscription.optin_time, subscription.optin_ip],
    // Equal to the time of the import for the same reason; a later one is a confirmation by the contact.
    [
      t('confirmed'),
      unproven && subscription.confirm_time === subscription.signup_time ? '' : subscription.confirm_time,
      subscription.confirm_ip,
    ],
    [
      t('left'),
      subscription.unsubscribe_time,
      [subscription.unsubscribe_reason, subscription.unsubscribe_ip].filter(Boolean).join(' · '),
    ],
  ].flatMap(([name, time, more]): [string, Date, string][] => {
    const at = parseTime(time);
    return at ? [[name!, at, more!]] : [];
  });
  const last = evidence.at(-1);
  return (
    <details className={classes.fold}>
      <summary>
        <strong>{t('evidence')}</strong>
        {unproven ? ` · ${t('noConsentInFile')}` : last && ` · ${last[0]} ${date(last[1])}`}
      </summary>
      {/* Proof is read with its day and time. */}
      <Facts
        label={t('evidence')}
        facts={[
          ...evidence.map(([name, at, more]): [string, React.ReactNode] => [
            name,
            [`${date(at)}, ${time(at)}`, more].filter(Boolean).join(' · '),
          ]),
          ...agreementOf(t, subscription.evidence).map(([name, text]): [string, React.ReactNode] => [
            name || t('signup'),
            <span key={name} style={{ whiteSpace: 'pre-line' }}>
              {text}
            </span>,
          ]),
        ]}
      />
    </details>
  );
}
