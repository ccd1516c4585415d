// Signing in and out as pages without script, by the same functions as the session's own addresses.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { endSession } from '../accounts/session.ts';
import { signIn } from '../accounts/sign-in.ts';
import { pageOf, sessionCookie, sessionTokenOf, setSessionCookie } from '../api/own-page.ts';
import { fromOf, wrongSignIn } from '../api/session-door.ts';
import type { App } from '../context.ts';
import { html, page } from './page.ts';

export function addSignIn(server: FastifyInstance, app: App) {
  server.get('/login', async (_request, reply) => send(reply, 200, ''));

  server.post('/login', async (request, reply) => {
    if (pageOf(app, request.headers) === 'foreign')
      return reply.code(403).send('This form can be sent from its own page only.\n');
    const { email = '', password = '', totp = '' } = (request.body ?? {}) as Record<string, string>;
    if (email.length > 320 || password.length > 1_000 || email.includes('\0'))
      return send(reply, 401, `${wrongSignIn}.`);
    const outcome = await signIn(app, { email, password, totp }, fromOf(request));
    if (outcome.kind === 'in') return setSessionCookie(app, reply, outcome.token).redirect('/inbox', 303);
    if (outcome.kind === 'code wanted')
      return send(
        reply,
        401,
        outcome.given
          ? 'The code is wrong or was used before.'
          : 'Give the code of your authenticator too, with the password once more.',
        true,
      );
    if (outcome.kind === 'wrong') return send(reply, 401, `${wrongSignIn}.`);
    reply.header('retry-after', outcome.seconds);
    return send(reply, 429, `Too many tries. Wait ${Math.ceil(outcome.seconds / 60)} minutes.`);
  });

  server.post('/logout', async (request, reply) => {
    const token = sessionTokenOf(request);
    if (token && pageOf(app, request.headers) !== 'foreign') await endSession(app.db, token);
    return reply.clearCookie(sessionCookie, { path: '/' }).redirect('/login', 303);
  });
}

function send(reply: FastifyReply, status: number, problem: string, withCode = false) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    )
    .send(form(problem, withCode));
}

const form = (problem: string, withCode: boolean) =>
  page({
    title: 'Sign in',
    body: html`<h1>Sign in</h1>${problem ? html`<p role="alert" class="problem">${problem}</p>` : ''}
<form method="post" action="/login">
<label>E-mail address <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
${withCode ? html`<label>Code <input name="totp" autocomplete="one-time-code" required></label>` : ''}
<button>Sign in</button></form>`,
  });
