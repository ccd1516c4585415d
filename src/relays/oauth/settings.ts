// What a call says about the access of a relay or a mailbox by OAuth, checked and completed with what is known of Microsoft 365 and
// Google. Guarantees that a stored secret goes to the token address it was entered for only, and that a token of it goes to no other
// mail server.
import { isThisMachine } from '../../base/client-network.ts';
import { Fault } from '../../base/faults.ts';
import type { MessageKey } from '../../base/messages.ts';
import { named } from '../../method/named.ts';
import { filledLine, line, oneOf, struct, text, unlessEmpty } from '../../method/params.ts';
import type { Grant, GrantSecrets, GrantSettings } from './grant.ts';
import { flows, providers } from './grant.ts';

export type Protocol = 'smtp' | 'imap' | 'pop3';

export type OauthOptions = {
  provider?: GrantSettings['provider'] | undefined;
  flow?: GrantSettings['flow'] | undefined;
  tenant?: string | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  refresh_token?: string | undefined;
  authorize_url?: string | undefined;
  token_url?: string | undefined;
  scope?: string | undefined;
};

export const oauthParameter = named(
  'OAuthSettings',
  struct(
    'Access by OAuth 2.0, for auth oauth. Secrets are stored encrypted and never returned. Members that are left out keep their value, or have that of the provider.',
    {
      provider: unlessEmpty(
        oneOf(
          'microsoft: Microsoft 365. google: Gmail and Google Workspace. other (default): token_url is needed.',
          providers,
        ),
      ),
      flow: unlessEmpty(
        oneOf(
          'authorization_code (default): a person signs in at the provider once, or refresh_token is given. client_credentials: the application has access of its own; not at Google.',
          flows,
        ),
      ),
      tenant: line('Of Microsoft: the directory (tenant) id or a domain of the organization.', 100).optional(),
      client_id: filledLine('The id of the application that is registered at the provider.', 500).optional(),
      client_secret: text('The secret of that application.', 5_000).optional(),
      refresh_token: text('A refresh token, instead of signing in at the provider.', 10_000).optional(),
      authorize_url: line('Where a person signs in; the one of the provider by default.', 1_000).optional(),
      token_url: line('Where access tokens are requested; the one of the provider by default.', 1_000).optional(),
      scope: line('The scopes, separated by spaces; those of the provider by default.', 1_000).optional(),
    },
  ),
);

/** The settings and secrets after a call. */
export type GrantChange = { settings: GrantSettings; secrets: GrantSecrets };

/**
 * @param before what is stored; undefined for a new grant
 * @param isElsewhere whether tokens would go to another mail server than before
 * @returns undefined when nothing changes
 * @throws Fault with this name
 */
export function grantAfter(
  before: Grant | undefined,
  given: OauthOptions | undefined,
  { protocol, isElsewhere, faultName }: { protocol: Protocol; isElsewhere: boolean; faultName: FaultName },
): GrantChange | undefined {
  const wrong = (member: string, key: MessageKey) =>
    new Fault(faultName, { key, values: { member: `oauth.${member}` } });
  if (before && !isElsewhere && (!given || Object.values(given).every((value) => value === undefined || value === '')))
    return undefined;
  if (!given && !before) throw new Fault(faultName, { key: 'oauth.missing', values: { member: 'oauth' } });
  const settings = settingsAfter(before?.settings, given ?? {}, { protocol, wrong });
  const { client_secret = '', refresh_token = '' } = given ?? {};
  for (const [member, value] of [
    ['client_secret', client_secret],
    ['refresh_token', refresh_token],
  ] as const)
    if (/[\0\r\n]/.test(value)) throw wrong(member, 'relay.control_character');
  const kept = before?.secrets ?? { clientSecret: '', refreshToken: '' };
  const keepsPlace = before?.settings.tokenUrl === settings.tokenUrl && !isElsewhere;
  if (before && !keepsPlace && kept.clientSecret !== '' && client_secret === '')
    throw wrong('client_secret', 'oauth.secret_again');
  if (before && before.secrets === null && client_secret === '') throw wrong('client_secret', 'oauth.secrets_lost');
  if (settings.flow === 'client_credentials' && client_secret === '' && kept.clientSecret === '')
    throw wrong('client_secret', 'oauth.secret_missing');
  const keepsClient =
    keepsPlace && before?.settings.clientId === settings.clientId && before.settings.flow === settings.flow;
  return {
    settings,
    secrets: {
      clientSecret: client_secret || kept.clientSecret,
      // Another application, or another mailbox: a person signs in again.
      refreshToken:
        settings.flow === 'client_credentials' ? '' : refresh_token || (keepsClient ? kept.refreshToken : ''),
    },
  };
}

