// The form for the values and preferences of a subscription.
import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { zoneChoices } from '../../text/choices.ts';
import { useText } from '../../text/use-text.tsx';
import { type ListField, ValueInput } from '../lists/fields/value-input.tsx';
import type { Contact } from './contact.ts';
import { type Subscription, useIsOwn } from './subscriptions.tsx';

type Props = { contact: Contact; subscription: Subscription; onDone(): void };

export default function SubscriptionForm({ contact, subscription, onDone }: Props) {
  const fields = useMethod('listMergeVars', { id: subscription.list_id });
  return (
    <Loaded query={fields}>
      {(known) => <EditForm contact={contact} subscription={subscription} fields={known} onDone={onDone} />}
    </Loaded>
  );
}

function EditForm({ contact, subscription, fields, onDone }: Props & { fields: ListField[] }) {
  const t = useText('contacts');
  const navigate = useNavigate();
  const update = useMutate('listUpdateMember', ['member', 'contact', 'segment']);
  const others = fields.filter(useIsOwn(subscription));
  const before: Record<string, string> = {
    EMAIL: contact.email,
    ...Object.fromEntries(others.map(({ tag }) => [tag, subscription.merges[tag] ?? ''])),
    LANGUAGE: contact.language,
    TIMEZONE: contact.timezone,
  };
  const form = useMethodForm({
    initialValues: { merge_vars: before, email_type: subscription.email_type },
    send: async ({ merge_vars, email_type }) => {
      const changed = Object.entries(merge_vars).filter(([tag, value]) => value !== before[tag]);
      await update.mutateAsync({
        id: subscription.list_id,
        email_address: contact.id,
        merge_vars: Object.fromEntries(changed),
        email_type,
      });
    },
    done: (_, { merge_vars }) => {
      toast.done(t('saved'));
      onDone();
      const { EMAIL: email = contact.email } = merge_vars;
      if (email !== contact.email) navigate({ to: '/contacts/$email', params: { email: email.trim() }, replace: true });
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('email')} type="email" required {...form.getInputProps('merge_vars.EMAIL')} />
      {others.map((field) => (
        <ValueInput
          key={field.tag}
          field={field}
          label={field.name}
          required={field.req}
          {...form.getInputProps(`merge_vars.${field.tag}`)}
        />
      ))}
      <Select
        label={t('format')}
        data={[
          { value: 'html', label: t('format.html') },
          { value: 'text', label: t('format.text') },
        ]}
        allowDeselect={false}
        {...form.getInputProps('email_type')}
      />
      <TextInput
        label={t('language')}
        description={t('languageHint')}
        maxLength={20}
        {...form.getInputProps('merge_vars.LANGUAGE')}
      />
      <Select
        label={t('zone')}
        data={zoneChoices(contact.timezone)}
        searchable
        clearable
        limit={200}
        clearButtonProps={{ 'aria-label': t('clearZone') }}
        {...form.getInputProps('merge_vars.TIMEZONE')}
        value={form.values.merge_vars.TIMEZONE || null}
        onChange={(zone) => form.setFieldValue('merge_vars.TIMEZONE', String(zone ?? ''))}
      />
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
