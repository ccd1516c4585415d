// Creates or edits a field of a list. The tag follows the name until the user edits the tag.
import { Button, Checkbox, Group, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { ChoiceRows, changesIn, rowsOf } from './choice-rows.tsx';
import { tagOf } from './tag.ts';
import { type ListField, ValueInput } from './value-input.tsx';

export type FieldType = ListField['field_type'];
/** THE list on the screen, in its order; complete, since the compiler compares it with that of the methods. */
export const fieldTypes = Object.keys({
  text: true,
  number: true,
  date: true,
  dropdown: true,
  multiple_choice: true,
  yes_no: true,
  phone: true,
  website: true,
  address: true,
  email: true,
  image: true,
} satisfies Record<FieldType, true>) as FieldType[];

type Props = {
  list: string;
  field: ListField | undefined;
  position: number;
  /** The name of a new field, and its tag. */
  suggested?: string | undefined;
  onDone(): void;
};

export function FieldForm({ list, field, position, suggested, onDone }: Props) {
  const t = useText('lists');
  const [ownTag, setOwnTag] = useState(field !== undefined || suggested !== undefined);
  const isEmail = field?.tag === 'EMAIL';
  const form = useFieldForm({ list, field, position, suggested, onDone });
  const name = form.getInputProps('name');
  return (
    <MethodForm form={form}>
      <TextInput
        label={t('name')}
        required
        maxLength={100}
        data-autofocus
        {...name}
        onChange={(event) => {
          name.onChange(event);
          if (!ownTag) form.setFieldValue('tag', tagOf(event.currentTarget.value));
        }}
      />
      {!isEmail && (
        <>
          <TextInput
            label={t('tag')}
            description={t('tagHint', { tag: form.values.tag || 'CITY' })}
            required
            maxLength={50}
            {...form.getInputProps('tag')}
            onChange={({ currentTarget: { value } }) => {
              setOwnTag(true);
              form.setFieldValue('tag', value.toUpperCase());
            }}
          />
          <Select
            label={t('type')}
            data={fieldTypes.map((type) => ({ value: type, label: t(`type.${type}`) }))}
            allowDeselect={false}
            {...form.getInputProps('field_type')}
          />
          <Choices form={form} before={field?.predefined_values ?? []} />
          <ValueInput
            field={{ field_type: form.values.field_type, predefined_values: choicesOf(form.values) }}
            label={t('default')}
            description={t('defaultHint')}
            {...form.getInputProps('default_value')}
          />
          <Checkbox
            label={t('required')}
            description={t('requiredHint')}
            {...form.getInputProps('req', { type: 'checkbox' })}
          />
        </>
      )}
      <Checkbox
        label={t('public')}
        description={t('publicHint')}
        {...form.getInputProps('public', { type: 'checkbox' })}
      />
      <Group>
        <Submit form={form}>{t('save')}</Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}

type FieldFormState = ReturnType<typeof useFieldForm>;

/** Whether a type has choices. */
const hasChoices = (type: string) => type === 'dropdown' || type === 'multiple_choice';

const choicesOf = ({ choices, rows }: FieldFormState['values']) =>
  rows.length > 0 ? changesIn(rows).choices : choices;

/** Names are typed one after the other; those that a field has already are rows, so that they can get other names. */
function Choices({ form, before }: { form: FieldFormState; before: readonly string[] }) {
  const t = useText('lists');
  const type = form.values.field_type;
  if (!hasChoices(type)) return null;
  if (before.length === 0)
    return (
      <TagsInput
        label={t('choices')}
        description={t('choicesHint')}
        required
        acceptValueOnBlur
        splitChars={[]}
        {...form.getInputProps('choices')}
      />
    );
  return (
    <ChoiceRows
      before={before}
      rows={form.values.rows}
      onChange={(rows) => form.setFieldValue('rows', rows)}
      error={form.errors.choices}
      drops={
        type === 'multiple_choice'
          ? { checked: form.values.drop_values, onChange: (drops) => form.setFieldValue('drop_values', drops) }
          : undefined
      }
    />
  );
}

/** Sends a new field, or the changes of an existing one; the tag and type of EMAIL are fixed. */
function useFieldForm({ list, field, position, suggested, onDone }: Props) {
  const t = useText('lists');
  const touches = ['member', 'contact', 'segment'];
  const add = useMutate('listMergeVarAdd', touches);
  const update = useMutate('listMergeVarUpdate', touches);
  const isEmail = field?.tag === 'EMAIL';
  return useMethodForm({
    initialValues: {
      name: field?.name ?? suggested ?? '',
      tag: field?.tag ?? suggested?.toUpperCase() ?? '',
      field_type: field?.field_type ?? 'text',
      req: field?.req ?? false,
      public: field?.show ?? true,
      default_value: field?.default ?? '',
      choices: field?.predefined_values ?? [],
      rows: rowsOf(field?.predefined_values ?? []),
      drop_values: false,
    },
    // A fault about the default names a field value: merge_vars.CITY.
    fields: { merge_vars: 'default_value', rename_choices: 'choices' },
    send: async ({ name, tag, ...options }) => {
      const { choices, rows, drop_values, ...kept } = options;
      const isNew = rows.length === 0 && (field?.predefined_values ?? []).length === 0;
      const own = !hasChoices(options.field_type) ? {} : isNew ? { choices } : { ...changesIn(rows), drop_values };
      if (field === undefined)
        return add.mutateAsync({ id: list, tag, name, options: { ...kept, ...own, order: position } });
      return update.mutateAsync({
        id: list,
        tag: field.tag,
        options: isEmail ? { name, public: kept.public } : { name, tag, ...kept, ...own },
      });
    },
    done: () => {
      toast.done(t('saved'));
      onDone();
    },
  });
}
