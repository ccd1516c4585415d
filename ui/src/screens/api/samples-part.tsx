// Code samples for a method, in a selectable language.
import { Code, Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { useText } from '../../text/use-text.tsx';
import { samplesOf } from './samples.ts';

export function Samples(given: { server: string; method: string; params: Record<string, unknown> }) {
  const t = useText('api');
  const [language, setLanguage] = useState('curl');
  const samples = samplesOf({ ...given, key: 'YOUR_API_KEY' });
  const chosen = samples.find((sample) => sample.language === language) ?? samples[0]!;
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t('language')}
          data={samples.map((sample) => sample.language)}
          value={chosen.language}
          onChange={setLanguage}
        />
        <Copy value={chosen.code} wide />
      </Group>
      <Code block tabIndex={0} role="region" aria-label={chosen.language} style={{ overflow: 'auto', maxHeight: 420 }}>
        {chosen.code}
      </Code>
    </Stack>
  );
}
