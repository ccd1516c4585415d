// Sender, reply address, and the recipient's name.
import { Stack, TextInput } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';
import { TagField } from './content/merge-tags.tsx';
import { useDraft } from './draft.tsx';
import { FromFields } from './from-fields.tsx';

export function FromSection() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  return (
    <Stack gap="md">
      <FromFields />
      <TextInput
        label={t('replyTo')}
        name="from_email"
        type="email"
        value={values.from_email}
        onChange={(event) => change({ from_email: event.currentTarget.value })}
        error={fault('from_email')}
        disabled={fixed}
      />
      <TagField
        label={t('toName')}
        name="to_email"
        description={t('toNameHint')}
        value={values.to_email}
        onText={(to_email) => change({ to_email })}
        error={fault('to_email')}
        disabled={fixed}
      />
    </Stack>
  );
}
