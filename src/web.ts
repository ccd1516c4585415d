// The web process: one HTTP server with the API doors, the pages, health checks and metrics.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isMoving } from './accounts/account/moves.ts';
import { publicUrl, recordPublicUrl } from './accounts/installation/public-url.ts';
import { recordSealCheck } from './accounts/installation/seal-check.ts';
import { recordCell } from './accounts/keys/key.ts';
import { isLoopback, isThisMachine } from './base/client-network.ts';
import type { App } from './base/context.ts';
import { listenProblem } from './base/listen-problem.ts';
import { message, renderMessage } from './base/messages.ts';

import { publicPath, routedPath } from './base/public-paths.ts';
import { version } from './base/version.ts';
import { isReadOnly, isUnavailable, needWritable, retrySeconds } from './db/connect.ts';
import { createMetrics } from './delivery/progress/metrics.ts';
import { clientAddress, isForwarded, proxyList } from './doors/admission/client-address.ts';
import { limitConnections } from './doors/admission/connections.ts';
import { reportUnknownProxies } from './doors/admission/unknown-proxies.ts';
import { addEventsDoor } from './doors/events.ts';
import { addFileTransfers } from './doors/file-transfers.ts';
import { addDoors } from './doors/http/http.ts';
import { addSessionDoor } from './doors/http/session.ts';
import { addAutomationWebhooks } from './doors/incoming/automation-webhooks.ts';
import { addNotices } from './doors/incoming/notices.ts';
import { addReceivedWebhooks } from './doors/incoming/received-webhooks.ts';
import { addMcpDoor } from './doors/mcp/door.ts';
import { addMoved } from './doors/moved.ts';
import { diskMessage, fullDisks, stopsSending } from './jobs/full-disks.ts';
import { predictHold } from './jobs/sending-guard.ts';
import { liveWorkers } from './jobs/worker-presence.ts';
import { addPages } from './pages/routes.ts';
import { hostLimits } from './pages/tracking-hosts.ts';
import { addRequestSpans } from './telemetry/request-spans.ts';

export type Web = { url: string; close(): Promise<void> };

