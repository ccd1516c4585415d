// The cookie that carries the session of a signed-in browser.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionDays } from '../accounts/sign-in/session.ts';
import type { App } from '../base/context.ts';

export const sessionCookie = 'postrider_session';

export function setSessionCookie(app: App, reply: FastifyReply, token: string): FastifyReply {
  return reply.setCookie(sessionCookie, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: app.baseUrl.startsWith('https:'),
    maxAge: sessionDays * 86_400,
  });
}

export const sessionTokenOf = (request: FastifyRequest): string | undefined =>
  request.cookies[sessionCookie] || undefined;
