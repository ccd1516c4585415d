// Shows an error, with a way to retry. Faults of methods come from the server in the language of the screen; the texts
// here are for a server that cannot be reached and for errors of the web application.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useCallback } from 'react';
import { ApiFault } from '../api/call.ts';
import { useText } from '../text/use-text.tsx';
import { Page, PageHeader } from './page.tsx';

/** The text of any error. */
export function useFaultText(): (error: unknown) => string {
  const t = useText('parts');
  return useCallback(
    (error) => {
      if (!(error instanceof ApiFault)) return t('screenFailed');
      return error.status === 0 ? t('unreachable') : error.message;
    },
    [t],
  );
}

/** Replaces content that could not be loaded. */
export function FaultNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const t = useText('parts');
  const words = useFaultText();
  return (
    <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{words(error)}</Text>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {t('retry')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Replaces a whole screen. */
export function FaultScreen({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useText('parts');
  return (
    <Page>
      <PageHeader title={t('failed')} />
      <FaultNote error={error} onRetry={onRetry} />
    </Page>
  );
}
