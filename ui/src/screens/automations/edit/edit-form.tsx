// The form of a trigger or a step in its panel: its fields, what is wrong, Done and Cancel. Leaving it saves what was changed.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useFaultText } from '../../../parts/fault.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { areWhole, type Check, Checks, useLeave } from './open-form.ts';

type Props = {
  isChanged: boolean;
  onSave(): Promise<unknown>;
  onCancel(): void;
  /** Once it is saved, by Done. */
  onDone(): void;
  children: ReactNode;
};

/** Stays open when saving fails, with what was entered. */
export function EditForm({ isChanged, onSave, onCancel, onDone, children }: Props) {
  const t = useText('automations');
  const ask = useText('parts');
  const words = useFaultText();
  const [fault, setFault] = useState<unknown>();
  const { busy, run } = useAction(setFault);
  const [checks] = useState(() => new Set<Check>());
  const save = async () => {
    setFault(undefined);
    let isSaved = false;
    if (areWhole(checks))
      await run(async () => {
        await onSave();
        isSaved = true;
      });
    return isSaved;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await save()) onDone();
  };
  const leave = async () => !isChanged || (await save());
  useLeave(leave);
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await leave()) && !window.confirm(ask('leaveUnsaved')),
    enableBeforeUnload: () => isChanged,
  });
  return (
    <form onSubmit={submit} noValidate className={classes.panelForm}>
      <Stack gap="sm" className={classes.panelBody ?? ''}>
        <Checks value={checks}>{children}</Checks>
        {fault !== undefined && (
          <Text size="sm" c="red" role="alert">
            {words(fault)}
          </Text>
        )}
      </Stack>
      <Group gap="sm" className={classes.panelFoot ?? ''}>
        <Button type="submit" loading={busy}>
          {t('done')}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </Group>
    </form>
  );
}
