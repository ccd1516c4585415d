// A backup has everything, and restoring it gives the same database; what is wrong with a file is found before anything
// is replaced.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { createZstdDecompress } from 'node:zlib';
import { schemaSql } from '../../scripts/schema-sql.ts';
import { launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestDatabase, testDatabase } from '../../test/support/database/database.ts';
import { fingerprint } from '../../test/support/database/fingerprint.ts';
import { appOn } from '../../test/support/installation/app.ts';
import { type SendingApp, sendingApp } from '../../test/support/installation/sending-app.ts';
import { addMember, createUser } from '../accounts/people/user.ts';
import { createLog } from '../base/log.ts';
import { connect, type Database, sql } from '../db/connect.ts';
import { formatId } from '../db/ids.ts';
import { makePartitions } from '../db/partitions.ts';
import { enqueue } from '../jobs/queue.ts';
import { migrateQueue } from '../jobs/queue-schema.ts';
import { recordHeartbeat } from '../jobs/sending-guard.ts';
import { makeBackup } from './backup.ts';
import { jobsTable } from './catalogue.ts';
import { decrypting } from './encryption.ts';
import { backupsIn, backupToDirectory, backupToFile } from './files.ts';
import { readRecords } from './records.ts';
import { checkBackup, inSchema, restoreBackup, restoreSchema } from './restore.ts';

const passphrase = 'correct horse battery';
const sealKey = 'a key of at least 16 characters';
const options = { passphrase, sealKey, cost: 4 };
let source: SendingApp;
let folder: string;
let file: string;
const opened: { close(): Promise<void> }[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
  source = await sendingApp({ settings: { SEAL_KEY: sealKey } });
  const list = await listOf(source, ['a@example.com', 'b@example.com', 'c@example.org']);
  const campaign = await launchedTo(source, list);
  const label = await source.call<string>('labelCreate', { name: 'Club' });
  await source.call('listUpdate', { id: list, name: 'add_label', value: label });
  await source.call('listUpdate', { id: list, name: 'hidden', value: true });
  await source.allSent();
  const odd = 'tab \t line \n back\\slash \\N \\. € 😀';
  await source.app.db.run(sql`insert into installation (key, value) values ('odd', ${JSON.stringify(odd)})`);
  await source.app.db.run(sql`update account set company = ${odd}`);
  await source.app.db.run(sql`
    insert into asset (account_id, name, content_type, sandbox, bytes)
    values (${source.account.id}, 'odd.png', 'image/png', false, ${Buffer.from([0, 255, 10, 92, 13, 46])})`);
  // Months that have passed have partitions, too.
  await makePartitions(source.app.db, { behind: 3 });
  await source.app.db.run(sql`
    insert into hit (account_id, campaign_id, seq, kind, at)
    select ${source.account.id}, ${campaign}, 1, 'open', now() - make_interval(months => n)
    from generate_series(0, 3) as n`);
  await enqueue(source.app.db, 'sendWelcome', { account_id: source.account.id, list_id: 1, contact_id: 2 });
  await enqueue(
    source.app.db,
    'sendGoodbye',
    { account_id: source.account.id, list_id: 1, contact_id: 3 },
    { key: 'goodbye 3', runAt: new Date('2040-01-01T00:00:00Z') },
  );
  // Its worker would go on writing what relays answered, after the backup as well.
  await source.stopWorker();
  file = join(folder, 'one.backup');
  await backupToFile(source.app.db.url, file, options);
});
after(async () => {
  for (const each of opened) await each.close();
  await source.close();
  rmSync(folder, { recursive: true });
});

const read = (path = file) => Readable.from([readFileSync(path)]);

/** A database to restore into; `empty` has only the queue. */
async function target(kind: 'empty' | 'whole' = 'whole'): Promise<TestDatabase> {
  const database = await testDatabase(kind === 'empty' ? 'empty' : undefined);
  opened.push(database);
  if (kind === 'empty') {
    await migrateQueue(database.url, createLog('silent', 'test'));
  }
  return database;
}

