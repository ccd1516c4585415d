// The web process: one HTTP server with the doors, the pages and the health answers.
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance } from 'fastify';
import { addEventsDoor } from './api/events-door.ts';
import { addDoors } from './api/http.ts';
import { addSessionDoor } from './api/session-door.ts';
import { addTransfers } from './api/transfers.ts';
import type { App } from './context.ts';
import { sql } from './db/connect.ts';
import { heldReason } from './jobs/sending-guard.ts';
import { addPages } from './pages/routes.ts';
import { version } from './version.ts';

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
      .send(status >= 500 ? 'Something failed inside.\n' : `${error.message}\n`);
  });
  server.get('/health', async () => ({ status: 'ok', version }));
  server.get('/ready', async (_request, reply) => {
    const state = await readiness(app);
    return reply.code(state.database ? 200 : 503).send(state);
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
    const row = await app.db.row<{ count: number }>(sql`select count(*) as count from worker where ended_at is null`);
    const reason = await heldReason(app.db);
    return { database: true, workers: row?.count ?? 0, sending: reason === '' ? 'on' : 'held', reason };
  } catch {
    return { database: false, workers: 0, sending: 'on', reason: '' };
  }
}
