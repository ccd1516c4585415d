// Fields that belong together: their name, in the style of a label, what to know about them, and the fields.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './field-group.module.css';

export function FieldGroup({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <fieldset className={classes.group}>
      <legend className={classes.title}>{title}</legend>
      <Text c="dimmed" size="xs" mb="sm">
        {about}
      </Text>
      {children}
    </fieldset>
  );
}
