// Whether a page of ours made a request, and the cookie its session travels in. Browsers say where a request comes from
// by Sec-Fetch-Site, older ones and plain http by Origin; a foreign page cannot change either.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionDays } from '../accounts/sign-in/session.ts';
import type { App } from '../base/context.ts';

export const sessionCookie = 'postrider_session';

type Headers = Record<string, string | string[] | undefined>;

/** What the headers say: our own page, a foreign one, or nothing (no browser, or somebody typed the address). */
export function pageOf(app: App, headers: Headers): 'own' | 'foreign' | 'unsaid' {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : site === 'none' ? 'unsaid' : 'foreign';
  if (headers.origin === undefined) return 'unsaid';
  return isOwnOrigin(app, String(headers.origin), headers.host) ? 'own' : 'foreign';
}

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

/** The address of the installation, or the one the request itself went to: our cookie goes to no other. */
function isOwnOrigin(app: App, origin: string, host: string | string[] | undefined): boolean {
  if (origin === new URL(app.baseUrl).origin) return true;
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && typeof host === 'string' && url.host === host.toLowerCase();
}
