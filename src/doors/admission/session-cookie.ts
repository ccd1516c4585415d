// The cookies of a browser: one carries the session; one shows, after it has ended too, that a person has signed in here;
// two are for the minutes of a sign-in at an identity provider and by a passkey.
// Under https their names begin with __Host-: then a browser takes them from this host over TLS only, and a page of another
// sub-domain cannot plant one (RFC 6265bis 4.1.3.2). Such a cookie goes to the whole host; where BASE_URL has a path, other
// programs on the host must not get it, so it has that path and the name __Secure-, which keeps TLS alone.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionDays } from '../../accounts/access/session.ts';
import type { App } from '../../base/context.ts';
import { basePathOf } from '../../base/public-paths.ts';

export function setSessionCookie(app: App, reply: FastifyReply, token: string): FastifyReply {
  return reply.setCookie(nameFor(app, 'session'), token, { ...attributesFor(app), maxAge: sessionDays * 86_400 });
}

export function clearSessionCookie(app: App, reply: FastifyReply): FastifyReply {
  return reply.clearCookie(nameFor(app, 'session'), attributesFor(app));
}

export const sessionTokenOf = (app: App, request: FastifyRequest): string | undefined =>
  request.cookies[nameFor(app, 'session')] || undefined;

/** A year after the last sign-in. */
const browserDays = 365;

export function setBrowserCookie(app: App, reply: FastifyReply, token: string): FastifyReply {
  return reply.setCookie(nameFor(app, 'browser'), token, { ...attributesFor(app), maxAge: browserDays * 86_400 });
}

export const browserTokenOf = (app: App, request: FastifyRequest): string | undefined =>
  request.cookies[nameFor(app, 'browser')] || undefined;

/** Binds a sign-in at an identity provider to the browser that began it. Lax: the person comes back from another site. */
export function setProviderCookie(app: App, reply: FastifyReply, token: string, minutes: number): FastifyReply {
  return reply.setCookie(nameFor(app, 'provider'), token, { ...attributesFor(app), maxAge: minutes * 60 });
}

export function clearProviderCookie(app: App, reply: FastifyReply): FastifyReply {
  return reply.clearCookie(nameFor(app, 'provider'), attributesFor(app));
}

export const providerTokenOf = (app: App, request: FastifyRequest): string | undefined =>
  request.cookies[nameFor(app, 'provider')] || undefined;

/** Binds the challenge of a passkey to the browser that asked for it. */
export function setPasskeyCookie(app: App, reply: FastifyReply, token: string, minutes: number): FastifyReply {
  const attributes = { ...attributesFor(app), sameSite: 'strict', maxAge: minutes * 60 } as const;
  return reply.setCookie(nameFor(app, 'passkey'), token, attributes);
}

export const passkeyTokenOf = (app: App, request: FastifyRequest): string | undefined =>
  request.cookies[nameFor(app, 'passkey')] || undefined;

const isSecure = (app: App) => app.baseUrl.startsWith('https:');

const nameFor = (app: App, what: 'session' | 'browser' | 'provider' | 'passkey') =>
  `${isSecure(app) ? (basePathOf(app.baseUrl) === '' ? '__Host-' : '__Secure-') : ''}postrider_${what}`;

const attributesFor = (app: App) =>
  ({ path: basePathOf(app.baseUrl) || '/', httpOnly: true, sameSite: 'lax', secure: isSecure(app) }) as const;
