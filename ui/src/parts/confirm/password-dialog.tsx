// The dialog that asks for the password, and for a code where the user has a second factor. Loaded at its first use.
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useFaultText } from '../fault.tsx';

export default function PasswordDialog({ answer }: { answer(confirmed: boolean): void }) {
  const t = useText('parts');
  const words = useFaultText();
  const { user } = useSession();
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState('');
  const [fault, setFault] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    // React passes events of a dialog on to the form in which it was opened.
    event.stopPropagation();
    setBusy(true);
    try {
      await call('sessionConfirm', { password, totp });
      answer(true);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={() => answer(false)} title={t('passwordTitle')} withCloseButton={false}>
      <form onSubmit={send}>
        <Stack gap="md">
          <Text>{t('passwordWhy')}</Text>
          <PasswordInput
            label={t('password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
            data-autofocus
            required
            withAsterisk={false}
          />
          {user.totp && (
            <TextInput
              label={t('code')}
              value={totp}
              onChange={(event) => setTotp(event.currentTarget.value)}
              autoComplete="one-time-code"
              required
              withAsterisk={false}
            />
          )}
          {fault !== undefined && (
            <Text role="alert" c="red.8" size="sm">
              {words(fault)}
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => answer(false)}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('continue')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
