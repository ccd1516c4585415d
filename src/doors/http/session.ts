// Signing in and out: JSON requests, with the session in a cookie. Apart from /api, because the caller has no session yet;
// everything a signed-in user does is a method.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  attemptLimits,
  callerName,
  recordSignIn,
  takeAttempt,
  tooManyAttempts,
  uncountBegun,
} from '../../accounts/access/attempts.ts';
import { endSession, type From } from '../../accounts/access/session.ts';
import { signOutAddress } from '../../accounts/oidc/provider-sign-in.ts';
import { firstRunNeeded } from '../../accounts/people/placeholder.ts';
import { needPasswordSignIn } from '../../accounts/sign-in/emergency-link.ts';
import { askForReset, setPasswordByLink } from '../../accounts/sign-in/password-link.ts';
import { signIn } from '../../accounts/sign-in/sign-in.ts';
import type { App } from '../../base/context.ts';
import { Fault, fault, faultBody } from '../../base/faults.ts';
import { languageOf, type Message, message, renderMessage } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { isUnavailable } from '../../db/connect.ts';
import { languages } from '../../locales/languages.ts';
import { problem } from '../../method/params.ts';
import { readValue } from '../../method/read-value.ts';
import { addBodyReader, headRefusal } from '../admission/bodies.ts';
import { originOf } from '../admission/request-origin.ts';
import {
  browserTokenOf,
  clearSessionCookie,
  sessionTokenOf,
  setBrowserCookie,
  setSessionCookie,
} from '../admission/session-cookie.ts';
import { completeFirstRun, isFirstRunLink } from './first-run.ts';
import { addInvitationRoutes, type InvitationDoor } from './invitation-routes.ts';
import { addPasskeyRoutes } from './passkey-routes.ts';
import { addProviderRoutes } from './provider-routes.ts';

const string = (max: number) =>
  z.string(problem('parameter.not_a_string')).max(max, problem('parameter.too_long', { count: max }));
const line = (max: number) => string(max).regex(/^[^\p{Cc}]*$/u, problem('parameter.control_characters'));
const lines = (max: number) => string(max).refine((value) => !value.includes('\0'), problem('parameter.nul'));
const password = string(1_000);
const token = string(200).min(1, problem('parameter.empty'));

const bodies = {
  signIn: z.strictObject({ email: lines(320), password, totp: string(40).optional() }),
  firstRunLink: z.strictObject({ token }),
  firstRun: z.strictObject({
    token,
    email: line(254),
    name: line(200),
    password,
    company: line(200).default(''),
    postal_address: lines(1_000).default(''),
    sender_name: line(200).default(''),
    website: line(500).default(''),
    language: z
      .enum(languages as [string, ...string[]], problem('parameter.not_one_of', { choices: languages.join(', ') }))
      .optional(),
    time_zone: string(100).refine(isZone, problem('parameter.not_a_time_zone')).optional(),
  }),
  forgotten: z.strictObject({ email: lines(320) }),
  reset: z.strictObject({ token, password }),
};

