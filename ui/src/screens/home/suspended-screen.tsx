// The only screen while the account is suspended: where to ask, and invitations to other accounts.
import { Anchor, Stack, Text } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { supportEmail } from '../../api/installation.ts';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { Invitations } from './invitations.tsx';

export function SuspendedScreen() {
  const t = useText('shell');
  const { account, accounts } = useSession();
  if (!account.suspended) return <Navigate to="/home" replace />;
  return (
    <Page>
      <Invitations />
      <PageHeader title={t('suspended', { name: account.name })} />
      <Stack align="flex-start" maw={560}>
        <Text>{t('suspendedText')}</Text>
        {accounts.length > 1 && <Text>{t('suspendedOthers')}</Text>}
        {supportEmail !== '' && <Anchor href={`mailto:${supportEmail}`}>{supportEmail}</Anchor>}
      </Stack>
    </Page>
  );
}
