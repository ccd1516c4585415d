// Asks for the account, and the list there, and says afterwards what the copy does not have.
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import { MethodForm, Submit, useMethodForm } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { toast } from '../toast/toast.tsx';
import type { Copyable } from './use-copy-to.tsx';

export default function CopyDialog({ kind, id, name, onClose }: Copyable & { onClose(): void }) {
  const t = useText('parts');
  const targets = useMethod('copyTargets').data ?? [];
  const template = useMutate('templateCopy');
  const segment = useMutate('segmentCopy');
  const automation = useMutate('automationCopy');
  const [left, setLeft] = useState<string[]>();
  const needsList = kind !== 'template';
  const form = useMethodForm({
    initialValues: { account: '', list: '' },
    validate: {
      account: (value) => (value === '' ? t('copyChoose') : null),
      list: (value) => (needsList && value === '' ? t('copyChoose') : null),
    },
    send: ({ account, list }) => {
      if (kind === 'template') return template.mutateAsync({ template_id: id, account });
      return (kind === 'segment' ? segment : automation).mutateAsync({ id, account, list });
    },
    done: ({ left_out }) => {
      if (left_out.length > 0) return setLeft(left_out);
      toast.done(t('copyDone', { name }));
      onClose();
    },
  });
  const chosen = targets.find((target) => target.id === form.values.account);
  return (
    <Modal opened onClose={onClose} title={t('copyToTitle', { name })}>
      {left ? (
        <Stack>
          <Text>{t('copyLeftOut')}</Text>
          <List size="sm" withPadding>
            {left.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('copyClose')}</Button>
          </Group>
        </Stack>
      ) : (
        <MethodForm form={form}>
          <Select
            label={t('copyAccount')}
            data={targets.map((target) => ({ value: target.id, label: target.name }))}
            searchable
            allowDeselect={false}
            data-autofocus
            {...form.getInputProps('account')}
            onChange={(account) => form.setValues({ account: account ?? '', list: '' })}
          />
          {needsList && (
            <Select
              label={t('copyList')}
              data={(chosen?.lists ?? []).map((list) => ({ value: list.id, label: list.name }))}
              disabled={!chosen}
              searchable
              allowDeselect={false}
              {...form.getInputProps('list')}
            />
          )}
          <Group justify="flex-end">
            <Submit form={form}>{t('copyDo')}</Submit>
          </Group>
        </MethodForm>
      )}
    </Modal>
  );
}
