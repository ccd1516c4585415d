// A secret that was just made: shown once, to copy.
import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { useText } from '../../text/use-text.tsx';

export function MadeSecret({ secret, children }: { secret: string; children?: ReactNode }) {
  const t = useText('webhooks');
  return (
    <Alert icon={<IconKey aria-hidden />} variant="outline" title={t('secretCreatedTitle')} role="status">
      <Stack gap="sm">
        <Text size="sm">{t('secretCreatedText')}</Text>
        <Group gap="sm" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{secret}</Code>
          <Copy value={secret} label={t('secret')} />
        </Group>
        {children}
      </Stack>
    </Alert>
  );
}
