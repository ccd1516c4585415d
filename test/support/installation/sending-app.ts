// An app whose mail is delivered to a sink by a worker in this process. The worker runs no jobs unless it is given handlers: a
// test calls the handlers of the jobs it is about, and waits until the queued messages are sent.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '../../../src/db/connect.ts';
import { startWorker } from '../../../src/delivery/worker.ts';
import { until } from '../run/until.ts';
import { type Sink, type SinkOptions, startSink } from '../smtp-sink/sink.ts';
import { type TestApp, testApp } from './app.ts';

export type SendingApp = TestApp & {
  sink: Sink;
  /** Resolves when no recipient is queued or in flight. */
  allSent(): Promise<void>;
  /** Ends the worker, which writes its last figures. From then on nothing changes that the test does not change. */
  stopWorker(): Promise<void>;
  /** What a handler is called with. */
  context: { app: TestApp['app']; log: TestApp['app']['log']; signal: AbortSignal };
};

/** @param given settings beside SMTP_URL, to which `relay` adds parameters. close() ends everything and removes the files. */
export async function sendingApp(
  given: {
    settings?: Record<string, string>;
    relay?: string;
    sink?: SinkOptions;
    handlers?: Parameters<typeof startWorker>[1];
  } = {},
): Promise<SendingApp> {
  const folder = mkdtempSync(join(tmpdir(), 'sending-'));
  const sink = await startSink({ raw: true, ...given.sink });
  const app = await testApp({
    DATA_DIR: folder,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none${given.relay ?? ''}`,
    ...given.settings,
  });
  const worker = await startWorker(app.app, given.handlers ?? {});
  let stopped: Promise<void> | undefined;
  const stopWorker = () => (stopped ??= worker.stop());
  return {
    ...app,
    sink,
    stopWorker,
    context: { app: app.app, log: app.app.log, signal: new AbortController().signal },
    async allSent() {
      await until('all messages are sent', async () => {
        const waiting = await app.app.db.row(sql`select from delivery where state in (0, 1) limit 1`);
        return waiting === undefined;
      });
    },
    async close() {
      await stopWorker();
      await app.close();
      await sink.close();
      rmSync(folder, { recursive: true });
    },
  };
}
