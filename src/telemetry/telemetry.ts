// Traces and metrics by OpenTelemetry (OTLP over HTTP), off unless OTEL_EXPORTER_OTLP_ENDPOINT is set.
// docs/operations.md describes what is exported; docs/decisions/0063-opentelemetry.md says why in this way.
import type { Log } from '../base/log.ts';
import { setRecorder } from '../base/spans.ts';
import type { Telemetry } from '../base/telemetry.ts';
import type { Config } from '../config.ts';

/** @param name the name of the process in the log */
export async function startTelemetry(config: Config, name: string, log: Log): Promise<Telemetry | undefined> {
  if (config.otelEndpoint === '') return undefined;
  const { createTelemetry } = await import('./sdk.ts');
  const { recorder, ...telemetry } = createTelemetry(config, name, log);
  setRecorder(recorder);
  return {
    ...telemetry,
    async stop() {
      setRecorder(undefined);
      await telemetry.stop();
    },
  };
}
