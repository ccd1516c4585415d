// Each check of the doctor finds what is wrong and says what to do, and finds nothing where all is right.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { activeDomain } from '../../test/support/builders/sender-domain.ts';
import { postriderWith } from '../../test/support/installation/commands.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { type DnsStub, startDnsStub } from '../../test/support/network/dns-stub.ts';
import { startSink } from '../../test/support/smtp-sink/sink.ts';
import { restoreSchema } from '../backup/restore.ts';
import type { App } from '../base/context.ts';
import { connect, raw, type Sql, sql } from '../db/connect.ts';
import { enqueue } from '../jobs/queue.ts';
import { checkArchive } from './archive.ts';
import * as database from './database.ts';
import { examine } from './doctor.ts';
import { exitCodeOf, type Finding, showFindings } from './finding.ts';
import { checkDisks, checkFiles, checkSettings, judgeSpace } from './machine.ts';
import { checkBounces, checkDomains, checkRelays } from './mail.ts';
import { checkMoves } from './moves.ts';
import { checkStandby } from './standby.ts';
import { checkUpgrade } from './upgrade.ts';

let app: SendingApp;
let dns: DnsStub;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  dns = await startDnsStub();
  app = await sendingApp({
    settings: {
      DNS_SERVERS: dns.server,
      BOUNCE_DOMAIN: 'back.news.example',
      SEAL_KEY: 'a secret of this test alone',
      BASE_URL: 'https://mail.news.example',
    },
  });
});
after(async () => {
  await app.close();
  await dns.close();
  rmSync(folder, { recursive: true });
});

/** The program with other settings. */
const having = (settings: Partial<App['config']>): App => ({ ...app.app, config: { ...app.app.config, ...settings } });
const states = (found: Finding | Finding[]) => [found].flat().map(({ state }) => state);
const db = () => app.app.db;

/** Finds exactly this, with advice. */
function assertFound(found: Finding | Finding[], state: Finding['state'], text: RegExp): void {
  const [first, ...rest] = [found].flat().filter((finding) => finding.state === state);
  assert.ok(first, JSON.stringify(found));
  assert.deepEqual(rest, []);
  assert.match(first.text, text);
  if (state !== 'ok') assert.ok(first.advice.length > 10, first.text);
}

/** Runs a check while the database is different; then all is as before. */
async function during(change: Sql, back: Sql, check: () => Promise<void>): Promise<void> {
  await db().run(change);
  try {
    await check();
  } finally {
    await db().run(back);
  }
}

test('settings: missing secrets, a local or unencrypted URL and bounces without a way back', () => {
  const { config } = app.app;
  assert.deepEqual(states(checkSettings(config, 'https://mail.example.com')), ['ok']);
  assertFound(checkSettings({ ...config, sealKey: '' }, 'https://mail.example.com'), 'warning', /SEAL_KEY is not set/);
  assertFound(checkSettings(config, 'http://127.0.0.1:8080'), 'warning', /no recipient can reach/);
  assertFound(checkSettings(config, 'http://mail.example.com'), 'warning', /not encrypted/);
  assertFound(checkSettings({ ...config, bounceDomain: '' }, 'https://mail.example.com'), 'warning', /BOUNCE_DOMAIN/);
});

test('disk: missing and unwritable directories, little space and hardly any', async () => {
  const { config } = app.app;
  assert.equal((await checkDisks({ ...config, dataDir: folder })).length, 1);
  assertFound(await checkDisks({ ...config, dataDir: join(folder, 'none') }), 'warning', /does not exist/);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  assertFound(await checkDisks({ ...config, backupDir: file }), 'problem', /BACKUP_DIR .* is not writable/);
  const space = (freeBytes: number) => judgeSpace('DATA_DIR', '/data', { freeBytes, totalBytes: 100e9 });
  assert.deepEqual(
    [50e9, 9e9, 1e8].map((free) => space(free).state),
    ['ok', 'warning', 'problem'],
  );
  assert.match(space(9e9).text, /9\.0 of 100\.0 GB free/);
});

