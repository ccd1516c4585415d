// Signing in and out of the pages. The session token travels in an httpOnly cookie; wrong tries slow down by address
// and by caller, and the answer never tells whether an address is known.
import type { FastifyInstance } from 'fastify';
import { checkPassword, endSession, sessionDays, startSession } from '../accounts/user.ts';
import type { App } from '../context.ts';
import { html, page } from './page.ts';

export const sessionCookie = 'postrider_session';

const windowMs = 15 * 60_000;
const triesInWindow = 10;
const tries = new Map<string, number[]>();

export function addSignIn(server: FastifyInstance, app: App) {
  server.get('/login', async (_request, reply) => reply.type('text/html; charset=utf-8').send(form('')));

  server.post('/login', async (request, reply) => {
    const { email = '', password = '' } = (request.body ?? {}) as Record<string, string>;
    if (!fromOurPage(app, request.headers))
      return reply.code(403).send('This form can be sent from its own page only.\n');
    if (tooMany(`ip ${request.ip}`) || tooMany(`email ${email.toLowerCase().slice(0, 200)}`)) {
      return reply
        .code(429)
        .header('retry-after', 900)
        .type('text/html; charset=utf-8')
        .send(form('Too many tries. Wait a quarter of an hour.'));
    }
    const user = await checkPassword(app.db, email, password);
    const session =
      user && (await startSession(app.db, user.id, { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' }));
    if (!session)
      return reply.code(401).type('text/html; charset=utf-8').send(form('The address or the password is wrong.'));
    return reply
      .setCookie(sessionCookie, session.token, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: app.baseUrl.startsWith('https:'),
        maxAge: sessionDays * 86_400,
      })
      .redirect('/inbox', 303);
  });

  server.post('/logout', async (request, reply) => {
    const token = request.cookies[sessionCookie];
    if (token && fromOurPage(app, request.headers)) await endSession(app.db, token);
    return reply.clearCookie(sessionCookie, { path: '/' }).redirect('/login', 303);
  });
}

/** True when the browser says that a page of ours sent the form. */
export function fromOurPage(app: App, headers: Record<string, string | string[] | undefined>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = headers.origin;
  return origin === undefined || origin === new URL(app.baseUrl).origin;
}

function tooMany(name: string): boolean {
  const now = Date.now();
  const recent = (tries.get(name) ?? []).filter((at) => now - at < windowMs);
  recent.push(now);
  tries.set(name, recent);
  if (tries.size > 10_000) for (const [key, list] of tries) if (now - list.at(-1)! > windowMs) tries.delete(key);
  return recent.length > triesInWindow;
}

const form = (problem: string) =>
  page({
    title: 'Sign in',
    body: html`<h1>Sign in</h1>${problem ? html`<p role="alert" class="problem">${problem}</p>` : ''}
<form method="post" action="/login">
<label>E-mail address <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form>`,
  });
