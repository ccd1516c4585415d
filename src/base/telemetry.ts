// What the rest of the program knows of telemetry.
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** All metrics of a process, as `Registry.getMetricsAsJSON` returns them. */
export type ReadMetrics = () => Promise<MetricObjectWithValues<MetricValue<string>>[]>;

export type Telemetry = {
  /** Exports these metrics once a minute (OTEL_METRIC_EXPORT_INTERVAL). */
  pushMetrics(read: ReadMetrics): void;
  /** Exports what is left, within a few seconds, and ends. */
  stop(): Promise<void>;
};
