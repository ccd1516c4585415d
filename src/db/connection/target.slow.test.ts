// Each sslmode against a real server, whose certificate is of an authority that only its file makes known.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { missingForReplicas } from '../../../test/support/database/replicated.ts';
import { startTlsServer, type TlsServer } from '../../../test/support/database/tls-server.ts';
import { startProgram } from '../../../test/support/installation/program.ts';
import { openSession } from '../../backup/backup.ts';
import { createLog } from '../../base/log.ts';
import { migrateQueue } from '../../jobs/queue-schema.ts';
import { connect, databaseProblem, sql } from '../connect.ts';
import { migrate } from '../migrate/migrate.ts';
import { needSessions } from '../pooler.ts';
import { keepSession } from '../session.ts';

const skip = missingForReplicas() ?? false;
let strict: TlsServer;
let plain: TlsServer;
before(async () => {
  if (skip) return;
  [strict, plain] = await Promise.all([startTlsServer('required'), startTlsServer('none')]);
});
after(async () => {
  await strict?.stop();
  await plain?.stop();
});

/** 'encrypted', 'plain', or the sentence why there is no connection. */
async function attempt(url: string): Promise<string> {
  const db = connect(url, { maxConnections: 1 });
  try {
    const row = await db.row<{ ssl: boolean }>(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
    return row!.ssl ? 'encrypted' : 'plain';
  } catch (error) {
    return databaseProblem(error) ?? String(error);
  } finally {
    await db.close();
  }
}

test('a server with a private authority is reached by the modes that allow it, and others say why not', {
  skip,
}, async () => {
  const root = `sslrootcert=${encodeURIComponent(strict.rootcert)}`;
  const byAddress = strict.url.replace('localhost', '127.0.0.1');
  for (const [url, expected] of [
    [`${strict.url}?sslmode=require`, /^encrypted$/],
    [`${strict.url}?sslmode=no-verify`, /^encrypted$/],
    [`${strict.url}?sslmode=require&sslnegotiation=postgres&channel_binding=require`, /^encrypted$/],
    [`${strict.url}?sslmode=require&${root}`, /^encrypted$/],
    [`${strict.url}?sslmode=verify-ca&${root}`, /^encrypted$/],
    [`${byAddress}?sslmode=verify-ca&${root}`, /^encrypted$/],
    [`${strict.url}?sslmode=verify-full&${root}`, /^encrypted$/],
    [`${byAddress}?sslmode=verify-full&${root}`, /its certificate is not for "127\.0\.0\.1"; use a name/],
    [`${strict.url}?sslmode=verify-full`, /not signed by a known authority; set sslrootcert=FILE/],
    [`${strict.url}?ssl=true`, /not signed by a known authority; set sslrootcert=FILE/],
    [strict.url, /takes encrypted connections only; add sslmode=verify-full/],
    [`${strict.url}?sslmode=disable`, /takes encrypted connections only/],
    [plain.url, /^plain$/],
    [`${plain.url}?sslmode=disable`, /^plain$/],
    [`${plain.url}?sslmode=require`, /does not encrypt connections; leave sslmode out/],
  ] as const)
    assert.match(await attempt(url), expected, url);
});

test('a certificate that has expired is named', { skip }, async () => {
  const server = await startTlsServer('expired');
  try {
    const root = `sslrootcert=${encodeURIComponent(server.rootcert)}`;
    assert.match(await attempt(`${server.url}?sslmode=verify-full&${root}`), /its certificate has expired/);
    assert.equal(await attempt(`${server.url}?sslmode=require`), 'encrypted');
  } finally {
    await server.stop();
  }
});

test('all that connect read the URL alike, and the program writes nothing of a library', { skip }, async () => {
  for (const query of ['sslmode=require', `sslmode=verify-full&sslrootcert=${encodeURIComponent(strict.rootcert)}`]) {
    const url = `${strict.url}?${query}`;
    await needSessions(url);
    await migrate(url);
    await migrateQueue(url, createLog('silent', 'test'));
    await (await openSession(url, 'test')).end();
    const opened = Promise.withResolvers<void>();
    const session = keepSession(url, { name: 'test', onOpen: async () => opened.resolve(), onFailure: opened.reject });
    await opened.promise;
    await session.stop();
    const program = startProgram(['migrate'], { DATABASE_URL: url });
    assert.equal(await program.ended, 0, program.output);
    assert.doesNotMatch(program.output, /warning/i);
  }
  const refused = startProgram(['migrate'], { DATABASE_URL: strict.url });
  assert.equal(await refused.ended, 1);
  assert.match(
    refused.output,
    /^The database in DATABASE_URL cannot be used: it takes encrypted connections only.*\n$/,
  );
});
