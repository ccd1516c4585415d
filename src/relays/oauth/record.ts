// Access by OAuth as methods report it: no secret, no token.
import { z } from 'zod';
import { formatDate } from '../../method/date.ts';
import { named } from '../../method/named.ts';
import { canRenew, flows, type Grant, providers } from './grant.ts';

export const oauthRecord = named(
  'OAuthAccess',
  z.object({
    provider: z.enum(['', ...providers]),
    flow: z.enum(['', ...flows]),
    client_id: z.string(),
    authorize_url: z.string(),
    token_url: z.string(),
    scope: z.string(),
    signed_in: z.boolean().meta({ description: 'Whether access tokens can be had without a person who signs in.' }),
    renewed_at: z.string().meta({ description: 'When the last access token was issued.' }),
    expires_at: z.string().meta({ description: 'When it is no longer used; a worker renews it before.' }),
    problem: z.string().meta({ description: 'Why the last request for a token failed; empty if it did not.' }),
  }),
).meta({ description: 'Its access by OAuth; all members are empty without.' });

export function oauthRecordOf(grant: Grant | undefined): z.infer<typeof oauthRecord> {
  const { settings, secrets } = grant ?? {};
  return {
    provider: settings?.provider ?? '',
    flow: settings?.flow ?? '',
    client_id: settings?.clientId ?? '',
    authorize_url: settings?.authorizeUrl ?? '',
    token_url: settings?.tokenUrl ?? '',
    scope: settings?.scope ?? '',
    signed_in: settings !== undefined && secrets != null && canRenew(settings, secrets),
    renewed_at: formatDate(grant?.renewedAt ?? null),
    expires_at: formatDate(grant?.expiresAt ?? null),
    problem: grant?.problem ?? '',
  };
}
