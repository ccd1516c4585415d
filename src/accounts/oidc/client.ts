// The requests to an identity provider: discovery, keys, tokens, user info. All go through the outbound client, within its
// limits. The library checks issuer, audience, signature, times, nonce, state and PKCE; what a person may do is left to
// entry.ts. It is loaded at the first sign-in, as most installations have no provider.
import type { Configuration } from 'openid-client';
import type { App } from '../../base/context.ts';
import type { Provider } from '../../base/provider-setting.ts';
import { hasTooManyGroups, type Identity, identityOf, isComplete } from './claims.ts';

export { type Identity, identityOf };

/** Why there is no identity: the provider did not answer, the person or the provider refused, or the answer proves nothing. */
export type ProviderFailure = 'unreachable' | 'denied' | 'invalid' | 'groups' | 'too many groups';

export type Redeemed = { ok: true; identity: Identity; idToken: string } | { ok: false; why: ProviderFailure };

/** What must be the same when the person comes back. */
export type Secrets = { state: string; nonce: string; verifier: string };

/** Only tests make it shorter. */
export const providerLimits = { totalMs: 10_000 };
/** How long the addresses of a provider are kept; its keys: 5 minutes, and not if one is unknown. */
const keptMs = 3_600_000;
/** A person who confirms a session has signed in at the provider since. */
const confirmedWithinS = 300;
/** How far the clocks of a provider and of this machine may be apart. */
const skewS = 120;

export const redirectUri = (app: Pick<App, 'baseUrl'>, { id }: Pick<Provider, 'id'>) =>
  `${app.baseUrl}/app/signed-in/${id}`;

/** The address to send the person to, with new secrets; undefined when the provider cannot be used. */
export async function authorizationAddress(
  app: App,
  provider: Provider,
  { again }: { again: boolean },
): Promise<{ url: string; secrets: Secrets } | undefined> {
  const oidc = await import('openid-client');
  const secrets = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
  try {
    const configuration = await configurationOf(app, provider);
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri(app, provider),
      scope: provider.scopes.join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      ...(again && { prompt: 'login', max_age: String(confirmedWithinS) }),
    });
    return { url: url.href, secrets };
  } catch (error) {
    record(app, provider, error);
    return undefined;
  }
}

/** Exchanges the code in `search`, the query with which the person came back, for what the provider vouches for. */
export async function redeem(
  app: App,
  provider: Provider,
  given: { search: string; secrets: Secrets; again: boolean },
): Promise<Redeemed> {
  const oidc = await import('openid-client');
  const url = new URL(redirectUri(app, provider));
  url.search = given.search;
  const { state, nonce, verifier } = given.secrets;
  try {
    const configuration = await configurationOf(app, provider);
    const tokens = await oidc.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(given.again && { maxAge: confirmedWithinS }),
    });
    const claims = tokens.claims();
    if (!claims || !tokens.id_token || !isSubject(claims.sub)) return { ok: false, why: 'invalid' };
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const userInfo =
      isComplete(provider, claims) || !hasUserInfo
        ? {}
        : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    const identity = identityOf(provider, claims, userInfo);
    if (identity) return { ok: true, identity, idToken: tokens.id_token };
    const isTooLong = hasTooManyGroups(provider, claims) || hasTooManyGroups(provider, userInfo);
    return { ok: false, why: isTooLong ? 'too many groups' : 'groups' };
  } catch (error) {
    const why = record(app, provider, error);
    // The provider may have new keys, or new addresses: the next sign-in reads them again.
    if (why === 'invalid') known.delete(provider);
    return { ok: false, why };
  }
}

/** Where the person signs out at the provider, if it offers that. Never waits long: signing out here must work. */
export async function endSessionAddress(app: App, provider: Provider, idToken: string): Promise<string | undefined> {
  try {
    const configuration = await configurationOf(app, provider);
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    const { buildEndSessionUrl } = await import('openid-client');
    return buildEndSessionUrl(configuration, {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${app.baseUrl}/app/sign-in`,
    }).href;
  } catch (error) {
    record(app, provider, error);
    return undefined;
  }
}

/** OpenID Connect Core 2: at most 255 ASCII characters. */
const isSubject = (subject: unknown) => typeof subject === 'string' && /^[\x20-\x7e]{1,255}$/.test(subject);

const known = new WeakMap<Provider, { configuration: Configuration; readAt: number }>();

async function configurationOf(app: App, provider: Provider): Promise<Configuration> {
  const kept = known.get(provider);
  if (kept && Date.now() - kept.readAt < keptMs) return kept.configuration;
  const oidc = await import('openid-client');
  const { clientId, clientSecret, issuer } = provider;
  const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
  const basic = oidc.ClientSecretBasic(clientSecret);
  const post = oidc.ClientSecretPost(clientSecret);
  const authenticate: typeof basic = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    // Basic is the default of OpenID Connect Discovery 3.
    return (methods === undefined || methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
  const configuration = await oidc.discovery(
    new URL(issuer),
    clientId,
    { [oidc.clockTolerance]: skewS },
    clientSecret === '' ? oidc.None() : authenticate,
    {
      // By default the signature is not checked if the token comes from the provider directly.
      execute: [...insecure, oidc.enableNonRepudiationChecks],
      timeout: Math.ceil(providerLimits.totalMs / 1_000) + 1,
      [oidc.customFetch]: (url, request) => fetchFor(app, url, request),
    },
  );
  known.set(provider, { configuration, readAt: Date.now() });
  return configuration;
}

type FetchRequest = { method: string; headers: Record<string, string>; body?: unknown };

async function fetchFor({ outbound }: App, url: string, { method, headers, body }: FetchRequest): Promise<Response> {
  const result = await outbound.fetch(url, {
    method,
    headers,
    ...(body === undefined || body === null ? {} : { body: String(body) }),
    redirects: 'never',
    totalMs: providerLimits.totalMs,
    maxBytes: 256 * 1024,
  });
  if (!result.ok) throw new Unreachable(`${new URL(url).host}: ${result.why}: ${result.detail}`);
  const isEmpty = [204, 205, 304].includes(result.status);
  return new Response(isEmpty ? null : new Uint8Array(result.body), { status: result.status, headers: result.headers });
}

class Unreachable extends Error {}

/** Errors of the library for answers that are no answers: another status, no JSON. */
const noAnswer = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR', 'OAUTH_TIMEOUT'];

/** Logs why a provider failed. The error has tokens and claims in its causes, so only its names are kept. */
function record(app: App, provider: Provider, error: unknown): ProviderFailure {
  const unreachable = unreachableIn(error);
  const { name, code, error: denial, message } = error as Error & { code?: string; error?: string };
  const why =
    unreachable || noAnswer.includes(code ?? '')
      ? 'unreachable'
      : name === 'AuthorizationResponseError'
        ? 'denied'
        : 'invalid';
  const detail = unreachable?.message ?? message;
  app.log.warn({ provider: provider.id, why, code, denial, detail }, 'an identity provider failed');
  return why;
}

function unreachableIn(error: unknown): Unreachable | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Unreachable) return cause;
  return undefined;
}