test('files: credentials of the first start that were left', async () => {
  const config = { ...app.app.config, dataDir: folder };
  assert.deepEqual(await checkFiles(config), []);
  writeFileSync(join(folder, 'first-account.env'), 'x');
  assertFound(await checkFiles(config), 'warning', /first-account\.env/);
});

test('database: unreachable, parameters that lose data, too few connections', async () => {
  assertFound(await database.checkReachable('postgres://nobody@127.0.0.1:1/none'), 'problem', /nothing is listening/);
  assert.deepEqual(await database.checkReachable(db().url), []);
  const server = await database.checkServer(db(), 1);
  // The server of the tests runs without fsync.
  assertFound(server, 'problem', /These parameters are off: .*fsync/);
  assertFound(server, 'ok', /connections in use of/);
  assertFound(await database.checkServer(db(), 1_000), 'warning', /\d+ are needed .* 1000 workers/);
  const name = raw(new URL(db().url).pathname.slice(1));
  await during(
    sql`alter database ${name} set synchronous_commit = off`,
    sql`alter database ${name} reset synchronous_commit`,
    async () => {
      const other = connect(db().url, { maxConnections: 1 });
      assertFound(await database.checkServer(other, 1), 'problem', /synchronous_commit/);
      await other.close();
    },
  );
});

test('database: a connection that others can read or take over, and an encoding that cannot keep all text', async () => {
  const at = (url: string) => database.checkConnection({ ...db(), url, row: db().row.bind(db()) });
  assert.deepEqual(await at(db().url), []);
  assert.deepEqual(await at('postgres://u:p@db/postrider'), []);
  assert.deepEqual(await at('postgres://u:p@10.0.0.5/postrider'), []);
  assertFound(await at('postgres://u:p@db.provider.example/postrider'), 'warning', /not encrypted/);
  assertFound(await at('postgres://u:p@db/postrider?sslmode=require'), 'warning', /certificate is not checked/);
  assert.deepEqual(await at('postgres://u:p@db.provider.example/postrider?sslmode=verify-full'), []);
  const name = `ascii_${process.pid}`;
  await db().run(raw(`create database ${name} encoding 'SQL_ASCII' template template0 locale 'C'`));
  const other = connect(Object.assign(new URL(db().url), { pathname: name }).href, { maxConnections: 1 });
  try {
    const row = await other.row<{ encoding: string }>(sql`select current_setting('server_encoding') as encoding`);
    assert.equal(row!.encoding, 'SQL_ASCII');
    assertFound(await database.checkConnection(other), 'warning', /encoding SQL_ASCII/);
  } finally {
    await other.close();
    await db().run(raw(`drop database ${name}`));
  }
});

test('schema: missing migrations, those of a newer program, and what a restore has left', async () => {
  assert.deepEqual(states(await database.checkSchema(db())), ['ok']);
  await during(
    sql`insert into migration (name) values ('9999_later')`,
    sql`delete from migration where name = '9999_later'`,
    async () => assertFound(await database.checkSchema(db()), 'problem', /newer Postrider: 9999_later/),
  );
  await during(
    sql`update migration set name = '0000_other' where name = '0008_messages'`,
    sql`update migration set name = '0008_messages' where name = '0000_other'`,
    async () => {
      const found = await database.checkSchema(db());
      assert.ok(found.some(({ text }) => /1 migrations are missing: 0008_messages/.test(text)));
      const upgrade = await checkUpgrade(db(), app.app.config);
      assert.ok(upgrade.some(({ text }) => /0008_messages is pending; one transaction/.test(text)));
    },
  );
  await during(sql`create schema ${raw(restoreSchema)}`, sql`drop schema ${raw(restoreSchema)}`, async () =>
    assertFound(await database.checkSchema(db()), 'warning', /restore was cut short/),
  );
});

