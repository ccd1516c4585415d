// The form of a section of the account settings: fields that are saved one by one, read-only for users without permission.
import { Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invalidate } from '../../../api/use-method.ts';
import { MethodForm, type MethodFormState, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import type { Session } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { saveChanges } from '../save-changes.ts';

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
  const t = useText('settings');
  if (!mayChange)
    return (
      <fieldset disabled style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
        <Stack>{children}</Stack>
      </fieldset>
    );
  return (
    <MethodForm form={form} guard>
      {children}
      <Group>
        <Submit form={form} disabled={!form.isDirty()}>
          {t('save')}
        </Submit>
      </Group>
    </MethodForm>
  );
}

export function useAccountForm<V extends Record<string, string>>(before: V) {
  const t = useText('settings');
  const client = useQueryClient();
  return useMethodForm<V, void>({
    initialValues: before,
    send: async (values) => {
      await saveChanges(before, values);
      await invalidate(client, ['session', 'get']);
    },
    done: () => toast.done(t('saved')),
  });
}

export function textOf(account: Session['account'], name: string): string {
  const value = account.settings[name];
  return typeof value === 'string' ? value : '';
}
