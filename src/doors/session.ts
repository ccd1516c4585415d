// The addresses of signing in: JSON in, JSON out, the session in a cookie. Beside /api, because they are for people
// without a session yet; everything a person does after that is a method.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerName, takeTry, tryLimits } from '../accounts/sign-in/attempts.ts';
import { completeFirstRun, firstRunNeeded } from '../accounts/sign-in/first-run.ts';
import { askForReset, setPasswordByLink } from '../accounts/sign-in/password-link.ts';
import { endSession, type From } from '../accounts/sign-in/session.ts';
import { signIn } from '../accounts/sign-in/sign-in.ts';
import type { App } from '../base/context.ts';
import { Fault, faultBody } from '../base/faults.ts';
import { languageOf, message } from '../base/messages.ts';
import { isZone } from '../base/zones.ts';
import { isUnavailable } from '../db/connect.ts';
import { languages } from '../locales/text.ts';
import { pageOf, sessionCookie, sessionTokenOf, setSessionCookie } from './same-origin.ts';

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}]*$/u, 'holds control characters');
const lines = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !value.includes('\0'), 'holds a NUL');
const password = z.string().max(1_000);
const token = z.string().min(1).max(200);

const bodies = {
  signIn: z.strictObject({ email: lines(320), password, totp: z.string().max(40).optional() }),
  firstRun: z.strictObject({
    token,
    email: line(254),
    name: line(200),
    password,
    company: line(200),
    postal_address: lines(1_000),
    sender_name: line(200).default(''),
    website: line(500).default(''),
    language: z.enum(languages as [string, ...string[]]).optional(),
    time_zone: z.string().refine(isZone, 'is not a time zone').optional(),
  }),
  forgotten: z.strictObject({ email: lines(320) }),
  reset: z.strictObject({ token, password }),
};

const wrongSignIn = 'The address, the password or the code is wrong';

export function addSessionDoor(server: FastifyInstance, app: App) {
  server.register(async (door) => {
    door.removeAllContentTypeParsers();
    // A form of a foreign page cannot send this type without asking first, which we never allow.
    door.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: 16_384 }, (_request, body, done) =>
      done(null, body),
    );
    door.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
      reply.header('cache-control', 'no-store');
      if (error instanceof Fault) return refuse(request, reply, error);
      if (isUnavailable(error))
        return refuse(request, reply, new Fault('UNAVAILABLE', message('call.database_unreachable'), 5));
      const status = error.statusCode ?? 500;
      if (status >= 500) app.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
      return reply.code(status).send({
        error: status >= 500 ? 'Internal error' : error.message,
        code: status >= 500 ? -32603 : -32600,
      });
    });
    door.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (request.method !== 'GET' && pageOf(app, request.headers) === 'foreign')
        throw new Fault('NOT_ALLOWED', 'This can be asked by our own pages only');
    });

    door.post('/session', async (request, reply) => {
      const outcome = await signIn(app, read(bodies.signIn, request.body), fromOf(request));
      if (outcome.kind === 'wait') throw tooMany(outcome.seconds);
      if (outcome.kind === 'in') return setSessionCookie(app, reply, outcome.token).send({});
      const wrong = new Fault('SIGN_IN_FAILED', wrongSignIn);
      if (outcome.kind === 'wrong') throw wrong;
      const error = outcome.given
        ? 'The code is wrong or was used before'
        : 'A code of the second factor is needed too';
      return reply.code(401).send({ error, code: wrong.code, totp: true });
    });

    door.delete('/session', async (request, reply) => {
      const session = sessionTokenOf(request);
      if (session) await endSession(app.db, session);
      return reply.clearCookie(sessionCookie, { path: '/' }).send({});
    });

    door.get('/session/first-run', async () => ({ needed: await firstRunNeeded(app.db) }));

    door.post('/session/first-run', async (request, reply) => {
      await count(app, request, 'first run');
      const made = await completeFirstRun(app.db, read(bodies.firstRun, request.body), fromOf(request));
      return setSessionCookie(app, reply, made).send({});
    });

    door.post('/session/forgotten', async (request, reply) => {
      await count(app, request, 'forgotten');
      await askForReset(app.db, read(bodies.forgotten, request.body).email);
      return reply.send({});
    });

    door.post('/session/reset', async (request, reply) => {
      await count(app, request, 'reset');
      await setPasswordByLink(app.db, read(bodies.reset, request.body), request.ip);
      return reply.clearCookie(sessionCookie, { path: '/' }).send({});
    });
  });
}

/** @throws Fault TOO_MANY_CALLS */
async function count(app: App, request: FastifyRequest, what: string): Promise<void> {
  const seconds = await takeTry(app.db, `${what} ${callerName(request.ip)}`, tryLimits.byCaller);
  if (seconds !== undefined) throw tooMany(seconds);
}

const tooMany = (seconds: number) =>
  new Fault('TOO_MANY_CALLS', `Too many tries; try again in ${Math.ceil(seconds / 60)} minutes`, seconds);

function refuse(request: FastifyRequest, reply: FastifyReply, fault: Fault) {
  if (fault.retryAfter !== undefined) reply.header('retry-after', fault.retryAfter);
  return reply.code(fault.status).send(faultBody(fault, languageOf(request.headers['accept-language'])));
}

/** @throws Fault NOT_WELL_FORMED, INVALID_PARAMETER; what was given, which may be a password, is not repeated */
function read<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(typeof body === 'string' && body !== '' ? body : '{}');
  } catch {
    throw new Fault('NOT_WELL_FORMED', 'The body is not JSON');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const member = issue!.code === 'unrecognized_keys' ? issue!.keys[0]! : issue!.path.join('.');
  throw new Fault(
    'INVALID_PARAMETER',
    `${String(member || 'The body').slice(0, 100)}: ${issue!.code === 'unrecognized_keys' ? 'is not a known parameter' : issue!.message}`,
  );
}

const fromOf = (request: FastifyRequest): From => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
});
