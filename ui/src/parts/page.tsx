// The column and header of a screen: title (also the document's), status, description and actions.

import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { appName } from '../api/installation.ts';
import { LinkAnchor, type Target } from './link.tsx';
import { Tagged, useTagless } from './tagged/tagged.tsx';

export function Page({ children, narrow = false }: { children: ReactNode; narrow?: boolean }) {
  return (
    <Box px={{ base: 'md', sm: 'lg' }} py={{ base: 'md', sm: 'lg' }} maw={narrow ? 720 : 'var(--content-width)'}>
      <Stack gap="lg" className="in-order">
        {children}
      </Stack>
    </Box>
  );
}

export type Head = {
  title: string;
  /** Next to the title: a Status. */
  status?: ReactNode;
  description?: ReactNode;
  /** Buttons, the primary button last. */
  actions?: ReactNode;
  /** The description needs the width: on a phone the buttons go below it, however short the title is. */
  wide?: boolean;
  /** The parent screen. */
  back?: Target & { label: string };
  /** The title of the browser tab, where it says more than the heading. */
  tabTitle?: string;
};

/** A title of this length stays beside its buttons on a phone. */
const shortTitle = 12;

export function PageHeader({ title, status, description, actions, back, tabTitle, wide = false }: Head) {
  const tagless = useTagless();
  useDocumentTitle(`${tagless(tabTitle ?? title)} · ${appName}`);
  return (
    <Stack gap="xs" component="header" className="page-header">
      {back && <Back {...back} />}
      <Group justify="space-between" align="flex-start" gap="md">
        <Box miw={0} flex={title.length <= shortTitle && !wide ? '1 1 130px' : '1 1 240px'}>
          <Group gap="sm">
            <Title order={1}>
              <Tagged>{title}</Tagged>
            </Title>
            {status}
          </Group>
          {description && (
            <Text c="dimmed" mt={4} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
    </Stack>
  );
}

function Back({ label, ...screen }: Target & { label: string }) {
  return (
    <LinkAnchor {...screen} size="sm" c="dimmed">
      <Group gap={4} wrap="nowrap" component="span">
        <IconChevronLeft size={14} aria-hidden />
        {label}
      </Group>
    </LinkAnchor>
  );
}

/** A section with a heading. With an `id` it can be linked to: `#id`. */
export function Section({
  id,
  title,
  status,
  description,
  actions,
  children,
}: Omit<Head, 'back' | 'tabTitle' | 'wide'> & { id?: string; children: ReactNode }) {
  return (
    <Stack
      gap="md"
      component="section"
      aria-label={title}
      {...(id === undefined ? { className: 'in-order' } : { id, tabIndex: -1, className: 'in-order led-to' })}
    >
      <Group justify="space-between" align="flex-start" gap="md">
        <Box miw={0}>
          <Group gap="sm">
            <Title order={2}>{title}</Title>
            {status}
          </Group>
          {description && (
            <Text c="dimmed" size="sm" component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
