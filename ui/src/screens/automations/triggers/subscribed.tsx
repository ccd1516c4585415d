// A contact becomes a subscribed member of the list.
import { Checkbox } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import type { FieldsProps } from '../steps/kind.ts';
import type { TriggerKind, TriggerOf } from './kind.ts';

export const subscribed: TriggerKind<'subscribed'> = {
  blank: { type: 'subscribed', imports: false },
  words: (t, { imports }) => t(imports ? 'says.subscribedImports' : 'says.subscribed'),
  Fields,
};

/** A contact confirms its address. */
export const confirmed: TriggerKind<'confirmed'> = {
  blank: { type: 'confirmed' },
  words: (t) => t('says.confirmed'),
  Fields: () => null,
};

function Fields({ draft, onChange }: FieldsProps<TriggerOf<'subscribed'>>) {
  const t = useText('automations');
  return (
    <Checkbox
      label={t('imports')}
      checked={draft.imports}
      onChange={(event) => onChange({ ...draft, imports: event.currentTarget.checked })}
    />
  );
}
