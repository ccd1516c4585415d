// The buttons of a form in a dialog. They stay in view at its bottom while the fields above them scroll, on a short window too.
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './foot.module.css';

export function Foot({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="sm" className={classes.foot}>
      {children}
    </Group>
  );
}
