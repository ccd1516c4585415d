// What every command needs: its database, its end, and a way to refuse wrong usage.
import { createLog } from './base/log.ts';
import type { Config } from './config.ts';
import { readEmbeddedUrl } from './db/embedded/embedded.ts';
import { endWithParent } from './parent-watch.ts';

/** A command that was typed wrongly, or cannot run as it was typed. */
export class Usage extends Error {}

/** DATABASE_URL, or the embedded database that `serve` is running under DATA_DIR. */
export function needDatabase(config: Config): string {
  const url = config.databaseUrl || readEmbeddedUrl(config.dataDir);
  if (!url)
    throw new Usage(
      `No database: DATABASE_URL is not set and no database is running under ${config.dataDir}. Run "postrider serve" first.`,
    );
  return url;
}

/** As above; an embedded database that is not running is started for as long as the work takes. */
export async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const running = config.databaseUrl || readEmbeddedUrl(config.dataDir);
  if (running) return work(running);
  const { startEmbedded } = await import('./db/embedded/embedded.ts');
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const server = await startEmbedded({ dataDir: config.dataDir, log: createLog(level, 'database') });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** Resolves when the process is asked to stop. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    endWithParent(resolve);
  });
}
