// GET /events: server-sent events for our own pages. `progress` reports a campaign in progress, immediately and whenever it
// changes; `end` reports that the session is over. A comment every 15 s keeps proxies from closing the connection.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../accounts/keys/authenticate.ts';
import { mayDo } from '../accounts/keys/permissions.ts';
import type { App } from '../base/context.ts';
import { Fault, fault, faultBody } from '../base/faults.ts';
import { languageOf, type MessageLanguage, message, messageLanguages } from '../base/messages.ts';
import { ProgressFeed } from '../delivery/progress/feed.ts';
import { originOf } from './admission/request-origin.ts';
import { sessionTokenOf } from './admission/session-cookie.ts';

const heartbeatMs = 15_000;
/** A user may have several tabs open; a page that opens streams without end has a bug. */
const maxPerSession = 20;
/** A connection with more unread bytes is closed. */
const maxUnreadBytes = 1_000_000;

export function addEventsDoor(server: FastifyInstance, app: App) {
  const feed = new ProgressFeed(app);
  const open = new Map<number, number>();
  server.addHook('preClose', async () => feed.stop());

  server.get('/events', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      if (originOf(app, request.headers) === 'foreign') throw fault('NOT_ALLOWED', 'door.own_pages_only');
      const { account, caller } = await authenticate(app, {
        kind: 'session',
        token: sessionTokenOf(app, request) ?? '',
        ip: request.ip,
      });
      if (caller.kind !== 'user') throw fault('NOT_ALLOWED', 'door.user_only');
      if (!mayDo(caller, 'campaigns:read'))
        throw fault('NOT_ALLOWED', 'door.missing_permission', { scope: 'campaigns:read' });
      const { sessionId, userId } = caller;
      if ((open.get(sessionId) ?? 0) >= maxPerSession)
        throw new Fault('TOO_MANY_CALLS', message('door.too_many_streams'), 5);

      open.set(sessionId, (open.get(sessionId) ?? 0) + 1);
      reply.hijack();
      const { raw } = reply;
      const write = (text: string) => {
        if (raw.writableLength > maxUnreadBytes) raw.destroy();
        else if (!raw.destroyed) raw.write(text);
      };
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // Otherwise nginx buffers the stream.
        'x-accel-buffering': 'no',
      });
      write('retry: 3000\n\n');
      const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs);
      const unwatch = feed.watch({
        accountId: account.id,
        userId,
        sessionId,
        language: languageFor(request),
        send: (progress) => write(`event: progress\ndata: ${JSON.stringify(progress)}\n\n`),
        end: () => {
          write('event: end\ndata: {}\n\n');
          raw.end();
        },
      });
      raw.once('close', () => {
        clearInterval(heartbeat);
        unwatch();
        const left = (open.get(sessionId) ?? 1) - 1;
        if (left > 0) open.set(sessionId, left);
        else open.delete(sessionId);
      });
      return reply;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
      return reply.code(error.status).send(faultBody(error, languageFor(request)));
    }
  });
  return feed;
}

/** The page names its language, which may differ from the browser's. */
function languageFor({ query, headers }: FastifyRequest): MessageLanguage {
  const { language } = query as { language?: unknown };
  return messageLanguages.find((supported) => supported === language) ?? languageOf(headers['accept-language']);
}
