// The buttons of a form in a dialog. They stay in view at its bottom while the fields above them scroll, on a short window too.
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../text/use-text.tsx';
import classes from './foot.module.css';

/** @param props.onCancel what its first button, "Cancel", does; no such button without it */
export function Foot({ onCancel, children }: { onCancel?: () => void; children: ReactNode }) {
  const t = useText('parts');
  return (
    <Group justify="flex-end" gap="sm" className={classes.foot}>
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
      )}
      {children}
    </Group>
  );
}
