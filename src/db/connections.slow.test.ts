// A PostgreSQL with few connections: idle processes give theirs back, the web process keeps what it needs to answer, and calls
// work again as soon as there is a free one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createAccount } from '../accounts/account/account.ts';
import { openApp } from '../app.ts';
import { createLog } from '../base/log.ts';
import { readConfig } from '../config.ts';
import { startWorker } from '../delivery/worker.ts';
import { call } from '../doors/call.ts';
import { migrateQueue } from '../jobs/queue-schema.ts';
import { handlers } from '../task-handlers.ts';
import { sql } from './connect.ts';
import { keptByWeb, poolSizes } from './connections.ts';
import { type EmbeddedServer, startEmbedded } from './embedded/embedded.ts';
import { migrate } from './migrate/migrate.ts';
import { makePartitionsAt } from './partitions.ts';

const log = createLog('silent', 'test');
const maxConnections = 40;
let folder: string;
let server: EmbeddedServer;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'few-connections-'));
  server = await startEmbedded({
    dataDir: folder,
    log,
    settings: { max_connections: String(maxConnections), fsync: 'off' },
  });
  await migrate(server.url);
  await migrateQueue(server.url, log);
  await makePartitionsAt(server.url);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const config = () =>
  readConfig({ DATABASE_URL: server.url, DATA_DIR: folder, LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:9' });

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(100);
}

test('idle processes give their connections back, and the web process keeps some', async () => {
  const web = await openApp(config(), 'web', server.url, poolSizes.web);
  const work = await openApp(config(), 'work', server.url, poolSizes.work);
  const held = async (name: string) =>
    (await admin.query('select from pg_stat_activity where application_name = $1', [`postrider ${name}`])).rowCount!;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  for (const { db } of [web, work])
    await Promise.all(Array.from({ length: 10 }, () => db.row(sql`select pg_sleep(0.2)`)));
  assert.deepEqual([await held('web'), await held('work')], [10, 10]);
  await until(async () => (await held('web')) <= keptByWeb + 1 && (await held('work')) <= 1);
  assert.ok((await held('web')) >= 1);
  await web.db.close();
  await work.db.close();
  await admin.end();
});

test('calls are answered while others have all connections, and more of them as soon as one is free', async () => {
  const web = await openApp(config(), 'web', server.url, poolSizes.web);
  const { id } = await createAccount(web.db, { name: 'Few', email: 'few@example.com' });
  const lists = () => call(web, 'lists', {}, { kind: 'system', accountId: id }, 'cli');
  await lists();
  const others: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString: server.url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      assert.equal((error as { code?: string }).code, '53300');
      break;
    }
    others.push(client);
  }
  assert.ok(await lists(), 'the connection that is kept');
  const parallel = await Promise.allSettled(Array.from({ length: 10 }, lists));
  for (const outcome of parallel)
    if (outcome.status === 'rejected') assert.equal((outcome.reason as { code: number }).code, -60);
  await Promise.all(others.splice(0, 10).map((client) => client.end()));
  await until(async () =>
    (await Promise.allSettled(Array.from({ length: 10 }, lists))).every(({ status }) => status === 'fulfilled'),
  );
  await Promise.all(others.map((client) => client.end()));
  await web.db.close();
});

test('a worker with nothing to do holds few connections', async () => {
  const work = await openApp(config(), 'work', server.url, poolSizes.work);
  const worker = await startWorker(work, handlers);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const held = async () =>
    (await admin.query("select from pg_stat_activity where application_name like 'postrider%'")).rowCount!;
  await until(async () => (await held()) <= 10);
  await worker.stop();
  await work.db.close();
  await admin.end();
});
