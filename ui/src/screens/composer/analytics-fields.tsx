// The parameters of web analytics: the name of the campaign, and the others where they differ from those of the account.
import { SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { useDraft } from './draft.tsx';

const further = ['source', 'medium', 'content', 'term'] as const;
const usual = { source: 'newsletter', medium: 'email' };

export function AnalyticsFields() {
  const t = useText('composer');
  const { account } = useSession();
  const { values, change, fault, fixed } = useDraft();
  const { analytics } = values;
  const isOn = analytics.google !== '' || further.some((name) => analytics[name]);
  const sites = settingOf(account.settings, 'analytics_sites')
    .split(/[\s,;]+/)
    .filter(Boolean);
  const set = (name: keyof typeof analytics, value: string) => change({ analytics: { ...analytics, [name]: value } });
  const placeholder = (name: (typeof further)[number]) =>
    name === 'source' || name === 'medium' ? settingOf(account.settings, `utm_${name}`) || usual[name] : undefined;
  return (
    <Stack gap="sm">
      <Title order={3}>{t('analyticsTitle')}</Title>
      <Text size="sm" c="dimmed">
        {sites.length > 0 ? t('analyticsSites', { sites: sites.join(', ') }) : t('analyticsAll')}
      </Text>
      <TextInput
        label={t('analytics')}
        value={analytics.google}
        onChange={(event) => set('google', event.currentTarget.value)}
        error={fault('analytics')}
        disabled={fixed}
      />
      {isOn && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {further.map((name) => (
            <TextInput
              key={name}
              label={t(`utm.${name}`)}
              placeholder={placeholder(name)}
              maxLength={200}
              value={analytics[name] ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
              disabled={fixed}
            />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

function settingOf(settings: Record<string, unknown>, name: string): string {
  const value = settings[name];
  return typeof value === 'string' ? value : '';
}
