// The dialog that adds a contact to a list: address, field values, and whether to send a confirmation email.
import { Button, Checkbox, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { type ListField, ValueInput } from './fields/value-input.tsx';

type Props = {
  /** With several, one is chosen first. */
  lists: readonly { id: string; name: string }[];
  /** Filled in already. */
  email?: string | undefined;
  opened: boolean;
  onClose(): void;
};

export default function AddMemberDialog({ lists, email, opened, onClose }: Props) {
  const t = useText('lists');
  const [chosen, choose] = useState<string | null>(null);
  const list = chosen ?? (lists.length === 1 ? lists[0]!.id : undefined);
  return (
    <Modal opened={opened} onClose={onClose} title={t('addMember')} closeButtonProps={{ 'aria-label': t('close') }}>
      {lists.length > 1 && (
        <Select
          label={t('list')}
          mb="md"
          searchable
          openOnFocus={false}
          data={lists.map(({ id, name }) => ({ value: id, label: name }))}
          value={list ?? null}
          onChange={choose}
          allowDeselect={false}
          data-autofocus={list === undefined || undefined}
        />
      )}
      {list !== undefined && <FieldsOf key={list} list={list} email={email} onDone={onClose} />}
    </Modal>
  );
}

type FieldsProps = { list: string; email?: string | undefined; onDone(): void };

function FieldsOf(props: FieldsProps) {
  const fields = useMethod('listMergeVars', { id: props.list });
  return <Loaded query={fields}>{(known) => <Form {...props} fields={known} />}</Loaded>;
}

function Form({ list, email = '', fields, onDone }: FieldsProps & { fields: ListField[] }) {
  const t = useText('lists');
  const add = useMutate('listSubscribe', ['member', 'contact']);
  const others = fields.filter(({ tag }) => tag !== 'EMAIL');
  const form = useMethodForm({
    initialValues: {
      email_address: email,
      merge_vars: Object.fromEntries(others.map(({ tag }) => [tag, ''])),
      double_optin: true,
      update_existing: false,
    },
    send: ({ merge_vars, ...rest }) =>
      add.mutateAsync({
        id: list,
        ...rest,
        merge_vars: Object.fromEntries(Object.entries(merge_vars).filter(([, value]) => value !== '')),
      }),
    done: (_, { email_address, double_optin }) => {
      toast.done(t(double_optin ? 'confirmationSent' : 'memberAdded', { email: email_address }));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput
        label={t('email')}
        type="email"
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('email_address')}
      />
      {others.map((field) => (
        <ValueInput
          key={field.tag}
          field={field}
          label={field.name}
          required={field.req}
          {...form.getInputProps(`merge_vars.${field.tag}`)}
        />
      ))}
      <Radio.Group
        label={t('consent')}
        value={form.values.double_optin ? 'ask' : 'has'}
        onChange={(value) => form.setFieldValue('double_optin', value === 'ask')}
      >
        <Stack gap="sm" mt="sm">
          <Radio value="ask" label={t('consentAsk')} description={t('consentAskHint')} />
          <Radio value="has" label={t('consentHas')} description={t('consentHasHint')} />
        </Stack>
      </Radio.Group>
      <Checkbox label={t('updateExisting')} {...form.getInputProps('update_existing', { type: 'checkbox' })} />
      <Group>
        <Submit form={form}>{t('add')}</Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}
