// The cookie that carries the session of a signed-in browser. Under https its name begins with __Host-: then a browser
// takes it from this host over TLS only, and a page of another sub-domain cannot plant one (RFC 6265bis 4.1.3.2).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionDays } from '../accounts/sign-in/session.ts';
import type { App } from '../base/context.ts';

export function setSessionCookie(app: App, reply: FastifyReply, token: string): FastifyReply {
  return reply.setCookie(nameFor(app), token, { ...attributesFor(app), maxAge: sessionDays * 86_400 });
}

export function clearSessionCookie(app: App, reply: FastifyReply): FastifyReply {
  return reply.clearCookie(nameFor(app), attributesFor(app));
}

export const sessionTokenOf = (app: App, request: FastifyRequest): string | undefined =>
  request.cookies[nameFor(app)] || undefined;

const isSecure = (app: App) => app.baseUrl.startsWith('https:');

const nameFor = (app: App) => (isSecure(app) ? '__Host-postrider_session' : 'postrider_session');

const attributesFor = (app: App) => ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(app) }) as const;
