// The web process: one HTTP server with the doors, the pages and the health answers.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from './base/context.ts';
import { version } from './base/version.ts';
import { createMetrics, liveWorkers } from './delivery/progress/metrics.ts';
import { addEventsDoor } from './doors/events.ts';
import { addDoors } from './doors/http.ts';
import { addSessionDoor } from './doors/session.ts';
import { addTransfers } from './doors/transfers.ts';
import { foreseenReason } from './jobs/sending-guard.ts';
import { addPages } from './pages/routes.ts';

export type Web = { url: string; close(): Promise<void> };

/** Starts the server; resolves when it answers. */
export async function startWeb(app: App): Promise<Web> {
  const server = await createServer(app);
  await server.listen({ port: app.config.port, host: app.config.host });
  const address = server.server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${host}:${address.port}`, close: () => server.close() };
}

export async function createServer(app: App): Promise<FastifyInstance> {
  const server = Fastify({
    logger: false,
    trustProxy: app.config.trustProxy.length > 0 ? app.config.trustProxy : false,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false },
    // A slow sender of headers or body holds a socket, not a call.
    requestTimeout: 60_000,
    keepAliveTimeout: 30_000,
    connectionTimeout: 120_000,
    forceCloseConnections: true,
    return503OnClosing: false,
  });
  server.server.headersTimeout = 10_000;
  await server.register(cookie);
  server.addHook('onRequest', async (_request, reply) => {
    reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('x-frame-options', 'SAMEORIGIN');
  });
  server.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) app.log.error({ err: error, path: request.url.split('?')[0] }, 'request failed');
    return reply
      .code(status)
      .type('text/plain; charset=utf-8')
      .send(status >= 500 ? 'Internal error.\n' : `${error.message}\n`);
  });
  const nothing = (reply: FastifyReply) =>
    reply.code(404).type('text/plain; charset=utf-8').send('There is nothing here.\n');
  server.setNotFoundHandler(async (_request, reply) => nothing(reply));
  server.get('/health', async () => ({ status: 'ok', version }));
  server.get('/ready', async (_request, reply) => {
    const state = await readiness(app);
    // A copy whose sending is held has no worker by intent.
    const ready = state.database && (state.workers > 0 || state.sending === 'held');
    return reply.code(ready ? 200 : 503).send(state);
  });
  const metrics = createMetrics(app);
  server.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) =>
    metrics.answered({ method, route: routeOptions.url ?? 'none', status: statusCode, seconds: elapsedTime / 1_000 }),
  );
  server.get('/metrics', async (request, reply) => {
    if (!mayRead(app, request)) return nothing(reply);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
  addDoors(server, app, version);
  addSessionDoor(server, app);
  addEventsDoor(server, app);
  addTransfers(server, app);
  addPages(server, app);
  return server;
}

type Readiness = { database: boolean; workers: number; sending: 'on' | 'held'; reason: string };

async function readiness(app: App): Promise<Readiness> {
  try {
    const workers = await liveWorkers(app.db);
    const reason = await foreseenReason(app.db, app.config.dataDir);
    return { database: true, workers, sending: reason === '' ? 'on' : 'held', reason };
  } catch {
    return { database: false, workers: 0, sending: 'on', reason: '' };
  }
}

/** This machine itself, or whoever has the token. What a proxy on this machine passes on is not of this machine. */
function mayRead({ config }: App, request: FastifyRequest): boolean {
  const given = createHash('sha256')
    .update(request.headers.authorization ?? '')
    .digest();
  const wanted = createHash('sha256').update(`Bearer ${config.metricsToken}`).digest();
  if (config.metricsToken !== '' && timingSafeEqual(given, wanted)) return true;
  const passedOn = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  return !passedOn && /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
}
