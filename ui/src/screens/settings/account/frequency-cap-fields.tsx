// The frequency limit of an account: how many emails of campaigns a contact gets within how many days.
import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useText } from '../../../text/use-text.tsx';
import { usualDays } from './frequency-cap.ts';

type Inputs = { limited: boolean; inputOf(name: 'capMessages' | 'capDays'): object };

export function FrequencyCapFields({ limited, inputOf }: Inputs) {
  const t = useText('settings');
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
      <Text component="legend" fw={500} p={0}>
        {t('cap')}
      </Text>
      <Text c="dimmed" size="xs" mb="sm">
        {t('capHint')}
      </Text>
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
    </fieldset>
  );
}
