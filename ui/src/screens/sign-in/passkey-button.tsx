// Signs in with a passkey, where the browser and the address of the program allow it.
import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useAction } from '../../parts/use-action.ts';
import { isCancelled, signInWithPasskey } from '../../session/passkeys.ts';
import { useText } from '../../text/use-text.tsx';

type Props = {
  /** The address that was entered with a password before. */
  email?: string;
  onDone(): void;
  onFault(error: unknown): void;
};

export function PasskeyButton({ email, onDone, onFault }: Props) {
  const t = useText('sign-in');
  const { busy, run } = useAction((error) => !isCancelled(error) && onFault(error));
  const go = async () => {
    await run(async () => {
      await signInWithPasskey(email);
      onDone();
    });
  };
  return (
    <Button
      variant="default"
      fullWidth
      leftSection={<IconFingerprint size={16} aria-hidden />}
      loading={busy}
      onClick={go}
    >
      {t('usePasskey')}
    </Button>
  );
}
