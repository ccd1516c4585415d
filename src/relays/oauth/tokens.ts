// Access tokens in use: the present one of a grant, renewed before its end by a worker, when it has ended, or when the mail server has
// refused it. One process asks at a time, as a refresh token may work only once; the others wait for its token. After a failure
// nothing is asked for a while, at most a minute unless the provider names more, so that it is not flooded and no one waits longer.

import { setTimeout as sleep } from 'node:timers/promises';
import { isWorking } from '../../accounts/account/moves.ts';
import type { App } from '../../base/context.ts';
import { isUnavailable, sql } from '../../db/connect.ts';
import type { AccessToken, TokenSource } from './access-token.ts';
import { canRenew, type Grant, type GrantKey, readGrant } from './grant.ts';
import type { GrantChange } from './settings.ts';
import { requestToken, type TokenAnswer, tokenLimits } from './token-request.ts';
import { storeToken, unstoredToken } from './unstored-tokens.ts';

/** Two requests of a token, and what the database takes. */
const claimMs = () => 2 * tokenLimits.totalMs + 5_000;
const pollMs = 100;
const maxPauseS = 60;
const renewedAtOnce = 10;

const otherAsks = 'no access token: another process is asking for one';
const noDatabase = 'no access token: the database does not answer';
export const signInFirst = 'no access token: sign in at the provider first';

/** The tokens of relays and mailboxes. */
export function tokensOf(app: App): TokenSource {
  return {
    current: (key) => tokenFor(app, key),
    renewed: (key, refused) => tokenFor(app, key, refused),
  };
}

/** @param refused a token that the mail server has refused, whatever its end is */
export async function tokenFor(app: App, key: GrantKey, refused = ''): Promise<AccessToken> {
  try {
    return await wait(app, key, refused);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const value = unstoredToken(app, key)?.value ?? '';
    return value !== '' && value !== refused ? { value } : { problem: noDatabase, mayPass: true };
  }
}

async function wait(app: App, key: GrantKey, refused: string): Promise<AccessToken> {
  const startedAt = performance.now();
  for (;;) {
    const grant = await readGrant(app, app.db, key);
    const impossible = whyImpossible(grant);
    if (!grant || impossible !== '') return { problem: impossible, mayPass: false };
    const unstored = unstoredToken(app, key);
    // The refresh token in the database is an old one until this is stored.
    const isBehind = unstored?.version === grant.version;
    if (isBehind && unstored.value !== '' && unstored.value !== refused) return { value: unstored.value };
    if (grant.accessToken !== '' && grant.accessToken !== refused) return { value: grant.accessToken };
    if (grant.isWaiting) return { problem: grant.problem || signInFirst, mayPass: true };
    if (!isBehind && (await claim(app, grant))) return renew(app, grant);
    if (performance.now() - startedAt > claimMs()) return { problem: isBehind ? noDatabase : otherAsks, mayPass: true };
    await sleep(pollMs);
  }
}

/** Renews what ends soon. */
export async function renewDueTokens(app: App): Promise<void> {
  const due = await app.db.rows<GrantKey>(sql`
    select account_id as "accountId", id
    from oauth_grant
    where renew_at <= now()
      and (retry_at is null or retry_at <= now())
      and (renewing_until is null or renewing_until <= now())
      and ${isWorking(sql`account_id`)}
    order by renew_at
    limit ${renewedAtOnce}`);
  await Promise.all(
    due.map(async (key) => {
      const grant = await readGrant(app, app.db, key);
      if (unstoredToken(app, key)?.version === grant?.version) return;
      if (grant && whyImpossible(grant) === '' && (await claim(app, grant))) await renew(app, grant);
    }),
  );
}

function whyImpossible(grant: Grant | undefined): string {
  if (!grant) return 'no access token: the settings of the provider are missing';
  if (!grant.secrets)
    return 'no access token: the secrets of the provider cannot be decrypted; set the SEAL_KEY that they were entered with, or enter them again';
  return canRenew(grant.settings, grant.secrets) ? '' : signInFirst;
}

async function claim(app: App, { accountId, id, version, renewals }: Grant): Promise<boolean> {
  const count = await app.db.run(sql`
    update oauth_grant
    set renewing_until = clock_timestamp() + ${claimMs()}::float8 * interval '1 millisecond'
    where account_id = ${accountId}
      and id = ${id}
      and version = ${version}
      and renewals = ${renewals}
      and (renewing_until is null or renewing_until <= clock_timestamp())
      and (retry_at is null or retry_at <= clock_timestamp())`);
  return count > 0;
}

/** Asks for a token, after the claim. */
async function renew(app: App, grant: Grant): Promise<AccessToken> {
  const { settings, version, failures, accountId, id } = grant;
  const secrets = grant.secrets!;
  const answer = await requestToken(app, settings, secrets);
  if (answer.ok) {
    await storeToken(app, grant, answer.issued);
    return { value: answer.issued.accessToken };
  }
  const { problem, mayPass, retryAfterS = 0 } = answer;
  const pauseS = Math.max(retryAfterS, mayPass ? Math.min(maxPauseS, 2 ** Math.min(failures, 10)) : maxPauseS);
  app.log.warn({ ...(accountId === 0 ? { relay: id } : { mailbox: id }), problem }, 'an access token was not renewed');
  await app.db.run(sql`
    update oauth_grant
    set failures = failures + 1, problem = ${problem}, renewing_until = null,
      retry_at = clock_timestamp() + ${pauseS}::float8 * interval '1 second'
    where account_id = ${accountId}
      and id = ${id}
      and version = ${version}`);
  return { problem, mayPass };
}

/**
 * Asks for a token with settings that are not stored yet. A stored refresh token among them may work no longer after that: the one that
 * replaces it is stored, whatever becomes of the settings.
 * @param grant as it is stored; undefined when it is new
 */
export async function tokenForChange(
  app: App,
  grant: Grant | undefined,
  { settings, secrets }: GrantChange,
): Promise<TokenAnswer> {
  const usesStored = secrets.refreshToken !== '' && secrets.refreshToken === grant?.secrets?.refreshToken;
  if (!usesStored) return requestToken(app, settings, secrets);
  if (unstoredToken(app, grant) || !(await claim(app, grant))) return { ok: false, problem: otherAsks, mayPass: true };
  const answer = await requestToken(app, settings, secrets);
  if (answer.ok) await storeToken(app, grant, answer.issued);
  else
    await app.db.run(sql`
      update oauth_grant
      set renewing_until = null
      where account_id = ${grant.accountId}
        and id = ${grant.id}
        and version = ${grant.version}`);
  return answer;
}
