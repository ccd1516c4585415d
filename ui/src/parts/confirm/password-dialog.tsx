// The dialog that asks for the password, and for a code where the user has a second factor. A user without a password signs in
// at the identity provider again. Loaded at its first use.
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useMethod } from '../../api/use-method.ts';
import { confirmWithPasskey, isCancelled, supportsPasskeys } from '../../session/passkeys.ts';
import { currentPage, goToProvider } from '../../session/providers.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useFaultText } from '../fault.tsx';
import { CodeField, PasswordField } from '../form/password-field.tsx';
import { useAction } from '../use-action.ts';

type Props = { answer(confirmed: boolean): void };

export default function PasswordDialog({ answer }: Props) {
  const t = useText('parts');
  const identities = useMethod('identities');
  const { has_password = true, providers = [] } = identities.data ?? {};
  const usable = providers.filter(({ connected, provider }) => connected && provider !== '');
  return (
    <Modal opened onClose={() => answer(false)} title={t('passwordTitle')} withCloseButton={false}>
      {identities.isPending && <Skeleton height={120} />}
      {!identities.isPending && (has_password || usable.length === 0) && <WithPassword answer={answer} />}
      {!has_password && usable.length > 0 && <WithProvider providers={usable} answer={answer} />}
    </Modal>
  );
}

function WithProvider({ providers, answer }: Props & { providers: { provider: string; label: string }[] }) {
  const t = useText('parts');
  const words = useFaultText();
  const [fault, setFault] = useState<unknown>();
  const [going, setGoing] = useState<string>();
  const go = async (provider: string) => {
    setGoing(provider);
    try {
      await goToProvider(provider, 'confirm', currentPage());
    } catch (error) {
      setFault(error);
      setGoing(undefined);
    }
  };
  return (
    <Stack gap="md">
      <Text>{t('confirmByProvider')}</Text>
      {fault !== undefined && (
        <Text role="alert" c="red.8" size="sm">
          {words(fault)}
        </Text>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => answer(false)}>
          {t('cancel')}
        </Button>
        {providers.map(({ provider, label }) => (
          <Button key={provider} loading={going === provider} onClick={() => go(provider)}>
            {t('confirmWith', { provider: label })}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

function WithPassword({ answer }: Props) {
  const t = useText('parts');
  const words = useFaultText();
  const { user } = useSession();
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState('');
  const [fault, setFault] = useState<unknown>();
  const { busy, run } = useAction(setFault);

  const passkeys = useMethod('passkeys');
  const hasPasskey = passkeys.data?.available === true && passkeys.data.passkeys.length > 0 && supportsPasskeys();

  const byPasskey = async () => {
    try {
      await confirmWithPasskey();
      answer(true);
    } catch (error) {
      if (!isCancelled(error)) setFault(error);
    }
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    // React passes events of a dialog on to the form in which it was opened.
    event.stopPropagation();
    await run(async () => {
      await call('sessionConfirm', { password, totp });
      answer(true);
    });
  };
  return (
    <form onSubmit={send}>
      <Stack gap="md">
        <Text>{t('passwordWhy')}</Text>
        <PasswordField
          label={t('password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          // It appears after the dialog, which has looked for a field by then.
          autoFocus
          data-autofocus
          required
        />
        {user.totp && (
          <CodeField label={t('code')} value={totp} onChange={(event) => setTotp(event.currentTarget.value)} />
        )}
        {fault !== undefined && (
          <Text role="alert" c="red.8" size="sm">
            {words(fault)}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          {hasPasskey && (
            <Button variant="default" onClick={byPasskey}>
              {t('usePasskey')}
            </Button>
          )}
          <Button variant="default" onClick={() => answer(false)}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('continue')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