type FaultName = 'INVALID_PARAMETER' | 'BOUNCE_MAILBOX_INVALID';
type Wrong = (member: string, key: MessageKey) => Fault;

function settingsAfter(
  before: GrantSettings | undefined,
  given: OauthOptions,
  { protocol, wrong }: { protocol: Protocol; wrong: Wrong },
): GrantSettings {
  const provider = given.provider ?? before?.provider ?? 'other';
  const flow = given.flow ?? before?.flow ?? 'authorization_code';
  if (provider === 'google' && flow === 'client_credentials') throw wrong('flow', 'oauth.google_flow');
  const isSame = before?.provider === provider && before.flow === flow;
  const usual = usualOf(provider, flow, { protocol, tenant: given.tenant ?? '' });
  const hasTenant = provider !== 'microsoft' || (given.tenant ?? '') !== '';
  const kept = (name: 'authorizeUrl' | 'tokenUrl' | 'scope') =>
    (isSame && (name === 'scope' || !given.tenant) && before[name]) ||
    (name === 'scope' || hasTenant ? usual[name] : '');
  if (given.tenant && !/^[a-z0-9.-]{1,100}$/i.test(given.tenant)) throw wrong('tenant', 'oauth.tenant');
  const tokenUrl = given.token_url || kept('tokenUrl');
  if (tokenUrl === '') throw wrong(provider === 'microsoft' ? 'tenant' : 'token_url', 'oauth.token_url_missing');
  const authorizeUrl = flow === 'client_credentials' ? '' : given.authorize_url || kept('authorizeUrl');
  if (!isTokenAddress(tokenUrl)) throw wrong('token_url', 'oauth.url');
  if (authorizeUrl !== '' && !isTokenAddress(authorizeUrl)) throw wrong('authorize_url', 'oauth.url');
  const clientId = given.client_id ?? before?.clientId ?? '';
  if (clientId === '') throw wrong('client_id', 'oauth.client_missing');
  return { provider, flow, authorizeUrl, tokenUrl, clientId, scope: given.scope ?? kept('scope') };
}

/** https, or http on this machine: secrets pass this connection. */
function isTokenAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname));
}

const microsoftScopes = { smtp: 'SMTP.Send', imap: 'IMAP.AccessAsUser.All', pop3: 'POP.AccessAsUser.All' };

function usualOf(
  provider: GrantSettings['provider'],
  flow: GrantSettings['flow'],
  { protocol, tenant }: { protocol: Protocol; tenant: string },
): Pick<GrantSettings, 'authorizeUrl' | 'tokenUrl' | 'scope'> {
  if (provider === 'other') return { authorizeUrl: '', tokenUrl: '', scope: '' };
  if (provider === 'google')
    return {
      authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      scope: 'https://mail.google.com/',
    };
  const base = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0`;
  return {
    authorizeUrl: `${base}/authorize`,
    tokenUrl: `${base}/token`,
    scope:
      flow === 'client_credentials'
        ? 'https://outlook.office365.com/.default'
        : `https://outlook.office.com/${microsoftScopes[protocol]} offline_access`,
  };
}
