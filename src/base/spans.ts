// Spans of the work in progress. Until a recorder is set (sdk.ts, only with OTEL_EXPORTER_OTLP_ENDPOINT) each function here
// calls its work and does nothing else, and no code of OpenTelemetry is loaded.
// Which span is current follows the asynchronous calls, as in every tracing library; so the recorder is the one part of the
// running program that is not passed as `app`.
// Attributes hold ids, counts, names of methods and hosts: never an address, a subject, a token or a path.

export type Attributes = Record<string, string | number | boolean>;

export type SpanOptions = {
  /** server: it answers a request; client: it waits for another program; consumer: it runs a task of the queue. */
  kind?: 'internal' | 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** The span elsewhere that caused this one, as a `traceparent` header (W3C Trace Context); instead of the current one. */
  cause?: string | undefined;
};

/** A span that has not ended. */
export type OpenSpan = {
  set(attributes: Attributes): void;
  /** @param type what kind of error, such as the code of a fault; messages may contain personal data */
  fail(type: string): void;
};

/** What records spans. */
export type Recorder = {
  inSpan<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** A span whose end is elsewhere than its start. */
  start(name: string, options: SpanOptions): OpenSpan & { end(): void; run(work: () => void): void };
  /** Whether a span that is recorded is current. */
  isRecording(): boolean;
  /** The current span as a `traceparent` header; undefined where there is none. */
  traceparent(): string | undefined;
  ids(): { trace_id: string; span_id: string } | undefined;
};

let recorder: Recorder | undefined;

/** Called once at the start of a process, and with undefined at its end. */
export function setRecorder(value: Recorder | undefined): void {
  recorder = value;
}

const unrecorded: OpenSpan = { set() {}, fail() {} };

/** Runs the work in a span, which ends with it. An error that the work throws is noted by its kind and thrown on. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return recorder ? recorder.inSpan(name, options, work) : work(unrecorded);
}

/** As inSpan, but only inside another span: for what happens so often that it means nothing alone. */
export function inInnerSpan<T>(
  name: () => string,
  options: () => SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  return recorder?.isRecording() ? recorder.inSpan(name(), options(), work) : work(unrecorded);
}

/** A span that the caller ends; undefined where none are recorded. */
export const startSpan = (name: string, options: SpanOptions) => recorder?.start(name, options);

/** The header by which another program, or a task, continues the current trace. */
export const traceparent = (): string | undefined => recorder?.traceparent();

/** The ids of the current span, for log lines. */
export const spanIds = (): { trace_id: string; span_id: string } | undefined => recorder?.ids();
