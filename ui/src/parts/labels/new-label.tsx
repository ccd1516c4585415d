// Creates a label: its name and colour.
import { Button, Group, TextInput } from '@mantine/core';
import { labelColours } from '../../../../src/accounts/labels/colours.ts';
import { useMutate } from '../../api/use-method.ts';
import { useText } from '../../text/use-text.tsx';
import { MethodForm, useMethodForm } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { type Label, Swatch } from './label.tsx';

export const maxLabelName = 50;

export function NewLabel({ onCreated }: { onCreated?(id: string): void }) {
  const t = useText('labels');
  const create = useMutate('labelCreate');
  const form = useMethodForm({
    initialValues: { name: '', colour: 'gray' as Label['colour'] },
    fields: { name: 'name', colour: 'colour' },
    validate: { name: (name) => (name.trim() === '' ? t('nameMissing') : null) },
    send: (values) => create.mutateAsync(values),
    done: (id) => {
      form.setValues({ name: '' });
      onCreated?.(id);
    },
  });
  const colour = form.getValues().colour;
  return (
    <MethodForm form={form}>
      <Group align="flex-start" gap="sm" wrap="wrap">
        <TextInput label={t('newLabel')} maxLength={maxLabelName} flex="1 1 160px" {...form.getInputProps('name')} />
        <ColourSelect value={colour} onChange={(next) => form.setValues({ colour: next })} />
        <Button type="submit" variant="default" mt={25} loading={create.isPending}>
          {t('add')}
        </Button>
      </Group>
    </MethodForm>
  );
}

type ColourProps = { value: Label['colour']; onChange(colour: Label['colour']): void };

export function ColourSelect({ value, onChange }: ColourProps) {
  const t = useText('labels');
  return (
    <Select
      label={t('colour')}
      w={130}
      data={labelColours.map((colour) => ({ value: colour, label: t(`colour.${colour}`) }))}
      leftSection={<Swatch colour={value} />}
      renderOption={({ option }) => (
        <Group gap="sm">
          <Swatch colour={option.value as Label['colour']} />
          {option.label}
        </Group>
      )}
      allowDeselect={false}
      value={value}
      onChange={(next) => next && onChange(next as Label['colour'])}
    />
  );
}
