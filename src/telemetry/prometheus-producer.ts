// The metrics of /metrics as OpenTelemetry has them, so that there is one list of metrics, not two.
import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ReadMetrics } from '../base/telemetry.ts';

type Metric = MetricObjectWithValues<MetricValue<string>>;
type Times = { startTime: HrTime; endTime: HrTime };

/** A failure to read leaves out one export: the next one has the same sums. */
export function prometheusProducer(read: ReadMetrics, resource: Resource): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect() {
      const errors: unknown[] = [];
      const metrics = await read().catch((error) => {
        errors.push(error);
        return [];
      });
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const scopeMetrics = [{ scope: { name: 'postrider' }, metrics: metrics.map((one) => converted(one, times)) }];
      return { resourceMetrics: { resource, scopeMetrics }, errors };
    },
  };
}

function converted(metric: Metric, times: Times): MetricData {
  // Where prom-client has an enumeration of its own, JSON has its name.
  const type = String(metric.type);
  const common = {
    descriptor: { name: metric.name, description: metric.help, unit: unitOf(metric.name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, times) };
  const dataPoints = metric.values.map(({ labels, value }) => ({ ...times, attributes: textsOf(labels), value }));
  if (type === 'counter') return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** In units of UCUM. */
const unitOf = (name: string): string => (name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '1');

const textsOf = (labels: object): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** Prometheus counts in each bucket what the smaller ones hold; OpenTelemetry counts every value once. */
function histograms(metric: Metric, times: Times) {
  const groups = Map.groupBy(metric.values, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  return [...groups].map(([key, values]) => {
    const ofSuffix = (suffix: string) => values.find((one) => nameOf(one) === `${metric.name}_${suffix}`)?.value ?? 0;
    const buckets = values
      .filter((one) => nameOf(one) === `${metric.name}_bucket`)
      .map(({ labels, value }) => ({ below: Number(String(labels['le']).replace('+Inf', 'Infinity')), value }))
      .sort((one, other) => one.below - other.below);
    return {
      ...times,
      attributes: textsOf(JSON.parse(key)),
      value: {
        buckets: {
          boundaries: buckets.map(({ below }) => below).filter(Number.isFinite),
          counts: buckets.map(({ value }, nth) => value - (buckets[nth - 1]?.value ?? 0)),
        },
        count: ofSuffix('count'),
        sum: ofSuffix('sum'),
      },
    };
  });
}

const nameOf = (value: MetricValue<string>): string | undefined => (value as { metricName?: string }).metricName;
