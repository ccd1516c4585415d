// What every command needs: its database, its end, and a way to refuse wrong usage.
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

/** Resolves when the process is asked to stop. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    endWithParent(resolve);
  });
}
