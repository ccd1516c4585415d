// Names and values, a line each.
import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Facts({ rows }: { rows: readonly [name: string, value: ReactNode][] }) {
  return (
    <Stack component="dl" gap={4} m={0}>
      {rows.map(([name, value]) => (
        <Group key={name} gap="sm" wrap="nowrap" align="flex-start">
          <Text component="dt" c="dimmed" w={120} style={{ flex: 'none', overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text component="dd" m={0} miw={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
