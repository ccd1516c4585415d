// The request for an access token (RFC 6749 4.1.3, 4.4, 6) through the outbound client. Reports why there is none in words that may
// be shown to the owner of the grant: only what the provider says in an error reply, never a secret or the content of another page.
import type { App } from '../../base/context.ts';
import type { GrantSecrets, GrantSettings, IssuedToken } from './grant.ts';

export type TokenAnswer =
  | { ok: true; issued: IssuedToken }
  | {
      ok: false;
      problem: string;
      /** Without a change of settings. */
      mayPass: boolean;
      /** How long the provider wants not to be asked; 0 when it does not say. */
      retryAfterS?: number;
    };

/** Only tests make it shorter. */
export const tokenLimits = { totalMs: 10_000 };
const maxBytes = 256 * 1024;
/** RFC 6749 5.1 recommends that the lifetime is sent. */
const usualLifetimeS = 3_600;
const maxLifetimeS = 30 * 86_400;
/** The provider may name a date far away. */
const maxRetryAfterS = 3_600;
/** Masking shorter secrets would only make its words unreadable: "e" is in every one of them. */
const minHidden = 6;
/** Errors that the same request will get again. */
const lasting = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_request',
  'unsupported_grant_type',
  'access_denied',
  'interaction_required',
  'consent_required',
];

/** @param code with the authorization code of a person who has just signed in */
export async function requestToken(
  app: App,
  settings: GrantSettings,
  secrets: GrantSecrets,
  code?: { code: string; verifier: string; redirectUri: string },
): Promise<TokenAnswer> {
  const { flow, clientId, scope } = settings;
  const { clientSecret, refreshToken } = secrets;
  const grant: Record<string, string> = code
    ? {
        grant_type: 'authorization_code',
        code: code.code,
        code_verifier: code.verifier,
        redirect_uri: code.redirectUri,
      }
    : flow === 'client_credentials'
      ? { grant_type: 'client_credentials', scope }
      : { grant_type: 'refresh_token', refresh_token: refreshToken };
  const hidden = [clientSecret, refreshToken, code?.code ?? '', code?.verifier ?? ''];
  const inBody = { client_id: clientId, ...(clientSecret !== '' && { client_secret: clientSecret }), ...grant };
  const answer = await ask(app, settings, inBody, {}, hidden);
  // Both ways are usual; every provider has the second one (RFC 6749 2.3.1).
  if (answer.ok || answer.error !== 'invalid_client' || clientSecret === '') return answer;
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const again = await ask(app, settings, grant, { authorization: `Basic ${basic}` }, hidden);
  return again.ok ? again : answer;
}

type Asked = TokenAnswer & { error?: string };

async function ask(
  app: App,
  { tokenUrl }: GrantSettings,
  body: Record<string, string>,
  headers: Record<string, string>,
  hidden: readonly string[],
): Promise<Asked> {
  const { host } = new URL(tokenUrl);
  const result = await app.outbound.fetch(tokenUrl, {
    method: 'POST',
    headers: { ...headers, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body).toString(),
    redirects: 'never',
    totalMs: tokenLimits.totalMs,
    maxBytes,
  });
  if (!result.ok) {
    app.log.info({ why: result.why, detail: result.detail }, 'a provider of access tokens was not reached');
    const isRefused = result.why === 'refused';
    const words = isRefused ? 'connections to this server are not allowed' : 'it cannot be reached';
    return { ok: false, problem: `no access token from ${host}: ${words}`, mayPass: !isRefused };
  }
  const content = parsed(result.body);
  const issued = result.status === 200 || result.status === 201 ? issuedIn(content) : undefined;
  if (issued) return { ok: true, issued };
  const retryAfterS = [429, 503].includes(result.status) ? secondsIn(result.headers['retry-after']) : 0;
  const { error, description } = errorIn(content);
  if (error === '' && description === '')
    return { ok: false, problem: `no access token from ${host}: status ${result.status}`, mayPass: true, retryAfterS };
  const words = hidden.reduce(
    (text, secret) => (secret.length < minHidden ? text : text.replaceAll(secret, '***')),
    `${error} ${description}`,
  );
  return {
    ok: false,
    problem: `no access token from ${host}: ${inOneLine(words)}`,
    mayPass: result.status >= 500 || !lasting.includes(error),
    retryAfterS,
    error,
  };
}

type Content = Record<string, unknown>;

/** JSON, also behind a byte order mark, or a form, as some providers answer. */
function parsed(body: Buffer): Content | undefined {
  const text = new TextDecoder().decode(body).trim();
  try {
    return objectIn(JSON.parse(text));
  } catch {
    // Not a page that has an equals sign somewhere.
    return /^(access_token|token_type|expires_in|scope|refresh_token|error)=/.test(text)
      ? Object.fromEntries(new URLSearchParams(text))
      : undefined;
  }
}

/** As the specification has it, or as an object with the words in it (Google's and Facebook's other services). */
function errorIn(content: Content | undefined): { error: string; description: string } {
  const inner = objectIn(content?.error);
  if (!inner) return { error: textOf(content?.error), description: textOf(content?.error_description) };
  const error = [inner.status, inner.code, inner.type].map(textOf).find((text) => text !== '') ?? '';
  return { error, description: textOf(inner.message) };
}

/** Of Retry-After: seconds, or a date (RFC 9110 10.2.3). */
function secondsIn(value = ''): number {
  const seconds = /^\d{1,15}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfterS) : 0;
}

function issuedIn(content: Content | undefined): IssuedToken | undefined {
  const accessToken = textOf(content?.access_token);
  // Whatever else it has would end a line of the mail server's protocol, or not be a token (RFC 6750 2.1).
  if (!/^[\x21-\x7e]{1,16000}$/.test(accessToken)) return undefined;
  const type = textOf(content?.token_type);
  // Some providers call it BearerToken.
  if (type !== '' && !/^bearer/i.test(type)) return undefined;
  const lifetimeS = lifetimeIn(content?.expires_in);
  return { accessToken, lifetimeS, refreshToken: textOf(content?.refresh_token) || undefined };
}

/** Whole seconds, also in quotes; whatever else a provider sends says nothing. */
function lifetimeIn(value: unknown): number {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds >= 1 ? Math.min(seconds, maxLifetimeS) : usualLifetimeS;
}

const objectIn = (value: unknown): Content | undefined =>
  typeof value === 'object' && value !== null ? (value as Content) : undefined;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One line of at most 300 characters that can be stored. */
const inOneLine = (text: string) =>
  [
    ...text
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim()
      .toWellFormed(),
  ]
    .slice(0, 300)
    .join('');
