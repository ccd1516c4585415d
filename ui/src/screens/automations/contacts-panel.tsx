// The contacts on a step, or in the whole automation, in the panel at the side. Loaded when it is opened.
import { ActionIcon, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { lazy } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { TimeIn } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

const SidePanel = lazy(() => import('../../parts/panel/side-panel.tsx'));

const shownContacts = 100;

/** @param step the key of a step; '' for all */
export default function ContactsPanel({ id, step, onClose }: { id: string; step: string; onClose(): void }) {
  const t = useText('automations');
  const mayWrite = useSession().may('contacts:write');
  const contacts = useMethod('automationContacts', { id, limit: shownContacts, ...(step === '' ? {} : { step }) });
  const remove = useMutate('automationRemoveContact');
  return (
    <SidePanel title={t(step === '' ? 'contactsInside' : 'contactsHere')} onClose={onClose}>
      <Loaded query={contacts}>
        {({ total, data }) => (
          <Stack gap="sm">
            {data.length === 0 && <Text c="dimmed">{t('nobodyHere')}</Text>}
            {data.map((contact) => (
              <Group key={contact.contact} justify="space-between" wrap="nowrap" gap="sm">
                <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                  <LinkAnchor to="/contacts/$email" params={{ email: contact.email }} size="sm">
                    {contact.email}
                  </LinkAnchor>
                  <Text size="xs" c="dimmed">
                    <TimeIn text={t('since')} at={contact.step_at} /> ·{' '}
                    <TimeIn text={t('goesOn')} at={contact.due_at} />
                  </Text>
                </div>
                {mayWrite && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('takeOut', { email: contact.email })}
                    onClick={() => remove.mutate({ id, email_address: contact.email }, { onError: toast.failed })}
                  >
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                )}
              </Group>
            ))}
            {total > data.length && (
              <Text size="sm" c="dimmed">
                {t('moreContacts', { count: total - data.length })}
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </SidePanel>
  );
}
