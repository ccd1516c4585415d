// An OpenTelemetry collector on loopback that keeps what it receives (OTLP over HTTP, JSON). It can be silent: it takes a
// request and never responds.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CollectedSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  /** '' for the first span of a trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  /** 2 for an error. */
  status: number;
  /** The process that made it: web, work … */
  process: unknown;
};
export type CollectedMetric = {
  name: string;
  points: { attributes: Record<string, unknown>; value: unknown }[];
};

export type Collector = {
  url: string;
  spans: CollectedSpan[];
  /** Of the last export of each process. */
  metrics: Map<string, CollectedMetric>;
  /** Everything that came, as text. */
  raw: string[];
  headers: IncomingHttpHeaders[];
  silent: boolean;
  close(): Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      collector.raw.push(text);
      collector.headers.push(request.headers);
      if (collector.silent) return;
      if (request.url === '/v1/traces') takeSpans(collector, JSON.parse(text));
      else if (request.url === '/v1/metrics') takeMetrics(collector, JSON.parse(text));
      else response.statusCode = 404;
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: new Map(),
    raw: [],
    headers: [],
    silent: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

type Attribute = { key: string; value: Record<string, unknown> };
type Resource = { attributes: Attribute[] };
type OtlpSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Attribute[];
  status?: { code?: number };
};
type OtlpPoint = { attributes: Attribute[]; asDouble?: number; asInt?: number };
type OtlpMetric = { name: string } & Record<'sum' | 'gauge' | 'histogram', { dataPoints: OtlpPoint[] } | undefined>;

const plain = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function takeSpans(
  collector: Collector,
  body: { resourceSpans: { resource: Resource; scopeSpans: { spans: OtlpSpan[] }[] }[] },
): void {
  for (const { resource, scopeSpans } of body.resourceSpans)
    for (const span of scopeSpans.flatMap(({ spans }) => spans))
      collector.spans.push({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        attributes: plain(span.attributes),
        status: span.status?.code ?? 0,
        process: plain(resource.attributes)['postrider.process'],
      });
}

function takeMetrics(
  collector: Collector,
  body: { resourceMetrics: { scopeMetrics: { metrics: OtlpMetric[] }[] }[] },
): void {
  const metrics = body.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  for (const { name, sum, gauge, histogram } of metrics) {
    const points = (sum ?? gauge ?? histogram)?.dataPoints ?? [];
    collector.metrics.set(name, {
      name,
      points: points.map((point) => ({
        attributes: plain(point.attributes),
        value: histogram ? point : (point.asDouble ?? point.asInt),
      })),
    });
  }
}