export function addSessionDoor(server: FastifyInstance, app: App) {
  server.register(async (door) => {
    // A foreign page cannot send this type without a preflight request, which we never allow.
    addBodyReader(door, app, { maxBytes: 16_384, type: 'application/json', as: (body) => body.toString('utf8') });
    door.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
      reply.header('cache-control', 'no-store');
      if (error instanceof Fault) return refuse(request, reply, error);
      if (isUnavailable(error))
        return refuse(request, reply, new Fault('UNAVAILABLE', message('call.database_unreachable'), 5));
      const status = error.statusCode ?? 500;
      if (status >= 500) app.log.error({ err: error, path: request.routeOptions.url }, 'request failed');
      const text = requestProblem(status);
      return reply.code(status).send({
        error: renderMessage(text, languageFor(request)),
        code: status >= 500 ? -32603 : -32600,
        text,
      });
    });
    door.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (request.method !== 'GET' && originOf(app, request.headers) === 'foreign')
        throw fault('NOT_ALLOWED', 'door.own_pages_only');
    });

    door.post('/session', async (request, reply) => {
      needPasswordSignIn(app);
      const given = { ...read(bodies.signIn, request.body), browser: browserTokenOf(app, request) };
      const outcome = await signIn(app, given, fromOf(request));
      if (outcome.kind === 'wait') throw tooManyAttempts(outcome.seconds);
      if (outcome.kind === 'in') {
        // The page of the sign-in has begun one by passkey, for browsers that offer it.
        await uncountBegun(app.db, request.ip);
        setSessionCookie(app, reply, outcome.token);
        return setBrowserCookie(app, reply, outcome.browser).send({});
      }
      if (outcome.kind === 'wrong') throw fault('SIGN_IN_FAILED', 'session.wrong');
      const wrongCode = fault('SIGN_IN_FAILED', outcome.given ? 'session.code_wrong' : 'session.code_needed');
      return reply.code(wrongCode.status).send({ ...faultBody(wrongCode, languageFor(request)), totp: true });
    });

    door.delete('/session', async (request, reply) => {
      const session = sessionTokenOf(app, request);
      const url = session && (await signOutAddress(app, session));
      if (session) await endSession(app.db, session);
      return clearSessionCookie(app, reply).send({ ...(url && { url }) });
    });

    addPasskeyRoutes(door, app, { read, visitor: fromOf });
    addProviderRoutes(door, app, {
      read,
      visitor: fromOf,
      byLink: async (request, use) => {
        await count(app, request, 'link');
        return byLink(app, request.ip, 'link', use);
      },
    });

    addInvitationRoutes(door, app, invitationDoor(app), { token, name: line(200), password });

    door.get('/session/first-run', async () => ({ needed: await firstRunNeeded(app.db) }));

    // Before anything is typed into its page. The token is in the body, which no log has.
    door.post('/session/first-run/link', async (request) => {
      await count(app, request, 'first run');
      return { valid: await isFirstRunLink(app.db, read(bodies.firstRunLink, request.body).token) };
    });

    door.post('/session/first-run', async (request, reply) => {
      await count(app, request, 'first run');
      const made = await byLink(app, request.ip, 'first run', () =>
        completeFirstRun(app.db, read(bodies.firstRun, request.body), fromOf(request)),
      );
      return setSessionCookie(app, reply, made).send({});
    });

    door.post('/session/forgotten', async (request, reply) => {
      needPasswordSignIn(app);
      await count(app, request, 'forgotten');
      const { email } = read(bodies.forgotten, request.body);
      await askForReset(app.db, email);
      recordSignIn(app, { ip: request.ip, outcome: 'link requested', by: 'link', email });
      return reply.send({});
    });

    door.post('/session/reset', async (request, reply) => {
      needPasswordSignIn(app);
      await count(app, request, 'reset');
      await byLink(app, request.ip, 'link', () =>
        setPasswordByLink(app.db, read(bodies.reset, request.body), request.ip),
      );
      return clearSessionCookie(app, reply).send({});
    });
  });
}

/** What the routes of invitations use of this door. */
const invitationDoor = (app: App): InvitationDoor => ({
  read,
  visitor: fromOf,
  count: (request) => count(app, request, 'invitation'),
  byLink: (request, use) => byLink(app, request.ip, 'link', use),
});

/** Uses a link, and records whether it was good. */
async function byLink<T>(app: App, ip: string, by: 'link' | 'first run', use: () => Promise<T>): Promise<T> {
  try {
    const result = await use();
    recordSignIn(app, { ip, outcome: 'link used', by });
    return result;
  } catch (error) {
    if (error instanceof Fault && error.fault === 'LINK_EXPIRED')
      recordSignIn(app, { ip, outcome: 'link expired', by });
    throw error;
  }
}

/** @throws Fault TOO_MANY_CALLS */
async function count(app: App, request: FastifyRequest, what: string): Promise<void> {
  const seconds = await takeAttempt(app.db, `${what} ${callerName(request.ip)}`, attemptLimits.byCaller);
  if (seconds !== undefined) throw tooManyAttempts(seconds);
}

function refuse(request: FastifyRequest, reply: FastifyReply, fault: Fault) {
  return headRefusal(request, reply, fault)
    .code(fault.status)
    .send(faultBody(fault, languageFor(request)));
}

/** What is wrong with a request that Fastify rejected, by its HTTP status. */
function requestProblem(status: number): Message {
  if (status >= 500) return message('door.internal');
  if (status === 413) return message('door.body_too_large');
  return message(status === 415 ? 'door.json_only' : 'door.bad_request');
}

/** @throws Fault NOT_WELL_FORMED, INVALID_PARAMETER; the text never repeats a value, which may be a password */
function read<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(typeof body === 'string' && body !== '' ? body : '{}');
  } catch {
    throw fault('NOT_WELL_FORMED', 'door.not_json');
  }
  return readValue(schema, value);
}

const languageFor = (request: FastifyRequest) => languageOf(request.headers['accept-language']);

const fromOf = (request: FastifyRequest): From => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
});
