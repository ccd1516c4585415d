// The screen for an unknown address.
import { Stack, Text } from '@mantine/core';
import { LinkAnchor } from '../parts/link.tsx';
import { Page, PageHeader } from '../parts/page.tsx';
import { useText } from '../text/use-text.tsx';

export function NotFound() {
  const t = useText('shell');
  return (
    <Page>
      <PageHeader title={t('notFound')} />
      <Stack align="flex-start">
        <Text c="dimmed">{t('notFoundText')}</Text>
        <LinkAnchor to="/">{t('goHome')}</LinkAnchor>
      </Stack>
    </Page>
  );
}
