// The test of settings that are not saved yet has failed: why, and what to do with them.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { Tested, Way } from './use-tested-save.ts';

type Props = { outcome: Tested; isBusy: boolean; onSave(way: Way): void; onChange(): void };

export default function FailedTest({ outcome, isBusy, onSave, onChange }: Props) {
  const t = useText('relays');
  const alert = useRef<HTMLDivElement>(null);
  // The button that asked for the test may be below what is in view, or the alert above it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each outcome is shown
  useEffect(() => alert.current?.scrollIntoView({ block: 'nearest' }), [outcome]);
  return (
    <Alert
      ref={alert}
      color="red"
      variant="outline"
      role="alert"
      icon={<IconAlertCircle aria-hidden />}
      title={t.of('relayFailed', outcome.stage)}
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {outcome.problem}
        </Text>
        <Text size="sm">{t('relayNotSaved')}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => onSave('off')}>
            {t('relaySaveOff')}
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={onChange}>
            {t('relayChangeSettings')}
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => onSave('anyway')}>
            {t('relaySaveAnyway')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
