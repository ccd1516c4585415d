// The PostgreSQL that all tests of a user share: `node server.ts DIR`, started by database.ts.
// Ends when no client has been connected for 20 s, so that nothing is left running after the tests; its files stay, so
// that the next run starts within a fraction of a second and finds its templates.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../../../src/db/embedded/embedded.ts';
import { EmbeddedPostgresError } from '../../../src/db/embedded/problem.ts';
import { dropAbandoned, dropOldTemplates } from './database.ts';

const idleMs = 20_000;

const dir = process.argv[2]!;
const server = await start(false);
process.on('SIGTERM', () => server.stop());
await prepare();
for (let idleSince = Date.now(); Date.now() - idleSince < idleMs; ) {
  await sleep(1_000);
  if (await inUse()) idleSince = Date.now();
}
await server.stop();

async function start(again: boolean): Promise<EmbeddedServer> {
  const say = (entry: object | string, message = '') => console.log(new Date().toISOString(), message, entry);
  try {
    return await startEmbedded({
      dataDir: dir,
      log: { info: say, warn: say, error: say },
      settings: {
        // Test data need not survive the machine, only the processes.
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '400',
        // The files may be in memory.
        max_wal_size: '256MB',
        // No database lives long enough to need it sooner.
        autovacuum_naptime: '2min',
        // Each new and each dropped database looks through all of them.
        shared_buffers: '128MB',
      },
    });
  } catch (error) {
    if (error instanceof EmbeddedPostgresError && error.problem === 'in-use') process.exit(0);
    say(error as Error);
    // Without fsync a crash of the machine may have spoilt the files, or another version of PostgreSQL made them.
    if (again) process.exit(1);
    rmSync(join(dir, 'postgres'), { recursive: true, force: true });
    return start(true);
  }
}

async function prepare(): Promise<void> {
  await withAdmin(server.superuserUrl, async (admin) => {
    await admin.query('alter role postrider createdb');
  });
  await withAdmin(server.url, async (admin) => {
    await dropAbandoned(admin);
    await dropOldTemplates(admin);
  });
}

async function inUse(): Promise<boolean> {
  let used = false;
  await withAdmin(server.url, async (admin) => {
    const { rowCount } = await admin.query(
      `select
       from pg_stat_activity
       where backend_type = 'client backend'
         and pid <> pg_backend_pid()`,
    );
    used = rowCount !== 0;
  }).catch(() => undefined);
  return used;
}

async function withAdmin(url: string, act: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  admin.on('error', () => undefined);
  try {
    await admin.connect();
    await act(admin);
  } finally {
    await admin.end();
  }
}
