// The recipients of a campaign whose delivery could not be confirmed and who are held: who they are, and the decision between a
// marked copy and none.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import type { ProgressFigures } from './delivery.tsx';
import { rowsBehind } from './rows-behind.ts';

const shownRecipients = 10;

export function Held({ cid, figures }: { cid: string; figures: ProgressFigures }) {
  const t = useText('report');
  const { number } = useFormats();
  const { may } = useSession();
  const mayReadContacts = may('contacts:read');
  const recipients = useMethod(
    'campaignRecipients',
    { cid, filter: 'unclear', limit: shownRecipients },
    { enabled: mayReadContacts },
  );
  const resolve = useMutate('campaignResolve', ['campaign']);
  const { held, held_until } = figures;
  const decide = async (action: 'resend' | 'drop') => {
    const agreed = await confirm({
      title: t(`held.${action}Title`),
      figures: [{ value: number(held), label: t('recipients', { count: held }) }],
      text: t(`held.${action}Text`),
      action: t(`held.${action}`),
      danger: action === 'drop',
    });
    if (!agreed) return;
    resolve.mutate(
      { cid, action },
      { onSuccess: () => toast.done(t(`held.${action}Done`)), onError: (error: unknown) => toast.failed(error) },
    );
  };
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('held.title')}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('held.about')}{' '}
          {held_until !== '' && (
            <>
              {t('held.until')} <Time at={held_until} />
            </>
          )}
        </Text>
        {mayReadContacts && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {(recipients.data?.data ?? []).map(({ email }) => email).join(', ')}
            {held > shownRecipients && ' … '}{' '}
            <LinkAnchor {...rowsBehind(cid, 'unclear')} size="sm">
              {t('held.all')}
            </LinkAnchor>
          </Text>
        )}
        {may('campaigns:send') && (
          <Group gap="sm">
            <Button size="xs" loading={resolve.isPending} onClick={() => decide('resend')}>
              {t('held.resend')}
            </Button>
            <Button size="xs" variant="default" disabled={resolve.isPending} onClick={() => decide('drop')}>
              {t('held.drop')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
