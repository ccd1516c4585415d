// Adds a contact to a list: address, field values, and whether to send a confirmation email.
import { Button, Checkbox, Group, Modal, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { useShortcut } from '../../parts/keys.ts';
import { offeredLists } from '../../parts/labels/offered.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { type ListField, ValueInput } from './fields/value-input.tsx';

export function AddMember({ list }: { list: string }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  useShortcut('c', t('addMember'), open);
  return (
    <>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
        {t('addMember')}
      </Button>
      <Dialog opened={opened} close={close}>
        <FieldsOf list={list} onDone={close} />
      </Dialog>
    </>
  );
}

/** Adds a contact from a page of all lists: with several, the list is chosen first. @param email filled in already */
export function AddContact({ email }: { email?: string }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  const lists = offeredLists(useMethod('lists', { limit: 1000 }).data ?? []);
  const [chosen, choose] = useState<string | null>(null);
  const list = chosen ?? (lists.length === 1 ? lists[0]!.id : undefined);
  if (lists.length === 0) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
        {t('addMember')}
      </Button>
      <Dialog opened={opened} close={close}>
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
        {list !== undefined && <FieldsOf key={list} list={list} email={email} onDone={close} />}
      </Dialog>
    </>
  );
}

function Dialog({ opened, close, children }: { opened: boolean; close(): void; children: ReactNode }) {
  const t = useText('lists');
  return (
    <Modal opened={opened} onClose={close} title={t('addMember')} closeButtonProps={{ 'aria-label': t('close') }}>
      {children}
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
