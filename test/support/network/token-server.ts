// A provider of access tokens (RFC 6749) on loopback, in the test's process. Checks client, secret, grant type, redirect URI, state of a
// refresh token, authorization code and PKCE; its tokens end after `lifetimeS`. A person signs in by `signIn`, without a page.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type TokenServer = {
  port: number;
  tokenUrl: string;
  authorizeUrl: string;
  /** How long tokens are valid. */
  lifetimeS: number;
  /** Tokens that were issued, by grant type. */
  issued: string[];
  /** Requests for a token, also those that were refused. */
  requests: number;
  /** What every request gets from now on instead of a token; undefined ends it. */
  fail: { status: number; body: string; delayMs?: number; headers?: Record<string, string> } | undefined;
  isValid(token: string): boolean;
  /** Ends all access tokens at once, without a word. */
  revokeTokens(): void;
  /** A refresh token, as a person has got one. */
  refreshToken(): string;
  /** The page of the provider: @returns the address that the person is sent back to */
  signIn(url: string): string;
  close(): Promise<void>;
};

export const tokenClient = { client_id: 'postrider', client_secret: 'a secret of the client' };

type Code = { redirectUri: string; challenge: string; until: number };

export async function startTokenServer({ lifetimeS = 3_600, rotates = true } = {}): Promise<TokenServer> {
  const valid = new Map<string, number>();
  const refreshTokens = new Set<string>();
  const codes = new Map<string, Code>();
  const random = () => randomBytes(18).toString('base64url');

  function answer(given: URLSearchParams, authorization: string): Record<string, unknown> {
    const basic = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const [id, secret] = authorization
      ? basic.split(':').map(decodeURIComponent)
      : [given.get('client_id'), given.get('client_secret')];
    if (id !== tokenClient.client_id || secret !== tokenClient.client_secret)
      return { error: 'invalid_client', error_description: `unknown client or wrong secret ${secret}` };
    const type = given.get('grant_type');
    if (type === 'refresh_token') {
      const token = given.get('refresh_token') ?? '';
      if (!refreshTokens.has(token)) return { error: 'invalid_grant', error_description: 'the grant was revoked' };
      if (rotates) refreshTokens.delete(token);
    } else if (type === 'authorization_code') {
      const code = codes.get(given.get('code') ?? '');
      codes.delete(given.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url');
      if (
        !code ||
        code.until < Date.now() ||
        code.redirectUri !== given.get('redirect_uri') ||
        code.challenge !== challenge
      )
        return { error: 'invalid_grant', error_description: 'the code is not valid' };
    } else if (type !== 'client_credentials' || !given.get('scope')) return { error: 'unsupported_grant_type' };
    server.issued.push(type);
    const token = random();
    valid.set(token, Date.now() + server.lifetimeS * 1_000);
    const isLasting = type === 'authorization_code' || (type === 'refresh_token' && rotates);
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: server.lifetimeS,
      ...(isLasting && { refresh_token: server.refreshToken() }),
    };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    server.requests += 1;
    if (server.fail) {
      await sleep(server.fail.delayMs ?? 0);
      const { status, body, headers } = server.fail;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      return;
    }
    const content = answer(new URLSearchParams(body), request.headers.authorization ?? '');
    const status = content.error === undefined ? 200 : content.error === 'invalid_client' ? 401 : 400;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  }

  const http = createServer((request, response) => {
    if (!request.url!.startsWith('/authorize')) return void respond(request, response);
    response.writeHead(302, { location: server.signIn(`http://127.0.0.1${request.url}`) }).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const server: TokenServer = {
    port,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    authorizeUrl: `http://127.0.0.1:${port}/authorize`,
    lifetimeS,
    issued: [],
    requests: 0,
    fail: undefined,
    isValid: (token) => (valid.get(token) ?? 0) > Date.now(),
    revokeTokens: () => valid.clear(),
    refreshToken() {
      const token = random();
      refreshTokens.add(token);
      return token;
    },
    signIn(url) {
      const { searchParams: given } = new URL(url);
      if (given.get('client_id') !== tokenClient.client_id || given.get('response_type') !== 'code')
        throw new Error(`not an authorization request: ${url}`);
      const code = random();
      const redirectUri = given.get('redirect_uri')!;
      const challenge = given.get('code_challenge_method') === 'S256' ? (given.get('code_challenge') ?? '') : '';
      codes.set(code, { redirectUri, challenge, until: Date.now() + 60_000 });
      return `${redirectUri}?${new URLSearchParams({ code, state: given.get('state') ?? '' })}`;
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}
