// The form of a section of the account settings: fields that are saved one by one, read-only for users without permission.
import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invalidate } from '../../../api/use-method.ts';
import { MethodForm, type MethodFormState, useMethodForm } from '../../../parts/form/form.tsx';
import type { Session } from '../../../session/session.ts';
import { saveChanges } from '../save-changes.ts';
import { useSaid, useUnsaved } from './save-bar.tsx';

/** Fields that are read-only for users without permission. */
export function Fields<V extends object>({
  form,
  mayChange,
  children,
}: {
  form: MethodFormState<V>;
  mayChange: boolean;
  children: ReactNode;
}) {
  useUnsaved(mayChange && form.isDirty(), {
    save: form.submit,
    discard: () => {
      form.reset();
      form.clearErrors();
    },
  });
  if (!mayChange)
    return (
      <fieldset disabled style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
        <Stack>{children}</Stack>
      </fieldset>
    );
  return (
    <MethodForm form={form} guard>
      {children}
      {/* For Enter in a field; the button to be seen is in the bar of the page. */}
      <button type="submit" hidden disabled={!form.isDirty()} />
    </MethodForm>
  );
}

export function useAccountForm<V extends Record<string, string>>(before: V) {
  const saved = useSaid();
  const client = useQueryClient();
  const form: MethodFormState<V> = useMethodForm<V, void>({
    initialValues: before,
    send: async (values) => {
      await saveChanges(before, values);
      await invalidate(client, ['session', 'get']);
    },
    done: (_, values) => {
      form.setInitialValues(values);
      saved();
    },
  });
  return form;
}

export function textOf(account: Session['account'], name: string): string {
  const value = account.settings[name];
  return typeof value === 'string' ? value : '';
}
