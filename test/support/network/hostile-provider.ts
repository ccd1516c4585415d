// A provider that lies: what a test does not change is as it should be. It has no page to sign in on; `comeBack` makes the query
// of a person who returns from it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

export type Lie = {
  /** Claims of the ID token that differ; an undefined one is left out. */
  claims?: Record<string, unknown>;
  /** What the user info endpoint answers. */
  userInfo?: Record<string, unknown>;
  /** How the ID token is signed. */
  sign?: 'none' | 'HS256 with the public key' | 'unknown key' | 'another key under this kid';
  /** Members of the discovery document that differ. */
  discovery?: Record<string, unknown>;
  status?: number;
  delayMs?: number;
};

export type HostileProvider = Awaited<ReturnType<typeof startHostileProvider>>;

export async function startHostileProvider() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const other = await generateKeyPair('RS256');
  const codes = new Map<string, string>();
  let lie: Lie = {};
  let issuer = '';
  let key = { pair: { publicKey, privateKey }, kid: 'first' };
  const requests: string[] = [];

  async function idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: 'postrider',
      sub: 'person 1',
      iat: now,
      exp: now + 300,
      nonce,
      email: 'new@example.net',
      email_verified: true,
      ...lie.claims,
    };
    const payload = JSON.parse(JSON.stringify(claims)) as JWTPayload;
    const { kid } = key;
    if (lie.sign === 'none') return new UnsecuredJWT(payload).encode();
    if (lie.sign === 'HS256 with the public key') {
      const secret = new TextEncoder().encode(await exportSPKI(key.pair.publicKey));
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    }
    if (lie.sign === 'unknown key')
      return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).sign(other.privateKey);
    const { privateKey: signer } = lie.sign === 'another key under this kid' ? other : key.pair;
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(signer);
  }

  const discovery = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/me`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...lie.discovery,
  });

  async function answer(path: string, body: string): Promise<unknown> {
    if (path === '/.well-known/openid-configuration') return discovery();
    if (path === '/jwks') return { keys: [{ ...(await exportJWK(key.pair.publicKey)), kid: key.kid, use: 'sig' }] };
    if (path === '/me') return lie.userInfo ?? { sub: lie.claims?.sub ?? 'person 1' };
    const code = new URLSearchParams(body).get('code') ?? '';
    const nonce = codes.get(code);
    codes.delete(code);
    if (nonce === undefined) return undefined;
    return { access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: await idToken(nonce) };
  }

  const server = createServer(async (request, response) => {
    const path = request.url!.split('?')[0]!;
    requests.push(path);
    let body = '';
    for await (const chunk of request) body += chunk;
    if (lie.delayMs) await sleep(lie.delayMs);
    const given = await answer(path, body);
    response.writeHead(lie.status ?? (given === undefined ? 400 : 200), { 'content-type': 'application/json' });
    response.end(JSON.stringify(given ?? { error: 'invalid_grant' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    requests,
    lieAbout(next: Lie) {
      lie = next;
    },
    /** From now on another key signs, and the former one is gone. */
    async changeKey() {
      key = { pair: await generateKeyPair('RS256', { extractable: true }), kid: 'second' };
    },
    /** The query with which a person comes back who was sent to `url`. */
    comeBack(url: string, changes: { code?: string; state?: string } = {}): string {
      const { searchParams } = new URL(url);
      const code = changes.code ?? `code ${codes.size} ${searchParams.get('state')}`;
      if (changes.code === undefined) codes.set(code, searchParams.get('nonce')!);
      return `?${new URLSearchParams({ code, state: changes.state ?? searchParams.get('state')! })}`;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
