// A button for each identity provider.
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { goToProvider, type SignInWays } from '../../session/providers.ts';
import { useText } from '../../text/use-text.tsx';

type Props = {
  providers: SignInWays['providers'];
  /** The page to return to. */
  to: string;
  onFault(error: unknown): void;
};

export function ProviderButtons({ providers, to, onFault }: Props) {
  const t = useText('sign-in');
  const [going, setGoing] = useState<string>();
  const go = async (id: string) => {
    setGoing(id);
    try {
      await goToProvider(id, 'sign-in', to);
    } catch (error) {
      setGoing(undefined);
      onFault(error);
    }
  };
  return (
    <Stack gap="xs">
      {providers.map(({ id, label }) => (
        <Button
          key={id}
          variant="default"
          fullWidth
          loading={going === id}
          disabled={going !== undefined && going !== id}
          onClick={() => go(id)}
        >
          {t('continueWith', { provider: label })}
        </Button>
      ))}
    </Stack>
  );
}
