// The warning before the visual editor reformats a page that was not made with it.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import type { LostPart } from './page-parts.ts';

type Props = {
  rewrites: string;
  lost: readonly LostPart[];
  onSource: (() => void) | undefined;
  onAgree(): void;
};

export function RewriteWarning({ rewrites, lost, onSource, onAgree }: Props) {
  const t = useText('visual');
  return (
    <Alert variant="outline" color="yellow.8" icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <Text maw="70ch">
          {rewrites}
          {lost.length > 0 && ` ${t('visualLoses', { what: lost.map((part) => t(`lost.${part}`)).join(', ') })}`}
        </Text>
        <Group gap="xs">
          {onSource && (
            <Button size="xs" onClick={onSource}>
              {t('visualSource')}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onAgree}>
            {t('visualAgree')}
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
