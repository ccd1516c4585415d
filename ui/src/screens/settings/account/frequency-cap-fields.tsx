// The frequency limit of an account: how many emails of campaigns a contact gets within how many days.
import { SimpleGrid, TextInput } from '@mantine/core';
import { FieldGroup } from '../../../parts/form/field-group.tsx';
import { useText } from '../../../text/use-text.tsx';
import { usualDays } from './frequency-cap.ts';

type Inputs = { limited: boolean; inputOf(name: 'capMessages' | 'capDays'): object };

export function FrequencyCapFields({ limited, inputOf }: Inputs) {
  const t = useText('settings');
  return (
    <FieldGroup title={t('cap')} about={t('capHint')}>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <TextInput label={t('capMessages')} inputMode="numeric" {...inputOf('capMessages')} />
        <TextInput
          label={t('capDays')}
          inputMode="numeric"
          placeholder={limited ? usualDays : ''}
          disabled={!limited}
          {...inputOf('capDays')}
        />
      </SimpleGrid>
    </FieldGroup>
  );
}
