// The plain page of the screens without a session: product name, heading, form.
import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { applicationPath } from '../../api/base-path.ts';

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
  useDocumentTitle(`${title} · Postrider`);
  return (
    <Box component="main" id="main" px="md" py={{ base: 32, sm: 96 }}>
      <Stack maw={width} mx="auto" gap="lg">
        <Group gap="sm">
          <img src={`${applicationPath}/icon.svg`} alt="" width={32} height={32} />
          <Text fw={600} size="lg">
            Postrider
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
      </Stack>
    </Box>
  );
}
