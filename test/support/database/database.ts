// Gives each test its own migrated database within a tenth of a second, on one server that all test files share.
// The first test file that needs the server starts it; it stops after 20 s without use. With
// TEST_DATABASE_URL set, that server is used instead. Databases of crashed tests are dropped by the next test that comes.
// Works alike in the whole run and for one file with `node --test`.
import { spawn } from 'node:child_process';
import { createHash, hash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createLog } from '../../../src/base/log.ts';
import { isUnavailable } from '../../../src/db/connect.ts';
import { readEmbeddedUrl } from '../../../src/db/embedded/embedded.ts';
import { migrate } from '../../../src/db/migrate/migrate.ts';
import { readMigrations } from '../../../src/db/migration-files.ts';
import { narrowedHash } from '../../../src/db/narrowed/views.ts';
import { alwaysBehind, makePartitionsAt } from '../../../src/db/partitions.ts';
import { migrateQueue } from '../../../src/jobs/queue-schema.ts';

export type TestDatabase = { url: string; close(): Promise<void> };

/**
 * What a new database starts from: `migrate` fills a template once for each `key` (a hash of all that it does), and
 * every test gets a copy. It must have closed its connections when it returns.
 */
export type Template = { key: string; migrate: (url: string) => Promise<void> };

/** Our schema and the job queue's. */
export const wholeSchema: Template = {
  key: `${hash('sha256', JSON.stringify([readMigrations(), alwaysBehind, narrowedHash])).slice(0, 16)} ${queueVersion()}`,
  async migrate(url) {
    await migrate(url);
    await migrateQueue(url, createLog('silent', 'test'));
    await makePartitionsAt(url);
  },
};

/** A database for one test; a copy needs an original without connections. close() drops it. A test that dies without close() leaves it to the next one. */
export async function testDatabase(
  template: Template | 'empty' | { copyOf: string } = wholeSchema,
): Promise<TestDatabase> {
  const name = `${databasePrefix}${randomBytes(6).toString('hex')}`;
  const server = await serverUrl();
  await inTurn(async (admin) => {
    await admin.query('select pg_advisory_lock_shared($1, 0)', [templateLocks]);
    try {
      await createDatabase(admin, name, template);
    } finally {
      await admin.query('select pg_advisory_unlock_shared($1, 0)', [templateLocks]);
    }
  });
  return {
    url: withDatabase(server, name),
    close: () =>
      inTurn(async (admin) => {
        for (let tries = 0; ; tries++) {
          try {
            await admin.query(`drop database if exists ${name} with (force)`);
            break;
          } catch (error) {
            // The server's own vacuum is at work in it, which we may not end: insufficient_privilege.
            if ((error as { code?: string }).code !== '42501' || tries > 50) throw error;
            await sleep(100);
          }
        }
        await admin.query('select pg_advisory_unlock($1, hashtext($2))', [databaseLocks, name]);
      }),
  };
}

async function createDatabase(
  admin: pg.Client,
  name: string,
  template: Template | 'empty' | { copyOf: string },
): Promise<void> {
  const source =
    template === 'empty'
      ? 'template0'
      : 'copyOf' in template
        ? new URL(template.copyOf).pathname.slice(1)
        : await templateDatabase(admin, template);
  await admin.query('select pg_advisory_lock($1, hashtext($2))', [databaseLocks, name]);
  // Twice as fast here as by the log (45 against 95 ms): its two checkpoints cost nothing without fsync.
  for (let tries = 0; ; tries++) {
    try {
      await admin.query(`create database ${name} template ${source} strategy file_copy`);
      break;
    } catch (error) {
      // Sessions of an original that was closed just now may need a moment to end: object_in_use.
      if ((error as { code?: string }).code !== '55006' || tries > 50) throw error;
      await sleep(100);
    }
  }
}

export const databasePrefix = 'postrider_test_';
const templatePrefix = 'postrider_template_';
const templatesKept = 4;

/** Where the shared server of this user keeps its files. */
export function sharedServerDir(): string {
  return join(tmpdir(), `postrider-test-${process.getuid?.() ?? 'user'}`);
}

/** Drops what tests left behind that are no longer there to do it: their lock went with their connection. */
export async function dropAbandoned(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    `select datname
     from pg_database
     where starts_with(datname, $1)`,
    [databasePrefix],
  );
  for (const { datname } of rows) {
    const free = await admin.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      databaseLocks,
      datname,
    ]);
    if (!free.rows[0]?.taken) continue;
    await admin.query(`drop database if exists ${datname} with (force)`);
    await admin.query('select pg_advisory_unlock($1, hashtext($2))', [databaseLocks, datname]);
  }
}

