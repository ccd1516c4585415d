// A person signs in at the provider, so that a relay or a bounce mailbox gets a refresh token (RFC 6749 4.1, with PKCE, RFC 7636). What was
// begun works once, within ten minutes, for the same user in the same account; the answer of the provider comes to a page of the
// application, which passes it on.
import { createHash } from 'node:crypto';
import { personOf } from '../../accounts/access/person.ts';
import { hashToken, newToken } from '../../accounts/access/token.ts';
import { isOperatorAccount } from '../../accounts/account/account.ts';
import { seal, unseal } from '../../accounts/installation/seal.ts';
import type { App, Context, PrepareContext } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import type { MessageKey, MessageValue } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { relayChannel } from '../../jobs/channels.ts';
import { type Grant, type GrantKey, type IssuedToken, keepToken, readGrant } from './grant.ts';
import { queueReading } from './queue-reading.ts';
import { requestToken } from './token-request.ts';

const validMinutes = 10;

export const mailAccessUri = ({ baseUrl }: Pick<App, 'baseUrl'>) => `${baseUrl}/app/mail-access`;

/** @returns the address of the provider to send the person to */
export async function beginAccess(
  { app, tx, account, caller }: Context,
  given: { relay?: string | undefined; mailbox?: string | undefined },
): Promise<{ url: string; redirect_uri: string }> {
  const { userId } = personOf(caller);
  const ofRelay = given.relay !== undefined && given.relay !== '';
  if (ofRelay === (given.mailbox !== undefined && given.mailbox !== '')) throw wrong('relay', 'oauth.one_of');
  const member = ofRelay ? 'relay' : 'mailbox';
  if (ofRelay && !(await isOperatorAccount(tx, account))) throw wrong(member, 'oauth.unknown');
  const id = parseId((ofRelay ? given.relay : given.mailbox)!);
  const key = { accountId: ofRelay ? 0 : account.id, id };
  const grant = await readGrant(app, tx, key);
  if (!grant) throw wrong(member, 'oauth.unknown');
  const { authorizeUrl, clientId, scope, flow } = grant.settings;
  if (flow !== 'authorization_code') throw wrong(member, 'oauth.needs_no_person');
  if (authorizeUrl === '') throw wrong('oauth.authorize_url', 'oauth.authorize_missing');
  if (!grant.secrets) throw wrong('oauth.client_secret', 'oauth.secrets_lost');
  const [state, verifier] = [newToken(), newToken()];
  await tx.run(sql`
    update oauth_grant
    set state_hash = ${hashToken(state)}, state_user = ${userId}, verifier = ${seal(app, purposeOf(key), verifier)},
      state_until = now() + ${validMinutes}::int * interval '1 minute'
    where account_id = ${key.accountId}
      and id = ${id}`);
  const url = new URL(authorizeUrl);
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: mailAccessUri(app),
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // Without these Google gives a refresh token the first time only.
    ...(grant.settings.provider === 'google' && { access_type: 'offline', prompt: 'consent' }),
    // The mailbox may be another account of the person than the one that is signed in.
    ...(grant.settings.provider === 'microsoft' && { prompt: 'select_account' }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, redirect_uri: mailAccessUri(app) };
}

export type Ended = { grant: Grant; issued: IssuedToken };

/** Uses up the state, and exchanges the code for tokens. */
export async function exchangeCode(
  { app, account, caller }: PrepareContext,
  { state, code = '', error = '' }: { state: string; code?: string | undefined; error?: string | undefined },
): Promise<Ended> {
  const { userId } = personOf(caller);
  const row = await app.db.row<GrantKey & { verifier: Buffer; isInTime: boolean }>(sql`
    with begun as (
      select account_id, id, verifier, state_until > now() as in_time
      from oauth_grant
      where state_hash = ${hashToken(state)}
        and state_user = ${userId}
        and account_id in (0, ${account.id})
      for update)
    update oauth_grant g
    set state_hash = null, state_user = null, state_until = null, verifier = null
    from begun
    where (g.account_id, g.id) = (begun.account_id, begun.id)
    returning g.account_id as "accountId", g.id, begun.verifier, begun.in_time as "isInTime"`);
  const isTheirs = row && (row.accountId !== 0 || (await isOperatorAccount(app.db, account)));
  const verifier = row?.isInTime && isTheirs ? unseal(app, purposeOf(row), row.verifier) : null;
  if (!row || verifier === null) throw wrong('state', 'oauth.over');
  if (code === '') throw wrong('code', 'oauth.denied', { reason: error.slice(0, 100) });
  const grant = await readGrant(app, app.db, row);
  if (!grant?.secrets) throw wrong('state', 'oauth.over');
  const redirectUri = mailAccessUri(app);
  const answer = await requestToken(app, grant.settings, grant.secrets, { code, verifier, redirectUri });
  if (!answer.ok) throw wrong('code', 'oauth.denied', { reason: answer.problem });
  const { issued } = answer;
  if (!issued.refreshToken) throw wrong('code', 'oauth.no_refresh_token');
  return { grant, issued };
}

/** Stores the tokens. The relay is used, and the mailbox read, at once. @returns whose access it is */
export async function endAccess({ app, tx }: Context, _given: unknown, { grant, issued }: Ended) {
  const { accountId, id, version } = grant;
  await keepToken(app, tx, grant, { secrets: grant.secrets!, issued, version });
  // A relay that rested without a token is another one now.
  const count = await tx.run(sql`
    update oauth_grant
    set version = version + 1
    where account_id = ${accountId}
      and id = ${id}
      and version = ${version}`);
  if (count === 0) throw wrong('state', 'oauth.over');
  if (accountId === 0) await tx.run(sql`select pg_notify(${relayChannel}, '')`);
  else await queueReading(tx, accountId, id);
  return { relay: accountId === 0 ? formatId(id) : '', mailbox: accountId === 0 ? '' : formatId(id) };
}

const purposeOf = ({ accountId, id }: GrantKey) => `oauth verifier ${accountId} ${id}`;

const wrong = (member: string, key: MessageKey, values: Record<string, MessageValue> = {}): Fault =>
  new Fault('INVALID_PARAMETER', { key, values: { member, ...values } });
