// A real OpenID Connect provider in the test's process, on loopback. It demands PKCE and asks no person: `signInAt` follows its
// redirects as a browser does, as the person it is given.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export type ProviderPerson = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
};

export type IdentityProvider = {
  issuer: string;
  people: Map<string, ProviderPerson>;
  /** Starts to answer, for a client whose people come back to this address of the program. */
  open(baseUrl: string): void;
  /** The requests it received, as `GET /path`. */
  requests: string[];
  close(): Promise<void>;
};

export const clientSecret = 'a secret of the client';

/** Listens, so that its address is known before the program starts. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let answer: ReturnType<Provider['callback']> | undefined;
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url!.split('?')[0]}`);
    if (!answer) response.writeHead(503).end();
    else void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ProviderPerson>();
  return {
    issuer,
    people,
    requests,
    open(baseUrl) {
      answer = providerAt(issuer, baseUrl, people).callback();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function providerAt(issuer: string, baseUrl: string, people: Map<string, ProviderPerson>): Provider {
  const scopes = 'openid email profile groups';
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'postrider',
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/app/signed-in/company`],
        post_logout_redirect_uris: [`${baseUrl}/app/sign-in`],
      },
    ],
    pkce: { required: () => true },
    scopes: scopes.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    cookies: { keys: ['a key for tests'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: async () => ({ ...person }) };
    },
    async loadExistingGrant(ctx) {
      const grant = new provider.Grant({
        clientId: ctx.oidc.client!.clientId,
        accountId: ctx.oidc.session!.accountId!,
      });
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
  });
  // The page on which a person would enter a password: the person is named in a header instead.
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    const accountId = ctx.get('x-person');
    const result = accountId === '' ? { error: 'access_denied' } : { login: { accountId } };
    await provider.interactionFinished(ctx.req, ctx.res, result);
    ctx.respond = false;
  });
  provider.on('server_error', (_ctx, error) => console.error('identity provider', error));
  return provider;
}

/** Signs in at the provider as a person, or cancels. @returns the query with which the browser comes back */
export async function signInAt(url: string, sub: string | undefined): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let hop = 0; hop < 8; hop++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), 'x-person': sub ?? '' },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} at ${at}: ${await response.text()}`);
    const next = new URL(location, at);
    if (next.pathname.startsWith('/app/')) return next.search;
    at = next.href;
  }
  throw new Error('too many redirects');
}
