// The plain page of the screens without a session: product name, heading, form.
import { Anchor, Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { appName, logoUrl, supportEmail } from '../../api/installation.ts';
import { useText } from '../../text/use-text.tsx';

export function DoorPage({
  title,
  text,
  width = 400,
  children,
}: {
  title: string;
  text?: string;
  width?: number;
  children: ReactNode;
}) {
  const t = useText('sign-in');
  useDocumentTitle(`${title} · ${appName}`);
  return (
    <Box component="main" id="main" px="md" py={{ base: 32, sm: 96 }}>
      <Stack maw={width} mx="auto" gap="lg">
        <Group gap="sm">
          <img src={logoUrl} alt="" height={32} style={{ maxWidth: 160 }} />
          <Text fw={600} size="lg">
            {appName}
          </Text>
        </Group>
        <Paper withBorder p={{ base: 'md', sm: 'lg' }} radius="md">
          <Stack gap="md">
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              {text && (
                <Text c="dimmed" mt={4}>
                  {text}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
        {supportEmail !== '' && (
          <Text size="sm" c="dimmed">
            {t('support')} <Anchor href={`mailto:${supportEmail}`}>{supportEmail}</Anchor>
          </Text>
        )}
      </Stack>
    </Box>
  );
}
