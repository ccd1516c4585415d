// Code samples for a method, in a language that is remembered.
import { Code, Stack, Tabs } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Copy } from '../../parts/copy.tsx';
import { useText } from '../../text/use-text.tsx';
import { samplesOf } from './samples.ts';

export function Samples(given: { server: string; method: string; params: Record<string, unknown> }) {
  const t = useText('api');
  const [language, setLanguage] = useLocalStorage({
    key: 'postrider-code-language',
    defaultValue: 'curl',
    getInitialValueInEffect: false,
  });
  const samples = samplesOf({ ...given, key: 'YOUR_API_KEY' });
  const chosen = samples.find((sample) => sample.language === language) ?? samples[0]!;
  return (
    <Tabs value={chosen.language} onChange={(next) => next && setLanguage(next)} keepMounted={false}>
      <Tabs.List aria-label={t('language')}>
        {samples.map((sample) => (
          <Tabs.Tab key={sample.language} value={sample.language} px="sm">
            {sample.language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map((sample) => (
        <Tabs.Panel key={sample.language} value={sample.language} pt="sm">
          <Stack gap="sm" align="flex-start">
            <Code
              block
              p="sm"
              w="100%"
              tabIndex={0}
              role="region"
              aria-label={sample.language}
              style={{ overflow: 'auto', maxHeight: '60vh' }}
            >
              {sample.code}
            </Code>
            <Copy value={sample.code} wide />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
