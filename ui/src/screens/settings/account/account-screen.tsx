// The organisation of an account: names, addresses, language and time zone, the sender of new lists, plan.
import { SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Select } from '../../../parts/form/select.tsx';
import { LinkButton } from '../../../parts/link.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSession } from '../../../session/session.ts';
import { languageChoices, zoneChoices } from '../../../text/choices.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { Fields, textOf, useAccountForm } from './account-form.tsx';
import { SaveBar } from './save-bar.tsx';

export function AccountScreen() {
  const t = useText('settings');
  const { account, may } = useSession();
  const mayChange = may('account:write');
  return (
    <SettingsFrame
      section="account"
      description={mayChange ? t('accountAbout') : t('accountReadOnly')}
      actions={
        mayChange && (
          <LinkButton to="/setup/{-$step}" variant="default">
            {t('setupSteps')}
          </LinkButton>
        )
      }
    >
      <SaveBar key={account.id}>
        <Organisation mayChange={mayChange} />
        <Defaults mayChange={mayChange} />
      </SaveBar>
      <Plan />
    </SettingsFrame>
  );
}

function Organisation({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { language } = useLanguage();
  const { account } = useSession();
  const form = useAccountForm({
    name: account.name,
    company: account.company,
    postal_address: account.postal_address,
    email: account.email,
    phone: account.phone,
    website: account.website,
    language: account.language,
    time_zone: account.time_zone,
  });
  return (
    <Section title={t('nameAndAddress')} description={t('organisationAbout')}>
      <Fields form={form} mayChange={mayChange}>
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          required
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('company')}
          description={t('companyHint')}
          maxLength={200}
          autoComplete="organization"
          {...form.getInputProps('company')}
        />
        <Textarea
          label={t('postalAddress')}
          description={t('postalAddressHint')}
          autosize
          minRows={3}
          maxLength={1_000}
          autoComplete="street-address"
          {...form.getInputProps('postal_address')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('email')}
            description={t('emailHint')}
            type="email"
            required
            {...form.getInputProps('email')}
          />
          <TextInput
            label={t('phone')}
            description={t('optional')}
            type="tel"
            maxLength={60}
            {...form.getInputProps('phone')}
          />
        </SimpleGrid>
        <TextInput
          label={t('website')}
          description={t('optional')}
          type="url"
          placeholder="https://example.com"
          maxLength={500}
          {...form.getInputProps('website')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t('language')}
            description={t('languageHint')}
            data={languageChoices(language)}
            allowDeselect={false}
            searchable
            {...form.getInputProps('language')}
          />
          <Select
            label={t('timeZone')}
            description={t('timeZoneHint')}
            data={zoneChoices(account.time_zone)}
            allowDeselect={false}
            searchable
            limit={100}
            {...form.getInputProps('time_zone')}
          />
        </SimpleGrid>
      </Fields>
    </Section>
  );
}

function Defaults({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { account } = useSession();
  const form = useAccountForm({
    sender_name: textOf(account, 'sender_name'),
    sender_email: textOf(account, 'sender_email') || account.email,
  });
  return (
    <Section title={t('senderDefaults')} description={t('senderDefaultsAbout')}>
      <Fields form={form} mayChange={mayChange}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={t('senderName')} maxLength={200} {...form.getInputProps('sender_name')} />
          <TextInput label={t('senderEmail')} type="email" {...form.getInputProps('sender_email')} />
        </SimpleGrid>
      </Fields>
    </Section>
  );
}

function Plan() {
  const t = useText('settings');
  const { account } = useSession();
  // Plans exist only where the operator limits accounts.
  const limited = account.plan !== 'pro' || account.addons.length === 0;
  const addons = account.addons.map((addon) => (addon === 'inline_img' ? t('addon.inline_img') : addon));
  return (
    <Section title={t('planTitle')} description={limited ? t('planAbout') : undefined}>
      <dl style={{ margin: 0, display: 'grid', gridTemplateColumns: 'minmax(120px, 200px) 1fr', gap: '8px 16px' }}>
        {limited && (
          <>
            <Fact name={t('plan')}>{t(account.plan === 'pro' ? 'plan.pro' : 'plan.free')}</Fact>
            <Fact name={t('addons')}>{addons.join(', ') || t('noAddons')}</Fact>
          </>
        )}
        <Fact name={t('maySend')}>
          <Status tone={account.may_send ? 'good' : 'bad'}>
            {t(account.may_send ? 'sendingAllowed' : 'sendingNotAllowed')}
          </Status>
        </Fact>
        <Fact name={t('accountId')}>{account.id}</Fact>
        <Fact name={t('since')}>
          <Time at={account.created_at} />
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </>
  );
}
