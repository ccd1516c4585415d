// The screen for an unknown address.
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page, PageHeader } from '../parts/page.tsx';
import { useText } from '../text/use-text.tsx';

export function NotFound() {
  const t = useText('shell');
  return (
    <Page>
      <PageHeader title={t('notFound')} />
      <Stack align="flex-start">
        <Text c="dimmed">{t('notFoundText')}</Text>
        <Anchor component={Link} to="/">
          {t('goHome')}
        </Anchor>
      </Stack>
    </Page>
  );
}
