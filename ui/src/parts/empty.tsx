// An empty state: what the screen is for, and what to do next.
import { Stack, Text, Title } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

export function Empty({
  icon: Icon,
  title,
  text,
  action,
}: {
  icon: TablerIcon;
  title: string;
  text: string;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="sm" py={64} px="md" ta="center">
      <span className={classes.emptyIcon} aria-hidden>
        <Icon size={20} stroke={1.5} />
      </span>
      <Title order={2} size="h3">
        {title}
      </Title>
      <Text c="dimmed" maw={440}>
        {text}
      </Text>
      {action}
    </Stack>
  );
}
