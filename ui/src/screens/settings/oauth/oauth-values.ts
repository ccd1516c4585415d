// The values of the fields of oauth-fields.tsx, from what is stored, and what is sent of them.
import type { ParamsOf, ResultOf } from '../../../api/types.ts';

type Stored = ResultOf<'relays'>[number]['oauth'];
type Options = NonNullable<ParamsOf<'relayCreate'>['oauth']>;

export const oauthNames = [
  'tenant',
  'client_id',
  'client_secret',
  'token_url',
  'authorize_url',
  'scope',
  'refresh_token',
] as const;

export type OauthValues = Record<'provider' | 'flow' | (typeof oauthNames)[number], string>;

export function oauthValues(stored: Stored | undefined): OauthValues {
  return {
    provider: stored?.provider || 'microsoft',
    flow: stored?.flow || 'authorization_code',
    tenant: '',
    client_id: stored?.client_id ?? '',
    client_secret: '',
    refresh_token: '',
    token_url: stored?.token_url ?? '',
    authorize_url: stored?.authorize_url ?? '',
    scope: stored?.scope ?? '',
  };
}

/** What is sent: what was entered, and differs from what is stored. */
export function oauthOptions(values: OauthValues, stored: Stored | undefined): Options {
  const before = stored?.provider ? oauthValues(stored) : undefined;
  const isOther = values.provider === 'other';
  const given = Object.entries(values).filter(
    ([name, value]) =>
      value !== '' &&
      value !== before?.[name as keyof OauthValues] &&
      (isOther || !['token_url', 'authorize_url', 'scope'].includes(name)),
  );
  return Object.fromEntries(given) as Options;
}
