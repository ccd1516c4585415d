// Pausing a contact: shows the pause, ends it, or starts one on the contact's behalf.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutate } from '../../api/use-method.ts';
import { Select } from '../../parts/form/select.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useText } from '../../text/use-text.tsx';
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

/** The durations that the preference page offers. */
const weekChoices = ['1', '2', '4', '8', '12'];

export function PauseDialog({ contact, opened, onClose }: { contact: Contact; opened: boolean; onClose(): void }) {
  const t = useText('contacts');
  const { language } = useLanguage();
  const [weeks, setWeeks] = useState('2');
  const pause = useMutate('contactPause');
  const { email } = contact;
  const words = new Intl.NumberFormat(language, { style: 'unit', unit: 'week', unitDisplay: 'long' });
  const send = () => {
    const until = new Date(Date.now() + Number(weeks) * 7 * 86_400_000).toISOString();
    pause.mutate(
      { email, until: until.slice(0, 19).replace('T', ' ') },
      {
        onSuccess: () => {
          toast.done(t('pauseNow', { email }));
          onClose();
        },
        onError: toast.failed,
      },
    );
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('pauseTitle', { email })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="md">
        <Text>{t('pauseAbout')}</Text>
        <Select
          label={t('pauseFor')}
          data={weekChoices.map((value) => ({ value, label: words.format(Number(value)) }))}
          allowDeselect={false}
          value={weeks}
          onChange={(value) => setWeeks(value ?? '2')}
        />
        <Group>
          <Button loading={pause.isPending} onClick={send}>
            {t('pause')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
