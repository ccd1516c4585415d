// Signing in by a passkey, as part of the session door, and confirming a session by one: the browser gets a challenge, and posts
// what the passkey signed.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { From } from '../../accounts/access/session.ts';
import { challengeMinutes } from '../../accounts/passkeys/challenge.ts';
import {
  beginWithPasskey,
  confirmByPasskey,
  type PasskeyVisitor,
  signInByPasskey,
} from '../../accounts/passkeys/passkey-sign-in.ts';
import type { App } from '../../base/context.ts';
import { problem } from '../../method/params.ts';
import {
  browserTokenOf,
  passkeyTokenOf,
  sessionTokenOf,
  setBrowserCookie,
  setPasskeyCookie,
  setSessionCookie,
} from '../admission/session-cookie.ts';

/** What the session door shares with its parts. */
type Door = {
  read<T extends z.ZodType>(schema: T, body: unknown): z.output<T>;
  visitor(request: FastifyRequest): From;
};

const text = (max: number) =>
  z
    .string(problem('parameter.not_a_string'))
    .max(max, problem('parameter.too_long', { count: max }))
    .refine((value) => !value.includes('\0'), problem('parameter.nul'));

const bodies = {
  begin: z.strictObject({
    purpose: z
      .enum(['sign-in', 'confirm'], problem('parameter.not_one_of', { choices: 'sign-in, confirm' }))
      .default('sign-in'),
  }),
  signIn: z.strictObject({ response: text(12_000), email: text(320).optional() }),
  confirm: z.strictObject({ response: text(12_000) }),
};

export function addPasskeyRoutes(door: FastifyInstance, app: App, { read, visitor }: Door) {
  const visitorOf = (request: FastifyRequest): PasskeyVisitor => ({
    ...visitor(request),
    attempt: passkeyTokenOf(app, request),
    browser: browserTokenOf(app, request),
    session: sessionTokenOf(app, request),
  });

  door.post('/session/passkey/begin', async (request, reply) => {
    const { purpose } = read(bodies.begin, request.body);
    const begun = await beginWithPasskey(app, purpose === 'confirm' ? 'confirm' : 'sign in', visitorOf(request));
    return setPasskeyCookie(app, reply, begun.attempt, challengeMinutes).send(begun.options);
  });

  door.post('/session/passkey', async (request, reply) => {
    const { token, browser } = await signInByPasskey(app, read(bodies.signIn, request.body), visitorOf(request));
    setSessionCookie(app, reply, token);
    return setBrowserCookie(app, reply, browser).send({});
  });

  door.post('/session/passkey/confirm', async (request, reply) => {
    const { response } = read(bodies.confirm, request.body);
    await confirmByPasskey(app, response, visitorOf(request));
    return reply.send({});
  });
}
