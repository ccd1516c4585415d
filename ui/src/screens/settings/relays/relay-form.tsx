// Setting up a relay, or changing one. A service fills in host, port, TLS and rate; the password is sent only when one was
// entered, and never shown. The connection is tested before anything is saved; settings that fail are saved only by choice.
import { Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { MethodForm, type MethodFormState, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { MoreSettings } from '../../../parts/form/more-settings.tsx';
import { PasswordField } from '../../../parts/form/password-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Lines, Loaded } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import { type OauthValues, oauthOptions, oauthValues } from '../oauth/oauth-values.ts';
import type { Relay } from './relay-card.tsx';
import { type Options, useTestedSave } from './use-tested-save.ts';

const FailedTest = lazy(() => import('./failed-test.tsx'));
const OauthFields = lazy(() => import('../oauth/oauth-fields.tsx'));
const MoreFields = lazy(() => import('./more-fields.tsx'));

type Preset = ResultOf<'relayPresets'>[number];

export type Values = {
  preset: string;
  name: string;
  host: string;
  port: string;
  tls: string;
  username: string;
  password: string;
  auth: string;
  oauth: OauthValues;
  rate: string;
  connections: string;
  messages_per_connection: string;
  weight: string;
  warm_up: string;
  sender_domains: string[];
  accounts: string[];
};

const policies = ['require', 'implicit', 'opportunistic', 'none'] as const;
const mailHosts: Record<string, string> = { microsoft: 'smtp.office365.com', google: 'smtp.gmail.com' };

/** The fields that most relays leave as they are. */
const moreFields = [
  'auth',
  'rate',
  'weight',
  'connections',
  'messages_per_connection',
  'warm_up',
  'sender_domains',
  'accounts',
] as const;

type Props = { relay: Relay | undefined; onSaved(id: string): void };

export function RelayForm(props: Props) {
  const presets = useMethod('relayPresets');
  return <Loaded query={presets}>{(presets) => <Fields {...props} presets={presets} />}</Loaded>;
}

function Fields({ relay, onSaved, presets }: Props & { presets: Preset[] }) {
  const t = useText('relays');
  const { failed, save, choose: saveAs, dismiss } = useTestedSave(relay);
  const form = useMethodForm({
    initialValues: valuesOf(relay),
    send: (values) => save(optionsOf(values, relay)),
    done: (id) => id !== undefined && onSaved(id),
  });
  const preset = presets.find(({ name }) => name === form.values.preset);
  const choose = (name: string | null) => {
    const chosen = presets.find((preset) => preset.name === name);
    form.setFieldValue('preset', name ?? '');
    if (chosen) form.setValues(valuesOfPreset(chosen));
  };
  return (
    <MethodForm form={form}>
      {!relay && (
        <Select
          label={t('relayService')}
          description={t('relayServiceHint')}
          data={[
            { value: '', label: t('relayOther') },
            ...presets.map(({ name, title }) => ({ value: name, label: title })),
          ]}
          allowDeselect={false}
          data-autofocus
          value={form.values.preset}
          onChange={choose}
        />
      )}
      {preset && <Text c="dimmed">{preset.hint}</Text>}
      <Server form={form} />
      <Credentials form={form} relay={relay} />
      <MoreSettings isWanted={moreFields.some((name) => form.errors[name] !== undefined)}>
        <Suspense fallback={<Lines count={6} height={60} />}>
          <MoreFields form={form} />
        </Suspense>
      </MoreSettings>
      {failed && (
        <Suspense>
          <FailedTest
            outcome={failed}
            isBusy={form.busy}
            onSave={(way) => {
              saveAs(way);
              void form.submit();
            }}
            onChange={() => {
              dismiss();
              form.getInputNode(failed.stage === 'auth' ? 'username' : 'host')?.focus();
            }}
          />
        </Suspense>
      )}
      <Group justify="flex-end">
        <Submit form={form}>{t('relaySave')}</Submit>
      </Group>
    </MethodForm>
  );
}

export type Part = { form: MethodFormState<Values> };

function Server({ form }: Part) {
  const t = useText('relays');
  return (
    <>
      <TextInput
        label={t('relayHost')}
        placeholder="smtp.example.com"
        required
        maxLength={255}
        {...form.getInputProps('host')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={t('relayPort')} inputMode="numeric" placeholder="587" {...form.getInputProps('port')} />
        <Select
          label={t('relayTls')}
          data={policies.map((policy) => ({ value: policy, label: t(`tlsChoice.${policy}`) }))}
          allowDeselect={false}
          {...form.getInputProps('tls')}
        />
      </SimpleGrid>
    </>
  );
}

function Credentials({ form, relay }: Part & { relay: Relay | undefined }) {
  const t = useText('relays');
  const kept = relay?.signs_in === true;
  const hasTokens = form.values.auth === 'oauth';
  // The server of the provider, unless another one was entered.
  const fillIn = (provider: string) => {
    const { host } = form.values;
    const isFree = host === '' || Object.values(mailHosts).includes(host);
    if (!relay && isFree) form.setValues({ host: mailHosts[provider] ?? '', port: '587', tls: 'require' });
  };
  return (
    <>
      <Select
        label={t('oauthAccess')}
        data={[
          { value: 'password', label: t('oauthAccess.password') },
          { value: 'oauth', label: t('oauthAccess.oauth') },
        ]}
        allowDeselect={false}
        value={hasTokens ? 'oauth' : 'password'}
        onChange={(way) => {
          form.setFieldValue('auth', way === 'oauth' ? 'oauth' : 'any');
          if (way === 'oauth') fillIn(form.values.oauth.provider);
        }}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('relayUser')}
          autoComplete="off"
          maxLength={500}
          {...(kept && relay.username === '' ? { placeholder: t('relayKept') } : {})}
          {...form.getInputProps('username')}
        />
        {!hasTokens && (
          <PasswordField
            label={t('relayPassword')}
            isNew
            {...(kept ? { placeholder: t('relayKept') } : {})}
            {...form.getInputProps('password')}
          />
        )}
      </SimpleGrid>
      {hasTokens && (
        <Suspense fallback={<Lines />}>
          <OauthFields
            values={form.values.oauth}
            isKept={relay?.auth === 'oauth'}
            inputProps={(path) => form.getInputProps(path)}
            onProvider={fillIn}
          />
        </Suspense>
      )}
      <TextInput
        label={t('relayName')}
        description={t('relayNameHint')}
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </>
  );
}

function valuesOf(relay: Relay | undefined): Values {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    preset: '',
    name: relay?.name ?? '',
    host: relay?.host ?? '',
    port: text(relay?.port),
    tls: relay?.tls ?? 'require',
    username: relay?.username ?? '',
    password: '',
    auth: relay?.auth ?? 'any',
    oauth: oauthValues(relay?.oauth),
    rate: relay && relay.rate > 0 ? text(relay.rate) : '',
    connections: text(relay?.max_connections),
    messages_per_connection: relay && relay.messages_per_connection > 0 ? text(relay.messages_per_connection) : '',
    weight: text(relay?.weight),
    warm_up: relay?.warm_up ?? '',
    sender_domains: [...(relay?.sender_domains ?? [])],
    accounts: [...(relay?.accounts ?? [])],
  };
}

const valuesOfPreset = (preset: Preset): Partial<Values> => ({
  name: preset.title,
  host: preset.host,
  port: String(preset.port),
  tls: preset.tls,
  username: preset.username,
  rate: preset.rate > 0 ? String(preset.rate) : '',
  connections: String(preset.connections),
});

/** What is sent: of a relay that exists only what was changed, so that the password is asked for only when it matters. */
function optionsOf(values: Values, relay: Relay | undefined): Options {
  const { preset, password, oauth, ...rest } = values;
  const hasTokens = values.auth === 'oauth';
  const access = hasTokens ? oauthOptions(oauth, relay?.oauth) : {};
  const options = withoutLimits(rest) as Record<string, unknown>;
  const unchanged = withoutLimits(valuesOf(relay)) as Record<string, unknown>;
  const isKept = (name: string) =>
    relay !== undefined && JSON.stringify(options[name]) === JSON.stringify(unchanged[name]);
  return {
    ...Object.fromEntries(Object.entries(options).filter(([name]) => !isKept(name))),
    ...(password === '' || hasTokens ? {} : { password }),
    ...(Object.keys(access).length > 0 && { oauth: access }),
    ...(preset === '' ? {} : { preset }),
  } as Options;
}

/** An empty limit is sent as 0, which is none: an empty value would not change it. */
const withoutLimits = <T extends Pick<Values, 'rate' | 'messages_per_connection'>>(values: T): T => ({
  ...values,
  rate: values.rate.trim() || '0',
  messages_per_connection: values.messages_per_connection.trim() || '0',
});
