// The form for what belongs to the person and is the same on every list.
import { Button, Group, Text } from '@mantine/core';
import { useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { ValueInput } from '../lists/fields/value-input.tsx';
import type { Contact } from './contact.ts';
import type { Own } from './person.tsx';

export default function PersonForm({
  contact,
  own,
  onDone,
}: {
  contact: Contact;
  own: readonly Own[];
  onDone(): void;
}) {
  const t = useText('contacts');
  const update = useMutate('listUpdateMember', ['member', 'contact', 'segment']);
  const form = useMethodForm({
    initialValues: { merge_vars: Object.fromEntries(own.map(({ field, value }) => [field.tag, value])) },
    send: async ({ merge_vars }) => {
      const changed = own.filter(({ field, value }) => merge_vars[field.tag] !== value);
      for (const [id, ofList] of Map.groupBy(changed, ({ list }) => list))
        await update.mutateAsync({
          id,
          email_address: contact.id,
          merge_vars: Object.fromEntries(ofList.map(({ field: { tag } }) => [tag, merge_vars[tag] ?? ''])),
        });
    },
    done: () => {
      toast.done(t('saved'));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <Text size="sm" c="dimmed">
        {t('personAbout')}
      </Text>
      {own.map(({ field }) => (
        <ValueInput
          key={field.tag}
          field={field}
          label={field.name}
          {...form.getInputProps(`merge_vars.${field.tag}`)}
        />
      ))}
      <Group>
        <Submit form={form} disabled={!form.isDirty()}>
          {t('save')}
        </Submit>
        <Button variant="default" onClick={onDone}>
          {t('cancel')}
        </Button>
      </Group>
    </MethodForm>
  );
}
