// A fresh, migrated database for a test, within a tenth of a second: a clone of a template that is migrated once.
// test/run.ts starts one server for the whole run (TEST_DATABASE_URL); a test file started by itself brings its own.

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate, migrationsKey } from '../../src/db/migrate.ts';
import { migrateQueue } from '../../src/jobs/queue.ts';
import { createLog } from '../../src/log.ts';

const quiet = createLog('silent', 'test');

export type TestServer = { url: string; stop(): Promise<void> };
export type TestDatabase = { url: string; close(): Promise<void> };

/** A server without fsync whose data go with it. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-test-'));
  chmodSync(dataDir, 0o755);
  const server: Embedded = await startEmbedded({ dataDir, log: quiet, fast: true });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let own: Promise<TestServer> | undefined;
let serverUrl: Promise<string> | undefined;
let open = 0;

/** A database of its own with the whole schema. Close it when done. */
export async function testDatabase(): Promise<TestDatabase> {
  open += 1;
  serverUrl ??= findServer();
  const server = await serverUrl;
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await withAdmin(server, async (admin) => {
    await admin.query('select pg_advisory_lock(77)');
    const template = `tpl_${migrationsKey()}`;
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      await admin.query(`create database ${template}_new`);
      await migrate(databaseUrl(server, `${template}_new`));
      await migrateQueue(databaseUrl(server, `${template}_new`), quiet);
      await admin.query(`alter database ${template}_new rename to ${template}`);
    }
    await admin.query(`create database ${name} template ${template}`);
    await admin.query('select pg_advisory_unlock(77)');
  });
  return {
    url: databaseUrl(server, name),
    async close() {
      open -= 1;
      // The last one out stops a server of our own; its data go with it.
      if (open === 0 && own) {
        const ending = await own;
        own = undefined;
        serverUrl = undefined;
        return ending.stop();
      }
      await withAdmin(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function findServer(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  own = startTestServer();
  return (await own).url;
}

async function withAdmin(server: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl(server, 'postgres') });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

/** The same server, another database. */
const databaseUrl = (url: string, name: string) => url.replace(/\/[^/?]*(\?.*)?$/, `/${name}$1`);
