// The grant of a relay or a bounce mailbox: how it gets access tokens (OAuth 2.0, RFC 6749), as the table has it. Guarantees that
// secrets and tokens are in the table in sealed form only, and cannot be opened for another relay or mailbox.
import { seal, unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';

/** Whose it is; the account is 0 for a relay. */
export type GrantKey = { accountId: number; id: number };

export const providers = ['microsoft', 'google', 'other'] as const;
export const flows = ['authorization_code', 'client_credentials'] as const;

export type GrantSettings = {
  provider: (typeof providers)[number];
  flow: (typeof flows)[number];
  authorizeUrl: string;
  tokenUrl: string;
  clientId: string;
  scope: string;
};

/** The refresh token is '' until a person has signed in, and for client credentials. */
export type GrantSecrets = { clientSecret: string; refreshToken: string };

export type IssuedToken = { accessToken: string; lifetimeS: number; refreshToken?: string | undefined };

export type Grant = GrantKey & {
  settings: GrantSettings;
  /** Null when they cannot be opened: they were sealed with another SEAL_KEY. */
  secrets: GrantSecrets | null;
  version: number;
  renewals: number;
  /** '' when there is none, or it has ended. */
  accessToken: string;
  /** No request is made now. */
  isWaiting: boolean;
  failures: number;
  problem: string;
  expiresAt: Date | null;
  renewedAt: Date | null;
};

type Row = Omit<Grant, 'settings' | 'secrets' | 'accessToken'> &
  GrantSettings & { secrets: Buffer; accessToken: Buffer | null; isValid: boolean };

export async function readGrant(app: App, db: Queries, { accountId, id }: GrantKey): Promise<Grant | undefined> {
  const row = await db.row<Row>(sql`
    select account_id as "accountId", id, provider, flow, authorize_url as "authorizeUrl", token_url as "tokenUrl",
      client_id as "clientId", scope, secrets, version, renewals, access_token as "accessToken", failures, problem,
      coalesce(expires_at > clock_timestamp(), false) as "isValid", expires_at as "expiresAt",
      coalesce(retry_at > clock_timestamp(), false) as "isWaiting", renewed_at as "renewedAt"
    from oauth_grant
    where account_id = ${accountId}
      and id = ${id}`);
  if (!row) return undefined;
  const { provider, flow, authorizeUrl, tokenUrl, clientId, scope, secrets, accessToken, isValid, ...rest } = row;
  const opened = unseal(app, purposeOf(row), secrets);
  return {
    ...rest,
    settings: { provider, flow, authorizeUrl, tokenUrl, clientId, scope },
    secrets: opened === null ? null : (JSON.parse(opened) as GrantSecrets),
    accessToken: (isValid && accessToken && unseal(app, tokenPurposeOf(row), accessToken)) || '',
  };
}

/** Stores new or changed settings; the token of the settings before is dropped. @param first a token they have given already */
export async function saveGrant(
  app: App,
  tx: Tx,
  key: GrantKey,
  { settings, secrets, first }: { settings: GrantSettings; secrets: GrantSecrets; first?: IssuedToken | undefined },
): Promise<void> {
  const { provider, flow, authorizeUrl, tokenUrl, clientId, scope } = settings;
  const sealed = seal(app, purposeOf(key), JSON.stringify(withNewest(secrets, first)));
  await tx.run(sql`
    insert into oauth_grant (account_id, id, provider, flow, authorize_url, token_url, client_id, scope, secrets)
    values (${key.accountId}, ${key.id}, ${provider}, ${flow}, ${authorizeUrl}, ${tokenUrl}, ${clientId}, ${scope},
      ${sealed})
    on conflict (account_id, id) do update
    set provider = excluded.provider, flow = excluded.flow, authorize_url = excluded.authorize_url,
      token_url = excluded.token_url, client_id = excluded.client_id, scope = excluded.scope, secrets = excluded.secrets,
      version = oauth_grant.version + 1, access_token = null, expires_at = null, renew_at = null, renewing_until = null,
      failures = 0, retry_at = null, problem = '', renewed_at = null, state_hash = null, state_user = null,
      state_until = null, verifier = null`);
  if (first) await keepToken(app, tx, key, { secrets, issued: first });
  else
    await tx.run(sql`
      update oauth_grant
      set renew_at = case when ${canRenew(settings, secrets)} then now() end
      where account_id = ${key.accountId}
        and id = ${key.id}`);
}

/** How long a token is used after it was issued: it ends on the way otherwise. */
export const usableSeconds = ({ lifetimeS }: IssuedToken): number => lifetimeS - Math.min(60, lifetimeS * 0.1);

type TokenToKeep = { secrets: GrantSecrets; issued: IssuedToken; ageS?: number; version?: number; renewals?: number };

/**
 * Stores a token, and the refresh token that came with it. Does nothing when the settings or the token are others by now.
 * @param version that of the settings it was requested with; any without it
 * @param renewals how many tokens there had been; any number without it
 * @param ageS how long ago it was issued
 */
export async function keepToken(
  app: App,
  db: Queries,
  key: GrantKey,
  { secrets, issued, ageS = 0, version, renewals }: TokenToKeep,
): Promise<void> {
  const { accessToken, lifetimeS } = issued;
  const untouchedS = lifetimeS - Math.min(600, lifetimeS * 0.3);
  await db.run(sql`
    update oauth_grant
    set secrets = ${seal(app, purposeOf(key), JSON.stringify(withNewest(secrets, issued)))},
      access_token = ${seal(app, tokenPurposeOf(key), accessToken)},
      expires_at = clock_timestamp() + ${usableSeconds(issued) - ageS}::float8 * interval '1 second',
      renew_at = clock_timestamp() + ${untouchedS - ageS}::float8 * interval '1 second',
      renewals = renewals + 1, renewed_at = clock_timestamp(), renewing_until = null, failures = 0, retry_at = null, problem = ''
    where account_id = ${key.accountId}
      and id = ${key.id}
      and version = coalesce(${version ?? null}::int, version)
      and renewals = coalesce(${renewals ?? null}::int, renewals)`);
}

export async function deleteGrant(tx: Tx, { accountId, id }: GrantKey): Promise<void> {
  await tx.run(sql`delete from oauth_grant where account_id = ${accountId} and id = ${id}`);
}

/** Whether a token can be had without a person. */
export const canRenew = ({ flow }: GrantSettings, { refreshToken }: GrantSecrets): boolean =>
  flow === 'client_credentials' || refreshToken !== '';

/** Some providers give a new refresh token with each access token, and the former one works no longer. */
const withNewest = (secrets: GrantSecrets, issued: IssuedToken | undefined): GrantSecrets =>
  issued?.refreshToken ? { ...secrets, refreshToken: issued.refreshToken } : secrets;

const purposeOf = ({ accountId, id }: GrantKey) => `oauth grant ${accountId} ${id}`;
const tokenPurposeOf = ({ accountId, id }: GrantKey) => `oauth token ${accountId} ${id}`;
