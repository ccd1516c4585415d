// The forms of a page of settings share one bar, which appears once something is changed: it saves or discards all of it.
import { Button, Group, Text } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';

/** A form: a fault of `save` is shown by the form itself. */
type Unsaved = { save(): Promise<unknown>; discard(): void };
type Report = (form: string, unsaved: Unsaved | undefined) => void;

const SaveBarContext = createContext<Report>(() => {});

export function SaveBar({ children }: { children: ReactNode }) {
  const t = useText('settings');
  const forms = useRef(new Map<string, Unsaved>());
  const [isChanged, setChanged] = useState(false);
  const [report] = useState<Report>(() => (form: string, unsaved: Unsaved | undefined) => {
    if (unsaved) forms.current.set(form, unsaved);
    else forms.current.delete(form);
    setChanged(forms.current.size > 0);
  });
  const { busy, run } = useAction();
  const saveAll = () =>
    run(async () => {
      for (const { save } of [...forms.current.values()]) await save();
    });
  return (
    <SaveBarContext value={report}>
      {children}
      {isChanged && (
        <section className={classes.saveBar} aria-label={t('unsaved')}>
          <Text size="sm" role="status">
            {t('unsaved')}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              disabled={busy}
              onClick={() => {
                for (const { discard } of [...forms.current.values()]) discard();
              }}
            >
              {t('discard')}
            </Button>
            <Button loading={busy} onClick={saveAll}>
              {t('save')}
            </Button>
          </Group>
        </section>
      )}
    </SaveBarContext>
  );
}

/** Reports a form to the bar of its page, while it has changes. */
export function useUnsaved(isDirty: boolean, unsaved: Unsaved): void {
  const report = useContext(SaveBarContext);
  const form = useId();
  const latest = useRef(unsaved);
  latest.current = unsaved;
  useEffect(() => {
    if (!isDirty) return;
    report(form, { save: () => latest.current.save(), discard: () => latest.current.discard() });
    return () => report(form, undefined);
  }, [report, form, isDirty]);
}
