// The automations that a contact is in now, with its step, and a way out. What it was in earlier is in its activity.
import { ActionIcon, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { TimeIn } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Contact } from './contact.ts';

export function Automations({ contact }: { contact: Contact }) {
  const t = useText('contacts');
  const mayWrite = useSession().may('contacts:write');
  const { data = [] } = useMethod('contactAutomations', { email: contact.email });
  const remove = useMutate('automationRemoveContact', ['contact']);
  const inside = data.filter(({ outcome }) => outcome === '');
  if (inside.length === 0) return null;
  const takeOut = async (id: string, title: string) => {
    const agreed = await confirm({
      title: t('takeOutTitle', { title }),
      text: t('takeOutText', { email: contact.email }),
      action: t('takeOut'),
      danger: true,
    });
    if (agreed) remove.mutate({ id, email_address: contact.email }, { onError: toast.failed });
  };
  return (
    <Section title={t('automations')}>
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {inside.map(({ automation, title, status, step_type, due_at }) => (
          <Group key={automation} component="li" justify="space-between" wrap="nowrap" gap="sm">
            <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              <LinkAnchor to="/automations/$id" params={{ id: automation }}>
                {title}
              </LinkAnchor>
              <Text size="xs" c="dimmed">
                {t.of('automationStep', step_type)} ·{' '}
                {status === 'paused' ? t('automationPaused') : <TimeIn text={t('goesOn')} at={due_at} />}
              </Text>
            </div>
            {mayWrite && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('takeOutOf', { title })}
                onClick={() => takeOut(automation, title)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
    </Section>
  );
}