/** Starts the server; resolves when it is listening. */
export async function startWeb(app: App): Promise<Web> {
  const server = await createServer(app);
  const { host, port } = app.config;
  await server.listen({ port, host }).catch((error) => {
    throw listenProblem(error, { host, port }, { host: 'HOST', port: 'PORT' });
  });
  // `serve` does it too, but this process may run without it.
  await recordPublicUrl(app.db, await publicUrl(app.db, app.config));
  await recordSealCheck(app.db, app);
  await recordCell(app.db, app.config.cell);
  const address = server.server.address() as AddressInfo;
  const urlHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${urlHost}:${address.port}`, close: () => server.close() };
}

export async function createServer(app: App): Promise<FastifyInstance> {
  const notFound = (reply: FastifyReply) => reply.code(404).type('text/plain; charset=utf-8').send('Not found\n');
  const server = Fastify({
    logger: false,
    // The path of BASE_URL ends here: nothing behind it knows of it.
    rewriteUrl: ({ url }) => routedPath(app, url ?? '/'),
    // A path that cannot be decoded names nothing here.
    frameworkErrors: (_error, _request, reply) => notFound(reply),
    // For X-Forwarded-Proto and -Host; the address of the client is set below.
    trustProxy: app.config.trustProxy.length > 0 ? app.config.trustProxy : false,
    // The token of an email to many lists is longer than the usual 100 characters.
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 1_000 },
    // A client that sends its headers or body slowly occupies a socket, not a call.
    requestTimeout: 60_000,
    // Longer than those of load balancers: a request that meets the end of its connection is lost.
    keepAliveTimeout: app.config.keepAliveSeconds * 1_000,
    connectionTimeout: 120_000,
    forceCloseConnections: true,
    return503OnClosing: false,
    // Node.js looks for late headers this often; its default is 30 s.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
  });
  const isOtherHosts = hostLimits(app);
  const moved = addMoved(server, app);
  limitConnections(server.server);
  await server.register(cookie);
  server.decorate('publicPath', (path: `/${string}`) => publicPath(app, path));
  const isProxy = proxyList(app.config.trustProxy);
  const reportProxy = reportUnknownProxies(app.log, isProxy);
  server.addHook('onRequest', async (request, reply) => {
    Object.defineProperty(request, 'ip', { value: clientAddress(request, isProxy) });
    reportProxy(request);
    reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('x-frame-options', 'SAMEORIGIN');
    // A year. Browsers ignore it over plain http, so it is harmless on another address of this server.
    if (app.baseUrl.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000');
    // PostgreSQL has no NUL in texts, so no such path can exist.
    if (request.url.split('?', 1)[0]!.includes('%00')) return notFound(reply);
    if (await isOtherHosts(request)) return notFound(reply);
  });
  server.setErrorHandler(async (error: Error & { statusCode?: number }, request, reply) => {
    if (isUnavailable(error))
      return reply
        .code(503)
        .header('retry-after', retrySeconds)
        .type('text/plain; charset=utf-8')
        .send('The database cannot be used now; try again\n');
    // An account was fenced after the request had begun.
    if (isMoving(error)) {
      if (await moved.answer(request, reply)) return reply;
      return reply.code(503).header('retry-after', retrySeconds).type('text/plain; charset=utf-8').send('Try again\n');
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) app.log.error({ err: error, path: request.url.split('?')[0] }, 'request failed');
    return reply
      .code(status)
      .type('text/plain; charset=utf-8')
      .send(status >= 500 ? 'Internal error\n' : `${error.message}\n`);
  });
  server.setNotFoundHandler(async (_request, reply) => notFound(reply));
  const hasDetails = app.config.publicDetails === 'yes';
  server.get('/health', async () => ({ status: 'ok', ...(hasDetails && { version }) }));
  server.get('/ready', async (_request, reply) => {
    const state = await readiness(app);
    // While sending is held, having no worker is intended.
    const ready = state.database && (state.workers > 0 || state.sending === 'held');
    return reply.code(ready ? 200 : 503).send({ ...state, reason: hasDetails ? state.reason : '' });
  });
  const metrics = createMetrics(app);
  app.telemetry?.pushMetrics(metrics.values);
  addRequestSpans(server);
  server.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) =>
    metrics.answered({ method, route: routeOptions.url ?? 'none', status: statusCode, seconds: elapsedTime / 1_000 }),
  );
  server.get('/metrics', async (request, reply) => {
    if (!mayRead(app, request)) return notFound(reply);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
  addDoors(server, app, version);
  addSessionDoor(server, app);
  addEventsDoor(server, app);
  addFileTransfers(server, app);
  addMcpDoor(server, app);
  addNotices(server, app);
  addAutomationWebhooks(server, app);
  addReceivedWebhooks(server, app);
  addPages(server, app);
  return server;
}

/** waiting: nothing is sent because a disk is full or the database is read-only. */
type Readiness = { database: boolean; workers: number; sending: 'on' | 'waiting' | 'held'; reason: string };

async function readiness(app: App): Promise<Readiness> {
  try {
    await needWritable(app.db);
    const workers = await liveWorkers(app.db);
    const reason = await predictHold(app.db, app.config.dataDir);
    const full = await fullDisks(app.db);
    const reasons = [reason, ...full.map((disk) => renderMessage(diskMessage(disk)))].filter((one) => one !== '');
    const sending = reason !== '' ? 'held' : full.some(stopsSending) ? 'waiting' : 'on';
    return { database: true, workers, sending, reason: reasons.join('; ') };
  } catch (error) {
    if (isReadOnly(error))
      return { database: false, workers: 0, sending: 'waiting', reason: renderMessage(message('disk.read_only')) };
    return { database: false, workers: 0, sending: 'on', reason: '' };
  }
}

/**
 * Any client with the token, or this machine where BASE_URL is its own: a proxy in front of a public address may forward
 * requests without a trace of it. A page in a browser here may give its own host name the address of this machine, so the
 * name counts as well.
 */
function mayRead({ config, baseUrl }: App, request: FastifyRequest): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const authorization = digest(request.headers.authorization ?? '');
  const expected = digest(`Bearer ${config.metricsToken}`);
  if (config.metricsToken !== '' && timingSafeEqual(authorization, expected)) return true;
  const isPublic = !isThisMachine(new URL(baseUrl).hostname) || !isThisMachine(request.hostname);
  return !isPublic && !isForwarded(request) && isLoopback(request.socket.remoteAddress);
}
