// Signing in by an identity provider, as part of the session door. The provider sends the person back to a page of the web
// application, and that page posts the query it got: so no GET request changes state, and every failure is a text there.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { attemptMinutes } from '../../accounts/oidc/attempt.ts';
import { beginAtProvider, type Entered, endAtProvider, enterPassword } from '../../accounts/oidc/provider-sign-in.ts';
import { relyingPartyOf } from '../../accounts/passkeys/relying-party.ts';
import { signInByLink } from '../../accounts/sign-in/emergency-link.ts';
import type { Visitor } from '../../accounts/sign-in/visitor.ts';
import type { App } from '../../base/context.ts';
import { fault, faultBody } from '../../base/faults.ts';
import { languageOf } from '../../base/messages.ts';
import { problem } from '../../method/params.ts';
import {
  clearProviderCookie,
  providerTokenOf,
  sessionTokenOf,
  setProviderCookie,
  setSessionCookie,
} from '../admission/session-cookie.ts';

/** What the session door shares with its parts. */
type Door = {
  read<T extends z.ZodType>(schema: T, body: unknown): z.output<T>;
  visitor(request: FastifyRequest): Omit<Visitor, 'browser' | 'session'>;
  byLink<T>(request: FastifyRequest, use: () => Promise<T>): Promise<T>;
};

const text = (max: number) =>
  z
    .string(problem('parameter.not_a_string'))
    .max(max, problem('parameter.too_long', { count: max }))
    .refine((value) => !value.includes('\0'), problem('parameter.nul'));

const purposes = { 'sign-in': 'sign in', connect: 'connect', confirm: 'confirm' } as const;
const choices = Object.keys(purposes) as [keyof typeof purposes];

const bodies = {
  begin: z.strictObject({
    provider: text(40),
    purpose: z.enum(choices, problem('parameter.not_one_of', { choices: choices.join(', ') })).default('sign-in'),
    to: text(2_000).default('/'),
  }),
  end: z.strictObject({ provider: text(40), search: text(8_000) }),
  password: z.strictObject({ password: text(1_000), totp: text(40).optional() }),
  link: z.strictObject({ token: text(200).min(1, problem('parameter.empty')) }),
};

export function addProviderRoutes(door: FastifyInstance, app: App, { read, visitor, byLink }: Door) {
  const visitorOf = (request: FastifyRequest): Visitor => ({
    ...visitor(request),
    browser: providerTokenOf(app, request),
    session: sessionTokenOf(app, request),
  });

  door.get('/session/providers', async () => ({
    password: app.config.passwordSignIn === 'yes',
    passkeys: relyingPartyOf(app) !== undefined,
    providers: app.config.oidcProviders.map(({ id, label }) => ({ id, label })),
  }));

  door.post('/session/provider', async (request, reply) => {
    const { provider, purpose, to } = read(bodies.begin, request.body);
    const { url, browser } = await beginAtProvider(
      app,
      { provider, purpose: purposes[purpose], to },
      visitorOf(request),
    );
    return setProviderCookie(app, reply, browser, attemptMinutes).send({ url });
  });

  door.post('/session/provider/end', async (request, reply) => {
    const entered = await endAtProvider(app, read(bodies.end, request.body), visitorOf(request));
    if (entered.kind === 'password') return reply.send({ password: true, email: entered.email });
    return reply.send(signedIn(entered, (token) => setSessionCookie(app, reply, token)));
  });

  door.post('/session/provider/password', async (request, reply) => {
    const given = read(bodies.password, request.body);
    const entered = await enterPassword(app, given, visitorOf(request));
    if (entered === 'code wanted') {
      const wanted = fault('SIGN_IN_FAILED', given.totp ? 'session.code_wrong' : 'session.code_needed');
      return reply
        .code(wanted.status)
        .send({ ...faultBody(wanted, languageOf(request.headers['accept-language'])), totp: true });
    }
    clearProviderCookie(app, reply);
    return reply.send(signedIn(entered, (token) => setSessionCookie(app, reply, token)));
  });

  door.post('/session/link', async (request, reply) => {
    const { token } = read(bodies.link, request.body);
    const made = await byLink(request, () => signInByLink(app, token, visitor(request)));
    return setSessionCookie(app, reply, made).send({});
  });
}

function signedIn(entered: Entered, keep: (token: string) => void): { to: string } {
  if (entered.kind === 'password') return { to: '/' };
  if (entered.token !== undefined) keep(entered.token);
  return { to: entered.to };
}
