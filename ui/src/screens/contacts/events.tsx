// What programs reported about a contact, newest first, with the data of each.
import { Button, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Contact } from './contact.ts';

/** Events shown at first, and added by each "Show more". */
const pageSize = 5;

export function Events({ contact }: { contact: Contact }) {
  const t = useText('contacts');
  const [shown, setShown] = useState(pageSize);
  const { data = [] } = useMethod('contactEvents', { email: contact.email, limit: shown + 1 }, { keep: true });
  if (data.length === 0) return null;
  return (
    <Section title={t('kind.events')}>
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.slice(0, shown).map((event, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event has no id, and its place changes with each new one only
          <Event key={`${event.time} ${event.name} ${i}`} event={event} />
        ))}
      </Stack>
      {data.length > shown && (
        <Button variant="default" mt="sm" onClick={() => setShown(Math.min(shown + 20, 999))}>
          {t('showMore')}
        </Button>
      )}
    </Section>
  );
}

function Event({ event }: { event: ResultOf<'contactEvents'>[number] }) {
  const t = useText('contacts');
  const [opened, setOpened] = useState(false);
  const hasData = Object.keys(event.data).length > 0;
  return (
    <li style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text fw={500}>{event.name}</Text>
        {event.value !== '' && <Text>{event.value}</Text>}
      </Group>
      <Group gap="sm">
        <Text size="xs" c="dimmed">
          <Time at={event.time} />
        </Text>
        {hasData && (
          <UnstyledButton fz="xs" td="underline" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {t('eventData')}
          </UnstyledButton>
        )}
      </Group>
      {opened && (
        <Code block mt={4} tabIndex={0} aria-label={t('eventData')}>
          {JSON.stringify(event.data, null, 2)}
        </Code>
      )}
    </li>
  );
}