test('clock: as the database, or ahead of it', async () => {
  assert.equal((await database.checkClock(db())).state, 'ok');
  assertFound(await database.checkClock(db(), () => Date.now() + 60_000), 'warning', /60 s ahead/);
  assertFound(await database.checkClock(db(), () => Date.now() - 60_000), 'warning', /60 s behind/);
});

test('sending: workers, none, and held', async () => {
  const { config } = app.app;
  assertFound(await database.checkSending(db(), config), 'ok', /1 workers/);
  await during(sql`update worker set ended_at = now()`, sql`update worker set ended_at = null`, async () =>
    assertFound(await database.checkSending(db(), config), 'warning', /No worker is running/),
  );
  await during(
    sql`insert into heartbeat (instance, place) values ('i', 'elsewhere')`,
    sql`delete from heartbeat`,
    async () => assertFound(await database.checkSending(db(), config), 'problem', /held: .*is a copy/),
  );
});

test('relays: none, one that is ready, one that does not listen, one without the TLS that it needs', async () => {
  assertFound(await checkRelays(app.app), 'ok', /127\.0\.0\.1:\d+ is ready/);
  assertFound(await checkRelays(having({ smtpUrls: [] })), 'warning', /stay in the built-in inbox/);
  assertFound(
    await checkRelays(having({ smtpUrls: ['smtp://127.0.0.1:1'] })),
    'problem',
    /127\.0\.0\.1:1 does not accept messages \(connect\)/,
  );
  const sink = await startSink();
  assertFound(
    await checkRelays(having({ smtpUrls: [`smtp://127.0.0.1:${sink.port}?tls=require`] })),
    'problem',
    /does not accept messages/,
  );
  await sink.close();
});

test('dns: a domain whose records are missing, and one that has them', async () => {
  assertFound(await checkDomains(app.app), 'warning', /no sender domain/);
  const records = await activeDomain(app.app, app.account.id, 'news.example');
  dns.set('news.example', { TXT: ['v=spf1 mx -all'], MX: [{ exchange: 'mx.news.example', priority: 1 }] });
  const missing = await checkDomains(app.app);
  assert.ok(missing.some(({ state, text }) => state === 'problem' && /DKIM record .* is missing/.test(text)));
  assert.ok(missing.every(({ advice, state }) => state === 'ok' || advice !== ''));
  for (const [name, value] of Object.entries(records)) dns.set(name, { TXT: [value as string] });
  dns.set('_dmarc.news.example', { TXT: ['v=DMARC1; p=reject'] });
  dns.set('back.news.example', { TXT: ['v=spf1 a -all'], A: ['192.0.2.7'] });
  const published = await checkDomains(app.app);
  assert.ok(!published.some(({ state }) => state === 'problem'), JSON.stringify(published));
  assertFound(
    await checkDomains(having({ dnsServers: ['127.0.0.1:9'] })).then((all) => all.slice(0, 1)),
    'warning',
    /could not be looked up/,
  );
});

test('dns of returned mail: no MX, one without an address, and one that leads somewhere', async () => {
  dns.set('back.news.example', { A: ['192.0.2.7'] });
  assertFound(await checkBounces(app.app), 'problem', /has no MX record/);
  dns.set('back.news.example', { MX: [{ exchange: 'mx.back.example', priority: 10 }] });
  assertFound(await checkBounces(app.app), 'problem', /mx\.back\.example of back\.news\.example has no address/);
  dns.set('mx.back.example', { A: ['192.0.2.8'] });
  assertFound(await checkBounces(app.app), 'ok', /bounces go to mx\.back\.example/);
  assert.deepEqual(await checkBounces(having({ bounceDomain: '' })), []);
});

test('standby and archive: nothing is found where there is none', async () => {
  assert.deepEqual(await checkStandby(db(), app.app.config), []);
  assert.deepEqual(await checkArchive(db()), []);
});

