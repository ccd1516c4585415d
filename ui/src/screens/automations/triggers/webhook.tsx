// Another service sends a request to the URL of the automation.
import { TextInput } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const webhook: TriggerKind<'webhook'> = {
  blank: { type: 'webhook', member: '' },
  words: (t) => t('says.incoming'),
  Fields,
};

function Fields({ draft, onChange }: FieldsProps<TriggerOf<'webhook'>>) {
  const t = useText('automations');
  return (
    <TextInput
      label={t('member')}
      description={t('memberAbout')}
      placeholder="email"
      maxLength={100}
      value={draft.member}
      onChange={(event) => onChange({ ...draft, member: event.currentTarget.value })}
    />
  );
}
