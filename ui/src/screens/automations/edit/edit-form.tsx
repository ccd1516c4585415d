// The form of a trigger or a step in its card: its fields, what is wrong, Save and Cancel.
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useFaultText } from '../../../parts/fault.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';

type Props = { onSave(): Promise<unknown>; onCancel(): void; children: ReactNode };

/** Stays open when saving fails, with what was entered. */
export function EditForm({ onSave, onCancel, children }: Props) {
  const t = useText('automations');
  const words = useFaultText();
  const [fault, setFault] = useState<unknown>();
  const { busy, run } = useAction(setFault);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFault(undefined);
    await run(onSave);
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Stack gap="sm">
        {children}
        {fault !== undefined && (
          <Text size="sm" c="red" role="alert">
            {words(fault)}
          </Text>
        )}
        <Group gap="sm">
          <Button type="submit" size="xs" loading={busy}>
            {t('save')}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
