// Account settings: organisation, language and time zone, sender defaults, sending, plan.
import {
  Button,
  Radio,
  type RadioGroupProps,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { giveUpHours } from '../../../../../src/base/relay/give-up.ts';
import { invalidate } from '../../../api/use-method.ts';
import { useMethodForm } from '../../../parts/form/form.tsx';
import { LinkButton } from '../../../parts/link.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { languageChoices, zoneChoices } from '../../../text/choices.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { saveChanges } from '../save-changes.ts';
import { Fields, textOf, useAccountForm } from './account-form.tsx';
import { ApprovalRule } from './approval-rule.tsx';
import { type FrequencyCap, frequencyCapText, readFrequencyCap } from './frequency-cap.ts';
import { FrequencyCapFields } from './frequency-cap-fields.tsx';
import { readSendWindow, type SendWindow, sendWindowText } from './send-window.ts';
import { SendWindowFields } from './send-window-fields.tsx';
import { noWarmUp, readWarmUp, usualWarmUp, warmUpText } from './warm-up.ts';
import { WebAnalytics } from './web-analytics.tsx';

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
      <Organisation key={`organisation ${account.id}`} mayChange={mayChange} />
      <Defaults key={`defaults ${account.id}`} mayChange={mayChange} />
      <Sending key={`sending ${account.id}`} mayChange={mayChange} />
      <ApprovalRule key={`approval ${account.id}`} mayChange={mayChange} />
      <WebAnalytics key={`analytics ${account.id}`} mayChange={mayChange} />
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
    <Section title={t('organisation')} description={t('organisationAbout')}>
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

const settingsOf = ({
  unclear,
  reputation,
  rate,
  ...fields
}: { unclear: string; reputation: string; rate: string } & FrequencyCap & SendWindow) => ({
  unclear,
  reputation,
  frequency_cap: frequencyCapText(fields),
  send_window: sendWindowText(fields),
  rate: rate.trim(),
});

function Sending({ mayChange }: { mayChange: boolean }) {
  const t = useText('settings');
  const { account } = useSession();
  const client = useQueryClient();
  const before = {
    unclear: textOf(account, 'unclear') || 'resend',
    reputation: textOf(account, 'reputation') || 'warn',
    rate: textOf(account, 'rate'),
    ...readWarmUp(textOf(account, 'warm_up')),
    ...readFrequencyCap(textOf(account, 'frequency_cap')),
    ...readSendWindow(textOf(account, 'send_window')),
  };
  const form = useMethodForm({
    initialValues: before,
    fields: { warm_up: 'first', frequency_cap: 'capMessages', send_window: 'windowUntil' },
    send: async (values) => {
      await saveChanges(
        { ...settingsOf(before), warm_up: textOf(account, 'warm_up') },
        { ...settingsOf(values), warm_up: warmUpText(values, new Date()) },
      );
      await invalidate(client, ['session']);
    },
    done: () => toast.done(t('saved')),
  });
  const warms = form.values.first.trim() !== '';
  const usual = usualWarmUp(new Date());
  return (
    <Section title={t('sending')} description={t('sendingAbout')}>
      <Fields form={form} mayChange={mayChange}>
        <Radio.Group label={t('unclear')} description={t('unclearHint')} {...form.getInputProps('unclear')}>
          <Stack gap="sm" mt="sm">
            {(['resend', 'hold'] as const).map((choice) => (
              <Radio
                key={choice}
                value={choice}
                disabled={!mayChange}
                label={t(`unclear.${choice}`)}
                description={t(`unclearAbout.${choice}`, { hours: giveUpHours })}
              />
            ))}
          </Stack>
        </Radio.Group>
        <WatchField mayChange={mayChange} {...form.getInputProps('reputation')} />
        <SendWindowFields limited={form.values.windowDays.length > 0} inputOf={form.getInputProps} />
        <FrequencyCapFields limited={form.values.capMessages.trim() !== ''} inputOf={form.getInputProps} />
        <TextInput
          label={t('rate')}
          description={t('rateHint')}
          inputMode="decimal"
          maw={320}
          {...form.getInputProps('rate')}
        />
        <fieldset style={{ border: 0, margin: 0, padding: 0, minInlineSize: 0 }}>
          <Text component="legend" fw={500} p={0}>
            {t('warmUp')}
          </Text>
          <Text c="dimmed" size="xs" mb="sm">
            {t('warmUpHint')}
          </Text>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            <TextInput label={t('warmUpFirst')} inputMode="numeric" {...form.getInputProps('first')} />
            <TextInput
              label={t('warmUpGrowth')}
              inputMode="decimal"
              placeholder={warms ? usual.growth : ''}
              disabled={!warms}
              {...form.getInputProps('growth')}
            />
            <TextInput
              label={t('warmUpLimit')}
              inputMode="numeric"
              placeholder={warms ? usual.most : ''}
              disabled={!warms}
              {...form.getInputProps('most')}
            />
            <TextInput label={t('warmUpDate')} type="date" disabled={!warms} {...form.getInputProps('date')} />
          </SimpleGrid>
          {warms && mayChange && (
            <Button
              variant="subtle"
              size="compact-sm"
              mt="xs"
              onClick={() => form.setValues({ ...form.values, ...noWarmUp })}
            >
              {t('warmUpOff')}
            </Button>
          )}
        </fieldset>
      </Fields>
    </Section>
  );
}

/** What happens to a campaign with too many complaints or hard bounces. */
function WatchField({ mayChange, ...input }: { mayChange: boolean } & Omit<RadioGroupProps, 'children'>) {
  const t = useText('settings');
  return (
    <Radio.Group label={t('watch')} description={t('watchHint')} {...input}>
      <Stack gap="sm" mt="sm">
        {(['warn', 'pause'] as const).map((choice) => (
          <Radio
            key={choice}
            value={choice}
            disabled={!mayChange}
            label={t(`watch.${choice}`)}
            description={t(`watchAbout.${choice}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
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
          <Status tone={account.may_send ? 'good' : 'bad'}>{t(account.may_send ? 'yes' : 'sendingNotAllowed')}</Status>
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
