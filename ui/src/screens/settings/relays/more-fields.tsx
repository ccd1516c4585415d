// The fields that most relays leave as they are: pace, share and limits. Loaded when they are shown.
import { SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import { MultiSelect } from '../../../parts/form/multi-select.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Part } from './relay-form.tsx';

const signIns = ['any', 'plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer'] as const;

export default function MoreFields({ form }: Part) {
  return (
    <>
      <Share form={form} />
      <Limits form={form} />
    </>
  );
}

function Share({ form }: Part) {
  const t = useText('relays');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label={t('relayMaxRate')}
        description={t('relayMaxRateHint')}
        inputMode="decimal"
        {...form.getInputProps('rate')}
      />
      <TextInput
        label={t('relayShare')}
        description={t('relayShareHint')}
        inputMode="decimal"
        placeholder="1"
        {...form.getInputProps('weight')}
      />
      <TextInput
        label={t('relayConnections')}
        description={t('relayConnectionsHint')}
        inputMode="numeric"
        placeholder="20"
        {...form.getInputProps('connections')}
      />
      <TextInput
        label={t('relayPerConnection')}
        description={t('relayPerConnectionHint')}
        inputMode="numeric"
        {...form.getInputProps('messages_per_connection')}
      />
      {form.values.auth !== 'oauth' && (
        <Select
          label={t('relayAuth')}
          description={t('relayAuthHint')}
          data={signIns.map((way) => ({ value: way, label: t(`relayAuth.${way}`) }))}
          allowDeselect={false}
          {...form.getInputProps('auth')}
        />
      )}
    </SimpleGrid>
  );
}

function Limits({ form }: Part) {
  const t = useText('relays');
  const session = useSession();
  const known = session.accounts.map(({ id, name }) => ({ value: id, label: name }));
  const others = form.values.accounts.filter((id) => !known.some(({ value }) => value === id));
  return (
    <>
      <TextInput
        label={t('relayWarmUp')}
        description={t('relayWarmUpHint')}
        placeholder="50:1.5:20000:2026-11-21"
        maxLength={60}
        {...form.getInputProps('warm_up')}
      />
      <TagsInput
        label={t('relayDomains')}
        description={t('relayDomainsHint')}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        {...form.getInputProps('sender_domains')}
      />
      {known.length + others.length > 1 && (
        <MultiSelect
          label={t('relayAccounts')}
          description={t('relayAccountsHint')}
          data={[...known, ...others.map((id) => ({ value: id, label: id }))]}
          {...form.getInputProps('accounts')}
        />
      )}
    </>
  );
}