test('backup: none, an old one, a recent one', async () => {
  const { config } = app.app;
  assertFound(await database.checkBackups(db(), config), 'warning', /There is no backup/);
  const made = (hoursAgo: number) => sql`
    insert into installation (key, value)
    values ('last_backup', jsonb_build_object('at', now() - make_interval(hours => ${hoursAgo}), 'rows', 7, 'bytes', 1000000))`;
  const back = sql`delete from installation where key = 'last_backup'`;
  await during(made(1), back, async () =>
    assertFound(await database.checkBackups(db(), config), 'ok', /7 rows, 1\.0 MB/),
  );
  await during(made(50), back, async () =>
    assertFound(await database.checkBackups(db(), config), 'warning', /50 hours old/),
  );
});

test('moves: one that stands between two installations for long', async () => {
  assert.deepEqual(await checkMoves(db()), []);
  await during(
    sql`insert into account_move (account, move_id, step, step_at) values (7, gen_random_uuid(), 'fenced', now() - interval '1 hour')`,
    sql`delete from account_move`,
    async () =>
      assertFound(await checkMoves(db()), 'problem', /account a0000007 has been in the step "fenced" for 60 minutes/),
  );
});

test('jobs that have failed for good', async () => {
  assert.equal((await database.checkJobs(db())).state, 'ok');
  await enqueue(db(), 'sendWelcome', { account_id: 1, list_id: 1, contact_id: 1 });
  await during(
    sql`update graphile_worker._private_jobs set attempts = max_attempts`,
    sql`delete from graphile_worker._private_jobs`,
    async () => assertFound(await database.checkJobs(db()), 'warning', /sendWelcome \(1\)/),
  );
});

test('all checks together; one that fails is a finding, too', async () => {
  const all = await examine(app.app);
  const names = new Set(all.map(({ check }) => check));
  for (const name of [
    'settings',
    'disk',
    'database',
    'connections',
    'schema',
    'clock',
    'sending',
    'relays',
    'dns',
    'backup',
    'jobs',
  ])
    assert.ok(names.has(name), name);
  const failing = await examine({ ...app.app, config: { ...app.app.config, smtpUrls: ['not a url'] } });
  assert.ok(failing.some(({ check, text }) => check === 'relays' && /The check failed/.test(text)));
  assert.equal(exitCodeOf([{ check: 'a', state: 'warning', text: '', advice: '' }]), 0);
  const shown = showFindings([{ check: 'disk', state: 'problem', text: 'full', advice: 'Make room.' }]);
  assert.match(shown, /^problem {2}disk +full\n +→ Make room\.\n\n1 problem, 0 warnings, 0 ok$/);
});

test('the commands print findings and end with 1 on a problem', async () => {
  const settings = { DATABASE_URL: db().url, DATA_DIR: folder, DNS_SERVERS: dns.server };
  const invalid = await postriderWith(['doctor', '--json'], { ...settings, PORT: 'x' });
  assert.equal(invalid.code, 1);
  assert.match((JSON.parse(invalid.output) as Finding[])[0]!.text, /PORT "x" is not a whole number/);
  const unreachable = await postriderWith(['doctor'], { ...settings, DATABASE_URL: 'postgres://x@127.0.0.1:1/none' });
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.output, /problem +database +.*nothing is listening/);
  const whole = await postriderWith(['doctor', '--json'], settings);
  assert.equal(whole.code, 1, whole.errors);
  assert.ok(
    (JSON.parse(whole.output) as Finding[]).some(({ check, state }) => check === 'database' && state === 'problem'),
  );
  const upgrade = await postriderWith(['upgrade', '--check'], settings);
  assert.equal(upgrade.code, 0, upgrade.errors);
  assert.match(upgrade.output, /up to date: nothing to migrate/);
  assert.notEqual((await postriderWith(['upgrade'], settings)).code, 0);
});
