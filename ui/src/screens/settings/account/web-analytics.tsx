// Parameters of web analytics that campaigns begin with, and the sites whose links get them.
import { SimpleGrid, TextInput } from '@mantine/core';
import { Section } from '../../../parts/page.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { Fields, textOf, useAccountForm } from './account-form.tsx';

export function WebAnalytics({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { account } = useSession();
  const form = useAccountForm({
    analytics_sites: textOf(account, 'analytics_sites'),
    utm_source: textOf(account, 'utm_source'),
    utm_medium: textOf(account, 'utm_medium'),
    conversion_days: textOf(account, 'conversion_days') || '5',
  });
  return (
    <Section title={t('analytics')} description={t('analyticsAbout')}>
      <Fields form={form} mayChange={mayChange}>
        <TextInput
          label={t('analyticsSites')}
          description={t('analyticsSitesHint')}
          placeholder="example.com shop.example.net"
          maxLength={2_000}
          {...form.getInputProps('analytics_sites')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('utmSource')}
            placeholder="newsletter"
            maxLength={200}
            {...form.getInputProps('utm_source')}
          />
          <TextInput label={t('utmMedium')} placeholder="email" maxLength={200} {...form.getInputProps('utm_medium')} />
        </SimpleGrid>
        <TextInput
          label={t('conversionDays')}
          description={t('conversionDaysHint')}
          inputMode="numeric"
          maxLength={2}
          {...form.getInputProps('conversion_days')}
        />
      </Fields>
    </Section>
  );
}
