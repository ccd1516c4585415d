// All labels of the account: new ones, other names and colours, and deleting them.
import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import { confirm } from '../confirm/confirm.tsx';
import { MethodForm, Submit, useMethodForm } from '../form/form.tsx';
import { Loaded } from '../loaded.tsx';
import { toast } from '../toast/toast.tsx';
import { type Label, LabelChip } from './label.tsx';
import { ColourSelect, maxLabelName, NewLabel } from './new-label.tsx';

/** What shows labels. */
const shownIn = ['campaign', 'list', 'automation'];

type Props = { onClose(): void; onDeleted(id: string): void };

export default function EditLabels({ onClose, onDeleted }: Props) {
  const t = useText('labels');
  const labels = useMethod('labels');
  const [changing, setChanging] = useState('');
  const remove = useMutate('labelDelete', shownIn);
  const ask = async ({ id, name }: Label) => {
    const yes = await confirm({
      title: t('deleteTitle', { name }),
      text: t('deleteText'),
      action: t('delete'),
      danger: true,
    });
    if (!yes) return;
    try {
      await remove.mutateAsync({ id });
      onDeleted(id);
      toast.done(t('deleted'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('edit')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <Loaded query={labels}>
          {(all) => (
            <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {all.length === 0 && <Text c="dimmed">{t('none')}</Text>}
              {all.map((label) => (
                <li key={label.id}>
                  {changing === label.id ? (
                    <Change label={label} onDone={() => setChanging('')} />
                  ) : (
                    <Row label={label} onChange={() => setChanging(label.id)} onDelete={() => ask(label)} />
                  )}
                </li>
              ))}
            </Stack>
          )}
        </Loaded>
        <NewLabel />
      </Stack>
    </Modal>
  );
}

function Row({ label, onChange, onDelete }: { label: Label; onChange(): void; onDelete(): void }) {
  const t = useText('labels');
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <LabelChip label={label} />
      <Group gap={4} wrap="nowrap">
        <ActionIcon variant="subtle" color="gray" aria-label={t('changeOf', { name: label.name })} onClick={onChange}>
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label={t('deleteOf', { name: label.name })} onClick={onDelete}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  );
}

function Change({ label, onDone }: { label: Label; onDone(): void }) {
  const t = useText('labels');
  const update = useMutate('labelUpdate', shownIn);
  const form = useMethodForm({
    initialValues: { name: label.name, colour: label.colour },
    fields: { name: 'name', colour: 'colour' },
    validate: { name: (name) => (name.trim() === '' ? t('nameMissing') : null) },
    send: (values) => update.mutateAsync({ id: label.id, ...values }),
    done: onDone,
  });
  return (
    <MethodForm form={form}>
      <Group align="flex-start" gap="sm">
        <TextInput label={t('name')} maxLength={maxLabelName} flex="1 1 160px" {...form.getInputProps('name')} />
        <ColourSelect value={form.getValues().colour} onChange={(colour) => form.setValues({ colour })} />
      </Group>
      <Group gap="sm">
        <Submit form={form}>{t('save')}</Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}
