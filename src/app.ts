// Opens the parts that every process has: log, database, installation secret, HTTP client, public URL.
import { installationSecret, listIdHost } from './accounts/installation/installation.ts';
import { publicUrl, watchPublicUrl } from './accounts/installation/public-url.ts';
import { watchTokenSecrets } from './accounts/installation/token-secrets.ts';
import type { App } from './base/context.ts';
import { createLog, type Log } from './base/log.ts';
import { createOutbound } from './base/outbound/outbound.ts';
import type { Config } from './config.ts';
import { connect, type Database } from './db/connect.ts';
import { keptByWeb } from './db/connections.ts';
import { needMigratedSchema } from './db/migrate/migrate.ts';
import { needSessions } from './db/pooler.ts';
import { Standby } from './db/standby/standby.ts';
import { startTelemetry } from './telemetry/telemetry.ts';

/** Processes other than the one at the address in the settings HOST and PORT. */
const elsewhere = ['cli', 'work', 'inbox', 'bounces', 'submission'];

/**
 * @param process its name in the log and in pg_stat_activity
 * @param maxConnections database connections
 * @throws SchemaMismatch
 * @throws PoolerRefused
 */
export async function openApp(
  config: Config,
  process: string,
  databaseUrl: string,
  maxConnections: number,
): Promise<App> {
  const log = createLog(config.logLevel, process);
  const minConnections = process === 'web' ? keptByWeb : 0;
  const db = connect(databaseUrl, { name: `postrider ${process}`, maxConnections, minConnections, log });
  await needSessions(databaseUrl);
  await needMigratedSchema(db);
  const secret = await installationSecret(db);
  const tokenSecrets = await watchTokenSecrets(db, log, secret.toString('hex'));
  const outbound = createOutbound({ allow: config.outboundAllow });
  const listens = !elsewhere.includes(process);
  const { url: baseUrl } = await publicUrl(db, config, listens);
  const hostOfLists = await listIdHost(db, baseUrl);
  // Commands are short and run by a person who sees what they do.
  const telemetry = process === 'cli' ? undefined : await startTelemetry(config, process, log);
  const standby = listens ? standbyOf(config, db, log, maxConnections) : undefined;
  const app: App = {
    ...{ config, db, standby, log, outbound, secret, tokenSecrets, baseUrl, telemetry },
    listIdHost: hostOfLists,
  };
  watchPublicUrl(app, listens);
  return app;
}

/** Ends what openApp opened, at the end of a process. */
export async function closeApp({ db, standby, telemetry }: App): Promise<void> {
  await telemetry?.stop();
  await standby?.close();
  await db.close();
}

function standbyOf(config: Config, db: Database, log: Log, maxConnections: number): Standby | undefined {
  if (config.readDatabaseUrl === '') return undefined;
  const standby = new Standby(db, config.readDatabaseUrl, log, maxConnections);
  standby.start();
  return standby;
}
