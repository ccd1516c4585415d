// The invitations to other accounts that wait for the user: each is accepted or declined here.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';

type Invitation = ResultOf<'invitations'>[number];

export function Invitations() {
  const { data } = useMethod('invitations');
  return data?.map((invitation) => <Notice key={invitation.id} invitation={invitation} />);
}

function Notice({ invitation: { id, account, role, expires_at } }: { invitation: Invitation }) {
  const t = useText('home');
  const accept = useMutate('invitationAccept', ['session']);
  const decline = useMutate('invitationDecline');
  const busy = accept.isPending || decline.isPending;
  // The notice is gone before callbacks of mutate() would run.
  const answer = (mutation: typeof accept, done: string) =>
    mutation.mutateAsync({ id }).then(() => toast.done(done), toast.failed);
  return (
    <Alert
      variant="outline"
      icon={<IconUserPlus aria-hidden />}
      title={t('invited', { account })}
      role="region"
      aria-label={t('invited', { account })}
      mb="xl"
    >
      <Text size="sm" mb="sm">
        {t.of('invitedAs', role)} {t('invitedUntil')} <Time at={expires_at} />.
      </Text>
      <Group gap="sm">
        <Button size="xs" disabled={busy} onClick={() => answer(accept, t('joined', { account }))}>
          {t('accept')}
        </Button>
        <Button size="xs" variant="default" disabled={busy} onClick={() => answer(decline, t('declined'))}>
          {t('decline')}
        </Button>
      </Group>
    </Alert>
  );
}
