// The invitations to other accounts that wait for the user: each is declined here, or accepted, which leads to its account.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSwitchAccount } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

type Invitation = ResultOf<'invitations'>[number];

export function Invitations() {
  const { data } = useMethod('invitations');
  return data?.map((invitation) => <Notice key={invitation.id} invitation={invitation} />);
}

function Notice({ invitation: { id, account, account_id, role, invited_by, expires_at } }: { invitation: Invitation }) {
  const t = useText('home');
  const accept = useMutate('invitationAccept', ['session']);
  const switchTo = useSwitchAccount();
  const [entering, setEntering] = useState(false);
  const decline = useMutate('invitationDecline');
  const busy = entering || accept.isPending || decline.isPending;
  const title = invited_by === '' ? t('invited', { account }) : t('invitedByName', { inviter: invited_by, account });
  const enter = async () => {
    setEntering(true);
    try {
      await accept.mutateAsync({ id });
      await switchTo(account_id);
    } catch (error) {
      setEntering(false);
      toast.failed(error);
    }
  };
  // The notice is gone before callbacks of mutate() would run.
  const refuse = () => decline.mutateAsync({ id }).then(() => toast.done(t('declined')), toast.failed);
  return (
    <Alert variant="outline" icon={<IconUserPlus aria-hidden />} title={title} role="region" aria-label={title} mb="xl">
      <Text size="sm" mb="sm">
        {t.of('invitedAs', role)} {t('invitedUntil')} <Time at={expires_at} />.
      </Text>
      <Group gap="sm">
        <Button size="xs" disabled={busy} onClick={enter}>
          {t('accept')}
        </Button>
        <Button size="xs" variant="default" disabled={busy} onClick={refuse}>
          {t('decline')}
        </Button>
      </Group>
    </Alert>
  );
}
