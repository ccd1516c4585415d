// The pause of a contact, and its end.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useMutate } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { Contact } from './contact.ts';

export function PauseNote({ contact }: { contact: Contact }) {
  const t = useText('contacts');
  const { exact } = useFormats();
  const mayWrite = useSession().may('contacts:write');
  const resume = useMutate('contactResume');
  const until = parseTime(contact.paused_until);
  if (!until) return null;
  const { email } = contact;
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<IconPlayerPause aria-hidden />}
      title={t('paused')}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="sm" align="flex-start">
        <Text>{t('pausedText', { time: exact(until) })}</Text>
        {mayWrite && (
          <Button
            variant="default"
            size="xs"
            loading={resume.isPending}
            onClick={() =>
              resume.mutate(
                { email },
                { onSuccess: () => toast.done(t('pauseEnded', { email })), onError: toast.failed },
              )
            }
          >
            {t('pauseEnd')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
