// Puts the parts of one process together: settings, log, database, secret, public address.
import { installationSecret } from './accounts/setup.ts';
import type { App } from './base/context.ts';
import { createLog } from './base/log.ts';
import { createOutbound } from './base/outbound/outbound.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import { needKnownSchema } from './db/migrate.ts';

/**
 * @param process the name the log and the database see
 * @param most database connections at most
 * @throws SchemaMismatch
 */
export async function openApp(config: Config, process: string, databaseUrl: string, most: number): Promise<App> {
  const log = createLog(config.logLevel, process);
  const db = connect(databaseUrl, { name: `postrider ${process}`, most, log });
  await needKnownSchema(db);
  const secret = await installationSecret(db);
  const outbound = createOutbound({ allow: config.outboundAllow });
  return { config, db, log, outbound, secret, baseUrl: publicAddress(config) };
}

/** The address public links begin with. */
export function publicAddress(config: Config): string {
  if (config.baseUrl) return config.baseUrl;
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
}
