// How to verify the requests of this webhook: code in five languages with its values filled in, and a request to try.
import { Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Webhook } from './hook-status.tsx';
import { MadeSecret } from './made-secret.tsx';
import { samplesOf } from './samples.ts';

export function Samples({ hook, secret }: { hook: Webhook; secret: string | undefined }) {
  const t = useText('webhooks');
  const [language, setLanguage] = useState('Node');
  const samples = samplesOf({ algorithm: hook.algorithm, format: hook.format, secret });
  const chosen = samples.find((sample) => sample.language === language) ?? samples[0]!;
  return (
    <Stack gap="xl">
      {secret !== undefined && <MadeSecret secret={secret} />}
      <Section title={t('verifyTitle')} description={t('verifyAbout')}>
        <Stack>
          <Text size="sm">
            <Code>X-Service-Signature: {hook.algorithm}=…</Code>
          </Text>
          <Group justify="space-between">
            <SegmentedControl
              aria-label={t('language')}
              data={samples.map((sample) => sample.language)}
              value={chosen.language}
              onChange={setLanguage}
            />
            <Copy value={chosen.code} wide />
          </Group>
          <Code block tabIndex={0} aria-label={chosen.language} style={{ overflow: 'auto' }}>
            {chosen.code}
          </Code>
          {hook.secret_key === '' && <Text c="dimmed">{t('noSecretNote')}</Text>}
        </Stack>
      </Section>
    </Stack>
  );
}