/** Drops all templates but the latest, while no test is between finding its template and copying it. */
export async function dropOldTemplates(admin: pg.Client): Promise<void> {
  await admin.query('select pg_advisory_lock($1, 0)', [templateLocks]);
  const { rows } = await admin.query<{ datname: string }>(
    `select datname
     from pg_database
     where starts_with(datname, $1)
     order by oid desc
     offset $2`,
    [templatePrefix, templatesKept],
  );
  for (const { datname } of rows) await admin.query(`drop database if exists ${datname}`);
  await admin.query('select pg_advisory_unlock($1, 0)', [templateLocks]);
}

// First keys of advisory locks, which are per database: all are taken in the server's own, none in a test's. The second key 0 of
// templateLocks is for all templates together.
const databaseLocks = 7301;
const templateLocks = 7302;

let connected: Promise<AdminClient> | undefined;
let turn: Promise<unknown> = Promise.resolve();

type AdminClient = pg.Client & { ref(): void; unref(): void };

/**
 * Acts on the one connection that each test process has: it holds the locks of the process's databases and keeps the
 * server from ending. One at a time, because advisory locks do not hold off the session that has them.
 */
function inTurn<T>(act: (admin: pg.Client) => Promise<T>): Promise<T> {
  const result = turn.then(async () => {
    for (let tries = 1; ; tries++) {
      try {
        connected ??= administrator();
        const admin = await connected;
        // A connection at rest must not keep the test process from ending; one at work must.
        admin.ref();
        try {
          return await act(admin);
        } finally {
          admin.unref();
        }
      } catch (error) {
        // The server may just have stopped for lack of use; then another is started.
        if (tries === 5 || !isUnavailable(error)) throw error;
        connected = undefined;
        await sleep(200);
      }
    }
  });
  turn = result.catch(() => undefined);
  return result;
}

async function administrator(): Promise<AdminClient> {
  const admin = (await connect(await serverUrl())) as AdminClient;
  admin.on('error', () => {
    connected = undefined;
  });
  await dropAbandoned(admin);
  return admin;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function templateDatabase(admin: pg.Client, { key, migrate }: Template): Promise<string> {
  const name = templatePrefix + createHash('sha256').update(key).digest('hex').slice(0, 16);
  await admin.query('select pg_advisory_lock($1, hashtext($2))', [templateLocks, name]);
  try {
    const made = await admin.query('select from pg_database where datname = $1', [name]);
    if (made.rowCount === 0) {
      // Under another name until it is complete, so that a migration cut short is not taken for a finished one.
      const fresh = `${name}_new`;
      await admin.query(`drop database if exists ${fresh} with (force)`);
      await admin.query(`create database ${fresh} template template0 strategy file_copy`);
      await migrate(withDatabase(await serverUrl(), fresh));
      await admin.query(`alter database ${fresh} rename to ${name}`);
    }
  } finally {
    await admin.query('select pg_advisory_unlock($1, hashtext($2))', [templateLocks, name]);
  }
  return name;
}

async function serverUrl(): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return given;
  const dir = sharedServerDir();
  // The first start on a busy machine, with other runs beside, has taken more than a minute.
  const giveUpAt = Date.now() + 240_000;
  for (let round = 0; ; round++) {
    const url = readEmbeddedUrl(dir);
    if (url && (await answers(url))) return url;
    if (Date.now() > giveUpAt) throw new Error(`The tests' PostgreSQL did not start; see ${join(dir, 'server.log')}`);
    // Of several that try, one gets the directory's lock and the others end at once.
    if (round % 40 === 0) startServer(dir);
    await sleep(25);
  }
}

/** Up, and done with the preparations of its first start. */
async function answers(url: string): Promise<boolean> {
  try {
    const client = await connect(url);
    const role = await client.query<{ rolcreatedb: boolean }>(
      'select rolcreatedb from pg_roles where rolname = current_user',
    );
    await client.end();
    return role.rows[0]?.rolcreatedb === true;
  } catch {
    return false;
  }
}

function startServer(dir: string): void {
  mkdirSync(dir, { recursive: true });
  const log = openSync(join(dir, 'server.log'), 'a');
  const script = fileURLToPath(new URL('server.ts', import.meta.url));
  spawn(process.execPath, [script, dir], { detached: true, stdio: ['ignore', log, log] }).unref();
  closeSync(log);
}

function queueVersion(): string {
  const file = new URL('../../../node_modules/graphile-worker/package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
