// A form that sends its values to a method. A fault is shown next to the field it names, and the input is kept.
//
//   const form = useMethodForm({ initialValues, send: (values) => update.mutateAsync({ id, ...values }), done });
//   <MethodForm form={form}> <TextInput label=… {...form.getInputProps('subject')} /> <Submit form={form}>…</Submit> </MethodForm>
import { Alert, Button, type ButtonProps, Stack, Text } from '@mantine/core';
import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form';
import { IconAlertCircle } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { ApiFault } from '../../api/call.ts';
import { useText } from '../../text/use-text.tsx';
import { useFaultText } from '../fault.tsx';
import { besideField, fieldOf } from './fault-field.ts';

type Options<V extends object, R> = {
  initialValues: V;
  validate?: FormValidateInput<V>;
  send(values: V): Promise<R>;
  done?(result: R, values: V): void;
  /** Maps parameters to fields of another name: { 'options.from_email': 'replyTo' }. */
  fields?: Record<string, string>;
};

export type MethodFormState<V extends object> = UseFormReturnType<V> & {
  busy: boolean;
  /** Shows a fault that belongs to no field. */
  fault: unknown;
  submit(): Promise<void>;
};

export function useMethodForm<V extends object, R>(options: Options<V, R>): MethodFormState<V> {
  const form = useForm<V>({
    mode: 'controlled',
    initialValues: options.initialValues,
    ...(options.validate ? { validate: options.validate } : {}),
    onSubmitPreventDefault: 'always',
  });
  const words = useFaultText();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const sending = useRef(false);

  const submit = async () => {
    if (sending.current) return;
    const from = document.activeElement;
    if (form.validate().hasErrors) return focusFirstError(from);
    sending.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      const values = form.getValues();
      const result = await options.send(values);
      form.resetDirty(values);
      options.done?.(result, values);
    } catch (error) {
      const member = error instanceof ApiFault ? error.member : undefined;
      const field = fieldOf(member, form.getValues(), options.fields ?? {});
      if (field === undefined) setFault(error);
      else {
        form.setFieldError(field, besideField(words(error), member));
        focusFirstError(from);
      }
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  return { ...form, busy, fault, submit };
}

type FormProps<V extends object> = {
  form: MethodFormState<V>;
  children: ReactNode;
  /** Asks before leaving the screen with unsaved changes. */
  guard?: boolean | 'page';
};

export function MethodForm<V extends object>({ form, children, guard = false }: FormProps<V>) {
  const words = useFaultText();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      {guard && <Guard form={form} within={guard === 'page'} />}
      <Stack gap="md" className="in-order">
        {form.fault !== undefined && (
          <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />} role="alert">
            <Text size="sm">{words(form.fault)}</Text>
          </Alert>
        )}
        {children}
      </Stack>
    </form>
  );
}

export function Submit<V extends object>({
  form,
  children,
  ...props
}: ButtonProps & { form: MethodFormState<V>; children: ReactNode }) {
  return (
    <Button type="submit" loading={form.busy} {...props}>
      {children}
    </Button>
  );
}

function Guard<V extends object>({ form, within }: { form: MethodFormState<V>; within: boolean }) {
  const t = useText('parts');
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      form.isDirty() && !(within && current.pathname === next.pathname) && !window.confirm(t('leaveUnsaved')),
    enableBeforeUnload: () => form.isDirty(),
  });
  return null;
}

/**
 * After the next paint, when the field is marked. If the focus has moved since the form was sent, it stays where it is:
 * otherwise text being typed would land in another field.
 * @param from the element focused when the form was sent
 */
function focusFirstError(from: Element | null) {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const now = document.activeElement;
      if (now !== from && now?.matches('input, textarea, select, [contenteditable]')) return;
      document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }),
  );
}
