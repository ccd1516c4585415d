// Reports an event to webhooks.
import { TextInput } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';

export const webhook: StepKind<'webhook'> = {
  icon: IconWebhook,
  blank: { name: '' },
  words: (t, { name }) => t('says.webhook', { name: name || '…' }),
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<StepOf<'webhook'>>) {
  const t = useText('automations');
  return (
    <TextInput
      label={t('webhookName')}
      description={t('webhookNameAbout')}
      maxLength={100}
      value={draft.name}
      onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
    />
  );
}
