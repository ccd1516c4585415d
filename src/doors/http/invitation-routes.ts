// The page of an invitation: what it invites to, and joining with a name and a password. The token is in the body, which no
// log has.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { From } from '../../accounts/access/session.ts';
import { invitationOf } from '../../accounts/people/invitation.ts';
import { needPasswordSignIn } from '../../accounts/sign-in/emergency-link.ts';
import { joinByLink } from '../../accounts/sign-in/password-link.ts';
import type { App } from '../../base/context.ts';
import { setSessionCookie } from '../admission/session-cookie.ts';

export type InvitationDoor = {
  read<T>(schema: z.ZodType<T>, body: unknown): T;
  visitor(request: FastifyRequest): From;
  /** Counts an attempt of the client. */
  count(request: FastifyRequest): Promise<void>;
  byLink<T>(request: FastifyRequest, use: () => Promise<T>): Promise<T>;
};

export function addInvitationRoutes(
  door: FastifyInstance,
  app: App,
  { read, visitor, count, byLink }: InvitationDoor,
  fields: { token: z.ZodType<string>; name: z.ZodType<string>; password: z.ZodType<string> },
): void {
  const { token, name, password } = fields;
  const bodies = { link: z.strictObject({ token }), join: z.strictObject({ token, name, password }) };

  // Of a wrong token it says no more than of one that was used.
  door.post('/session/invitation', async (request) => {
    await count(request);
    const invitation = await invitationOf(app.db, read(bodies.link, request.body).token);
    return invitation ? { valid: true, ...invitation } : { valid: false };
  });

  door.post('/session/invitation/join', async (request, reply) => {
    needPasswordSignIn(app);
    await count(request);
    const given = read(bodies.join, request.body);
    const session = await byLink(request, () => joinByLink(app.db, given, visitor(request)));
    if (session !== undefined) setSessionCookie(app, reply, session);
    return reply.send({ signed_in: session !== undefined });
  });
}
