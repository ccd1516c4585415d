// Sends the browser to the provider at which a person lets a relay or a bounce mailbox use a mailbox.
import { Button } from '@mantine/core';
import { useMutate } from '../../../api/use-method.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';

type Props = { of: { relay: string } | { mailbox: string }; name: string; isAgain: boolean };

export function OauthSignIn({ of, name, isAgain }: Props) {
  const t = useText('settings');
  const begin = useMutate('oauthBegin');
  const go = async () => {
    try {
      const { url } = await begin.mutateAsync(of);
      window.location.assign(url);
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Button
      variant={isAgain ? 'default' : 'filled'}
      loading={begin.isPending}
      aria-label={t('oauthSignInOf', { name })}
      onClick={go}
    >
      {t(isAgain ? 'oauthSignInAgain' : 'oauthSignIn')}
    </Button>
  );
}
