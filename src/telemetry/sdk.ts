// The OpenTelemetry SDK behind spans.ts and telemetry.ts. Loaded only where telemetry is on.
import { hostname } from 'node:os';
import {
  type Context,
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { Fault } from '../base/faults.ts';
import type { Log } from '../base/log.ts';
import type { OpenSpan, Recorder, SpanOptions } from '../base/spans.ts';
import type { Telemetry } from '../base/telemetry.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config.ts';
import { prometheusProducer } from './prometheus-producer.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};
/** How long the end of a process waits for the collector. */
const stopMs = 3_000;
/** A collector that does not respond is reported this often. */
const reportEveryMs = 60_000;

/** @param name the name of the process in the log */
export function createTelemetry(config: Config, name: string, log: Log): Telemetry & { recorder: Recorder } {
  reportProblems(log);
  const resource = resourceFromAttributes({
    'service.name': config.otelServiceName,
    'service.version': version,
    'service.instance.id': `${hostname()}:${process.pid}`,
    'postrider.process': name,
  });
  const collector = (signal: string) => ({
    url: `${config.otelEndpoint}/v1/${signal}`,
    headers: config.otelHeaders ?? {},
    timeoutMillis: 10_000,
  });
  const ratio = new TraceIdRatioBasedSampler(config.otelSampling);
  const tracing = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(collector('traces')))],
    // A caller may ask for its request not to be recorded, and no more than that: anyone can send the header.
    sampler: new ParentBasedSampler({
      root: ratio,
      remoteParentSampled: ratio,
      remoteParentNotSampled: new AlwaysOffSampler(),
    }),
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  let metering: MeterProvider | undefined;
  return {
    recorder: createRecorder(tracing),
    pushMetrics(read) {
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(collector('metrics')),
        exportIntervalMillis: config.otelMetricInterval,
        exportTimeoutMillis: Math.min(10_000, config.otelMetricInterval),
        metricProducers: [prometheusProducer(read, resource)],
      });
      metering = new MeterProvider({ resource, readers: [reader] });
    },
    async stop() {
      const limit = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      const ended = Promise.allSettled([tracing.shutdown(), metering?.shutdown()]);
      await Promise.race([ended, limit]);
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

/** Notes what the SDK reports in the log: that a collector does not respond, or refuses. */
function reportProblems(log: Log): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (detail: string) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    log.warn({ detail: detail.slice(0, 500) }, 'traces or metrics could not be exported');
  };
  const quiet = () => {};
  diag.setLogger({ error: report, warn: report, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
}

function createRecorder(provider: BasicTracerProvider): Recorder {
  const tracer = provider.getTracer('postrider', version);
  const open = (name: string, { kind = 'internal', attributes = {}, cause }: SpanOptions) => {
    const parent = cause === undefined ? context.active() : causeOf(cause);
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
    return { span, within: trace.setSpan(parent, span) };
  };
  return {
    async inSpan(name, options, work) {
      const { span, within } = open(name, options);
      try {
        return await context.with(within, () => work(openSpan(span)));
      } catch (error) {
        if (isFailure(error)) openSpan(span).fail(kindOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    start(name, options) {
      const { span, within } = open(name, options);
      return { ...openSpan(span), end: () => span.end(), run: (work) => context.with(within, work) };
    },
    isRecording: () => trace.getActiveSpan()?.isRecording() ?? false,
    traceparent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    ids() {
      const current = trace.getActiveSpan()?.spanContext();
      return current && { trace_id: current.traceId, span_id: current.spanId };
    },
  };
}

/** @param traceparent from another program; an invalid one begins a new trace */
const causeOf = (traceparent: string): Context => propagation.extract(ROOT_CONTEXT, { traceparent });

const openSpan = (span: Span): OpenSpan => ({
  set: (attributes) => void span.setAttributes(attributes),
  fail(type) {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
  },
});

/** A fault is the caller's mistake, except these two. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof Fault) || error.fault === 'INTERNAL' || error.fault === 'UNAVAILABLE';

/** The code of an error of PostgreSQL or Node.js, or its class. Never its message: that may contain personal data. */
function kindOf(error: unknown): string {
  if (error instanceof Fault) return error.fault;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
}
