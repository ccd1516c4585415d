// The dialog that pauses a contact on its behalf. Loaded when it opens.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutate } from '../../api/use-method.ts';
import { Select } from '../../parts/form/select.tsx';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useLanguage, useText } from '../../text/use-text.tsx';
import type { Contact } from './contact.ts';

/** The durations that the preference page offers. */
const weekChoices = ['1', '2', '4', '8', '12'];

export default function PauseDialog({
  contact,
  opened,
  onClose,
}: {
  contact: Contact;
  opened: boolean;
  onClose(): void;
}) {
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
