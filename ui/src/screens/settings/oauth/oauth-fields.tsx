// The part of a form about access by OAuth, for relays and bounce mailboxes: the provider, the application registered there, and how
// access is given. Secrets are sent only when they were entered.
import { NativeSelect, TextInput } from '@mantine/core';
import { PasswordField } from '../../../parts/form/password-field.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { OauthValues, oauthNames } from './oauth-values.ts';

const providers = ['microsoft', 'google', 'other'] as const;
const flows = ['authorization_code', 'client_credentials'] as const;

type Props = {
  values: OauthValues;
  /** Whether a secret is stored. */
  isKept: boolean;
  /** Of a member, as `oauth.client_id`. */
  inputProps(path: string): object;
  onProvider(provider: string): void;
};

export default function OauthFields({ values, isKept, inputProps, onProvider }: Props) {
  const t = useText('settings');
  const { onChange: changeProvider, ...provider } = inputProps('oauth.provider') as { onChange(value: unknown): void };
  const isOther = values.provider === 'other';
  const text = (name: (typeof oauthNames)[number]) => (
    <TextInput
      label={t(`oauth.${name}`)}
      autoComplete="off"
      spellCheck={false}
      maxLength={1_000}
      {...inputProps(`oauth.${name}`)}
    />
  );
  const secret = (name: 'client_secret' | 'refresh_token') => (
    <PasswordField
      label={t(`oauth.${name}`)}
      isNew
      {...(isKept ? { placeholder: t('relayKept') } : {})}
      {...inputProps(`oauth.${name}`)}
    />
  );
  return (
    <>
      <NativeSelect
        label={t('oauth.provider')}
        data={providers.map((value) => ({ value, label: t(`oauthProvider.${value}`) }))}
        {...provider}
        onChange={(event) => {
          changeProvider(event.currentTarget.value);
          onProvider(event.currentTarget.value);
        }}
      />
      {values.provider !== 'google' && (
        <NativeSelect
          label={t('oauth.flow')}
          description={t('oauth.flowHint')}
          data={flows.map((value) => ({ value, label: t(`oauthFlow.${value}`) }))}
          {...inputProps('oauth.flow')}
        />
      )}
      {values.provider === 'microsoft' && text('tenant')}
      {text('client_id')}
      {secret('client_secret')}
      {isOther && text('token_url')}
      {isOther && values.flow === 'authorization_code' && text('authorize_url')}
      {isOther && text('scope')}
    </>
  );
}
