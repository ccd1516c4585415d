// The URL of the trigger webhook: made here, shown once, replaced here; and what became of the last request.
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Info } from '../types.ts';

export function Incoming({ info, mayWrite }: { info: Info; mayWrite: boolean }) {
  const t = useText('automations');
  const make = useMutate('automationWebhookUrl');
  const { mayAll } = useSession();
  const [url, setUrl] = useState('');
  const { webhook } = info;
  const isNew = webhook.url === '';
  const makeNow = async () => {
    const agreed =
      isNew ||
      (await confirm({ title: t('replaceUrl'), text: t('replaceUrlText'), action: t('replaceUrl'), danger: true }));
    if (!agreed) return;
    make.mutate({ id: info.id }, { onSuccess: (made) => setUrl(made.url), onError: (error) => toast.failed(error) });
  };
  return (
    <Stack gap="xs" mt="sm">
      {url !== '' && (
        <Alert variant="outline" icon={<IconPlugConnected aria-hidden />} title={t('urlOnce')} role="status">
          <Group gap="sm" wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{url}</Code>
            <Copy value={url} label={t('webhookUrl')} />
          </Group>
        </Alert>
      )}
      {url === '' && !isNew && <Code style={{ overflowWrap: 'anywhere' }}>{webhook.url}</Code>}
      {!isNew && (
        <Text size="xs" c="dimmed">
          {webhook.last_result === '' ? (
            t('noRequest')
          ) : (
            <>
              {t('lastRequest')} <Time at={webhook.last_at} />: {t.of('request', webhook.last_result)}
            </>
          )}
        </Text>
      )}
      {mayWrite && mayAll('campaigns:write') && (
        <Group>
          <Button size="xs" variant={isNew ? 'filled' : 'default'} loading={make.isPending} onClick={makeNow}>
            {t(isNew ? 'createUrl' : 'replaceUrl')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
