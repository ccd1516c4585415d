// Saves the conditions of a table as a segment of a list.
import { Button, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { isGroup } from './conditions.ts';
import type { Conditions } from './use-conditions.ts';

/** @param list the list of the segment; '' lets the user choose one */
export function SaveSegment({ list, conditions }: { list: string; conditions: Conditions }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  if (conditions.nodes.length === 0) return null;
  return (
    <>
      <Button variant="subtle" size="xs" onClick={open}>
        {t('saveAsSegment')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('saveAsSegment')} closeButtonProps={{ 'aria-label': t('close') }}>
        {opened && <Form list={list} conditions={conditions} onDone={close} />}
      </Modal>
    </>
  );
}

function Form({ list, conditions, onDone }: { list: string; conditions: Conditions; onDone(): void }) {
  const t = useText('lists');
  const lists = useMethod('lists', { limit: 1000 }, { enabled: list === '' }).data ?? [];
  const create = useMutate('listSegmentCreate', ['segment', 'member']);
  // The list that a condition names, if there is one.
  const named = conditions.nodes.find((node) => !isGroup(node) && node.field === 'list' && node.ask === 'yes');
  const first = list || (named && !isGroup(named) ? named.value : '');
  const form = useMethodForm({
    initialValues: { title: '', list: first },
    send: (values) =>
      create.mutateAsync({ title: values.title, list: values.list || lists[0]?.id || '', ...conditions.given }),
    done: () => {
      toast.done(t('segmentSaved'));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('title')} />
      {list === '' && (
        <Select
          label={t('list')}
          description={t('segmentListHint')}
          data={lists.map(({ id, name }) => ({ value: id, label: name }))}
          allowDeselect={false}
          {...form.getInputProps('list')}
          value={form.values.list || lists[0]?.id || null}
          onChange={(id) => form.setFieldValue('list', id ?? '')}
        />
      )}
      <Group>
        <Submit form={form}>{t('save')}</Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}
