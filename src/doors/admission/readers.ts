// Who may read the API reference and the documentation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../accounts/keys/authenticate.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sessionTokenOf } from './session-cookie.ts';

/** Where details are not public, reference and documentation are for signed-in users. */
export function hideReference(app: App) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (app.config.publicDetails === 'yes') return;
    const token = sessionTokenOf(app, request);
    const isSignedIn =
      token !== undefined &&
      (await authenticate(app, { kind: 'session', token, ip: request.ip }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Fault) return false;
          throw error;
        },
      ));
    if (!isSignedIn) reply.callNotFound();
  };
}
