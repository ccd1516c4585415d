// What went wrong, in words, with a way on. A fault of a method says itself what is wrong, in English, which is put into the
// language of the screen; what we add is only for a program out of reach and for errors of our own.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useCallback } from 'react';
import { ApiFault } from '../api/call.ts';
import { useText } from '../text/use-text.tsx';
import { Page, PageHeader } from './page.tsx';

/** The words for any error. */
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

/** In place of what could not be shown. */
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

/** In place of a whole screen. */
export function FaultScreen({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useText('parts');
  return (
    <Page>
      <PageHeader title={t('failed')} />
      <FaultNote error={error} onRetry={onRetry} />
    </Page>
  );
}
