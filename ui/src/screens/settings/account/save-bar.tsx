// The forms of a page of settings share one bar, which appears once something is changed: it saves or discards all of it, and
// says for a moment that it was saved.
import { Button, Group, Text } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';

/** A form: a fault of `save` is shown by the form itself. */
type Unsaved = { save(): Promise<unknown>; discard(): void };
type Page = {
  report(form: string, unsaved: Unsaved | undefined): void;
  /** Says that a form was saved. */
  saved(): void;
};

const SaveBarContext = createContext<Page>({ report: () => {}, saved: () => {} });
const saidMs = 4_000;

export function SaveBar({ children }: { children: ReactNode }) {
  const t = useText('settings');
  const forms = useRef(new Map<string, Unsaved>());
  const [isChanged, setChanged] = useState(false);
  const [savedAt, setSavedAt] = useState<number>();
  const [page] = useState<Page>(() => ({
    report: (form, unsaved) => {
      if (unsaved) forms.current.set(form, unsaved);
      else forms.current.delete(form);
      setChanged(forms.current.size > 0);
    },
    saved: () => setSavedAt(Date.now()),
  }));
  useEffect(() => {
    if (savedAt === undefined) return;
    const timer = setTimeout(() => setSavedAt(undefined), saidMs);
    return () => clearTimeout(timer);
  }, [savedAt]);
  const { busy, run } = useAction();
  const saveAll = () =>
    run(async () => {
      for (const { save } of [...forms.current.values()]) await save();
    });
  return (
    <SaveBarContext value={page}>
      {children}
      {(isChanged || savedAt !== undefined) && (
        <section className={classes.saveBar} aria-label={t('changes')}>
          <Text size="sm" role="status">
            {t(isChanged ? 'unsaved' : 'saved')}
          </Text>
          {isChanged && (
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
          )}
        </section>
      )}
    </SaveBarContext>
  );
}

/** Says in the bar of the page that something was saved. */
export const useSaid = () => useContext(SaveBarContext).saved;

/** Reports a form to the bar of its page, while it has changes. */
export function useUnsaved(isDirty: boolean, unsaved: Unsaved): void {
  const { report } = useContext(SaveBarContext);
  const form = useId();
  const latest = useRef(unsaved);
  latest.current = unsaved;
  useEffect(() => {
    if (!isDirty) return;
    report(form, { save: () => latest.current.save(), discard: () => latest.current.discard() });
    return () => report(form, undefined);
  }, [report, form, isDirty]);
}