async function on<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connect(url, { maxConnections: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

const schemas = (url: string) =>
  on(url, (db) =>
    db.rows<{ name: string }>(sql`select nspname as name from pg_namespace where nspname = ${restoreSchema}`),
  );

test('every table of the catalogue is in a backup; one that is added later is, too', async () => {
  const database = await testDatabase({ copyOf: (await target()).url });
  opened.push(database);
  const all = await on(database.url, async (db) => {
    await db.run(sql`create table added_later (account_id int references account (id), note text)`);
    await db.run(sql`insert into added_later (note) values ('kept')`);
    return db.rows<{ name: string; unlogged: boolean }>(sql`
      select c.relname as name, relpersistence = 'u' as unlogged
      from pg_class c
      where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p')
        and not relispartition
      order by 1`);
  });
  const out = new PassThrough();
  const made = makeBackup(database.url, out, options);
  const names: string[] = [];
  for await (const record of readRecords(out.pipe(decrypting(passphrase)).pipe(createZstdDecompress())))
    if (record.kind === 'table') names.push(record.table.name);
  await made;
  // Sign-ins in progress, counts of attempts and sign-ups, proofs of forms, which a crash of the server empties as well.
  const left = ['passkey_challenge', 'provider_attempt', 'sign_in_try', 'signup_count', 'signup_proof'];
  assert.deepEqual(
    all.filter(({ unlogged }) => unlogged).map(({ name }) => name),
    left,
  );
  assert.deepEqual(
    names.toSorted(),
    [...all.map(({ name }) => name).filter((name) => !left.includes(name)), jobsTable].sort(),
  );
  assert.ok(names.includes('added_later'));
});

test('a restored database has the same rows, schema, sequences and jobs, and sending is held', async () => {
  const database = await target('empty');
  const restored = await restoreBackup(database.url, read(), { passphrase, sealKey });
  assert.deepEqual(await fingerprint(database.url), await withoutLastBackup(source.app.db.url));
  assert.equal(await schemaSql(database.url), await schemaSql((await target()).url));
  assert.deepEqual(await schemas(database.url), []);
  assert.ok(restored.tables > 50 && restored.rows > 10, JSON.stringify(restored));
  // The hits of each month are in a partition of that month again.
  const stray = (db: Database) => db.rows(sql`select from hit_default`);
  assert.deepEqual(await on(database.url, stray), []);
  const sequences = (db: Database) =>
    db.rows(sql`select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`);
  assert.deepEqual(await on(database.url, sequences), await sequences(source.app.db));
  const jobs = await on(database.url, (db) =>
    db.rows<{ task: string; key: string | null; runAt: Date }>(sql`
      select task_identifier as task, key, run_at as "runAt" from graphile_worker.jobs
      where task_identifier in ('sendWelcome', 'sendGoodbye') order by 1`),
  );
  assert.deepEqual(
    jobs.map(({ task, key, runAt }) => [task, key, runAt.getUTCFullYear() === 2040]),
    [
      ['sendGoodbye', 'goodbye 3', true],
      ['sendWelcome', null, false],
    ],
  );
  const app = await appOn(database.url, { SEAL_KEY: sealKey, DATA_DIR: join(folder, 'elsewhere') });
  opened.unshift({ close: () => app.db.close() });
  assert.match(await recordHeartbeat(app.db, app.config.dataDir), /restored from the backup of 20/);
  // New rows take new numbers, and the triggers are at work again.
  const disabled = await app.db.rows(sql`select tgname from pg_trigger where tgenabled = 'D'`);
  assert.deepEqual(disabled, []);
});

test('what was revoked after the backup: keys from login, links and invitations end, other keys, people and URLs are listed', async () => {
  const { account, app } = source;
  const { id: user } = await createUser(app.db, { email: 'removed-later@example.com', password: 'correct horse' });
  await addMember(app.db, account.id, user, 'owner');
  await app.db.run(sql`
    insert into api_key (account_id, key_hash, hint, label, user_id)
    values (${account.id}, 'a', 'aaaa', 'of login', ${user}), (${account.id}, 'b', 'bbbb', 'leaked later', null)`);
  await app.db.run(sql`
    insert into api_key (account_id, key_hash, hint, label, expired_at)
    values (${account.id}, 'c', 'cccc', 'revoked before', now())`);
  await app.db.run(sql`
    insert into invitation (account_id, email, email_key, role, token_hash, expires_at)
    values (${account.id}, 'x@example.com', 'x@example.com', 'owner', 'd', now() + interval '7 days')`);
  await app.db.run(sql`update api_key set test = true where hint = 'bbbb'`);
  const list = await source.call<string>('listCreate', { title: 'Shop' });
  const { id: volunteer } = await createUser(app.db, { email: 'volunteer@example.com', password: 'correct horse' });
  await addMember(app.db, account.id, volunteer, 'editor');
  await source.call('userUpdate', { id: formatId(volunteer), role: 'editor', lists: [list] });
  await source.call('apikeyAdd', { label: 'of no list', lists: [] });
  const { url } = await source.call<{ url: string }>('incomingWebhookCreate', { title: 'Carts', service: 'shopify' });
  const automation = await source.call<string>('automationCreate', { title: 'Leads', list });
  await source.call('automationUpdate', { id: automation, trigger: { type: 'webhook' } });
  await source.call('automationWebhookUrl', { id: automation });
  await app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${account.id}, 'CRM', 'https://crm.example/hook', '{contact.subscribe}')`);
  const path = join(folder, 'rights.backup');
  await backupToFile(app.db.url, path, options);
  const database = await target('empty');
  const restored = await restoreBackup(database.url, read(path), { passphrase, sealKey });
  const left = await on(database.url, (db) =>
    db.rows<{ hint: string }>(
      sql`select hint from api_key where expired_at is null and hint in ('aaaa', 'bbbb', 'cccc')`,
    ),
  );
  assert.deepEqual(left, [{ hint: 'bbbb' }]);
  for (const table of [sql`invitation`, sql`session`, sql`sign_in_link`])
    assert.deepEqual(await on(database.url, (db) => db.rows(sql`select from ${table}`)), []);
  const lines = restored.rights.join('\n');
  assert.match(lines, /: user removed-later@example\.com \(owner\)/);
  assert.match(lines, /: API key …bbbb "leaked later" \(full, test\)/);
  assert.match(lines, /: user volunteer@example\.com \(editor; lists: Shop\)/);
  assert.match(lines, /: API key …\S{4} "of no list" \(full; lists: none\)/);
  assert.match(lines, new RegExp(`: incoming webhook …${url.slice(-4)} "Carts"`));
  assert.match(lines, /: webhook of the automation …\S{4} "Leads"/);
  assert.match(lines, /: webhook "CRM" to https:\/\/crm\.example\/hook/);
  assert.doesNotMatch(lines, /of login|revoked before/);
});

/** The backup is recorded after it is made. */
async function withoutLastBackup(url: string): Promise<Record<string, string>> {
  const row = await on(url, (db) =>
    db.row<{ value: string }>(sql`
    delete from installation where key = 'last_backup' returning value::text as value`),
  );
  assert.ok(row, 'the backup was recorded');
  return fingerprint(url);
}

test('a database with other contents is replaced', async () => {
  const database = await target();
  await on(database.url, async (db) => {
    await db.run(sql`insert into account (name, email) values ('Old', 'old@example.com')`);
    await db.run(sql`create table of_another_program (n int)`);
    await enqueue(db, 'sendWelcome', { account_id: 1, list_id: 1, contact_id: 99 });
  });
  await restoreBackup(database.url, read(), { passphrase, sealKey });
  await on(database.url, async (db) => {
    assert.deepEqual(
      await db.rows(sql`select name from account`),
      await source.app.db.rows(sql`select name from account`),
    );
    assert.ok(await db.row(sql`select to_regclass('of_another_program') as name`), 'what is not ours stays');
    assert.equal(
      await db.row(sql`select from graphile_worker._private_jobs where payload ->> 'contact_id' = '99'`),
      undefined,
    );
    await db.run(sql`drop table of_another_program`);
  });
  assert.equal(await schemaSql(database.url), await schemaSql((await target()).url));
});

test('a wrong passphrase, a cut or changed file, another SEAL_KEY and a running program change nothing', async () => {
  const database = await target();
  await on(database.url, (db) => db.run(sql`insert into account (name, email) values ('Old', 'old@example.com')`));
  const before = await fingerprint(database.url);
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed[whole.length - 40]! ^= 1;
  const refusals: [string, () => Promise<unknown>, RegExp][] = [
    [
      'passphrase',
      () => restoreBackup(database.url, read(), { passphrase: 'not the passphrase', sealKey }),
      /passphrase is wrong/,
    ],
    [
      'cut',
      () => restoreBackup(database.url, Readable.from([whole.subarray(0, -1)]), { passphrase, sealKey }),
      /incomplete/,
    ],
    ['changed', () => restoreBackup(database.url, Readable.from([changed]), { passphrase, sealKey }), /changed/],
    [
      'seal key',
      () => restoreBackup(database.url, read(), { passphrase, sealKey: 'another key of 16 letters' }),
      /SEAL_KEY is not/,
    ],
  ];
  for (const [name, attempt, expected] of refusals) {
    await assert.rejects(attempt, expected, name);
    assert.deepEqual(await fingerprint(database.url), before, name);
    assert.deepEqual(await schemas(database.url), [], name);
  }
  const running = connect(database.url, { name: 'postrider web', maxConnections: 1 });
  await running.row(sql`select`);
  await assert.rejects(restoreBackup(database.url, read(), { passphrase, sealKey }), /in use by postrider web/);
  await running.close();
  assert.deepEqual(await fingerprint(database.url), before);
  await restoreBackup(database.url, read(), { passphrase, sealKey: 'another key of 16 letters', withoutSealKey: true });
});

test('a table that is not of Postrider is in the backup, and left out and named when that is restored', async () => {
  const foreign = await target();
  await on(foreign.url, (db) => db.run(sql`create table theirs as select n from generate_series(1, 7) as n`));
  const path = join(folder, 'foreign.backup');
  await backupToFile(foreign.url, path, options);
  const database = await target();
  const restored = await restoreBackup(database.url, read(path), { passphrase, sealKey });
  assert.deepEqual(restored.skipped, ['theirs']);
  assert.deepEqual((await checkBackup(read(path), passphrase)).rows, restored.rows);
  assert.equal(
    (await on(database.url, (db) => db.row<{ name: null }>(sql`select to_regclass('theirs') as name`)))!.name,
    null,
  );
});

test('a backup is checked without a database', async () => {
  const { manifest, rows, tables } = await checkBackup(read(), passphrase);
  assert.ok(rows > 10 && tables === manifest.tables);
  await assert.rejects(checkBackup(Readable.from([readFileSync(file).subarray(0, -1)]), passphrase), /incomplete/);
});

test('backups of a directory: the newest are kept, strangers and incomplete files are not touched or taken for one', async () => {
  const directory = join(folder, 'nightly');
  for (let n = 0; n < 3; n++) {
    const written = await backupToDirectory(source.app.db.url, directory, 2, options);
    // As if a night had passed.
    if (n < 2) renameSync(written.path, join(directory, `postrider-2026010${n + 1}-000000Z.backup`));
    if (n === 0) writeFileSync(join(directory, 'mine.backup'), 'x');
  }
  const files = await backupsIn(directory);
  assert.equal(files.length, 2);
  assert.equal(files[1], 'postrider-20260102-000000Z.backup');
  assert.ok(readdirSync(directory).includes('mine.backup'));
  await assert.rejects(backupToFile('postgres://127.0.0.1:1/none', join(directory, 'failed.backup'), options));
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('failed')),
    [],
  );
});

test('the URL of a schema keeps other options', () => {
  const url = inSchema('postgres://u@h/d?options=-c%20jit%3Doff', 'other');
  assert.equal(new URL(url).searchParams.get('options'), '-c jit=off -c search_path=other');
});
