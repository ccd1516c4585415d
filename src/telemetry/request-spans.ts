// A span for each request to the web process. Only the pattern of the path is noted: paths contain tokens.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { startSpan } from '../base/spans.ts';

/** Requested every few seconds. Files (routes that end in "*") are not traced either. */
const untraced = new Set(['/health', '/ready', '/metrics']);

export function addRequestSpans(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, NonNullable<ReturnType<typeof startSpan>>>();
  server.addHook('onRequest', async (request) => {
    const { method, headers } = request;
    const route = request.routeOptions.url ?? 'none';
    if (untraced.has(route) || route.endsWith('*')) return;
    const { traceparent } = headers;
    const span = startSpan(`${method} ${route}`, {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'url.scheme': request.protocol },
      cause: typeof traceparent === 'string' ? traceparent : undefined,
    });
    if (span) spans.set(request, span);
  });
  // Not earlier: what reads the body does not keep the context.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': statusCode });
    if (statusCode >= 500) span?.fail(String(statusCode));
    span?.end();
  });
}
