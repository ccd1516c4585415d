// A database that pgBackRest restores to a moment in the middle of a campaign, while the journals of the workers have outlived it: nothing
// is sent before a person has confirmed, the outcomes that the database lacks are redone, and no recipient gets a second message that
// is not marked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Database, sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { checkArchive } from '../../src/doctor/archive.ts';
import { ArchivedServer, missingForArchive } from '../support/database/archived.ts';
import { checkInvariants } from '../support/database/invariants.ts';
import { people } from '../support/delivery/engine.ts';
import { postriderWith } from '../support/installation/commands.ts';
import { Installation } from '../support/installation/installation.ts';
import { until } from '../support/run/until.ts';
import { startSink } from '../support/smtp-sink/sink.ts';

const skip = missingForArchive() ?? false;
const recipients = 700;

const doctorOf = async (url: string) => {
  const db = connect(url, { maxConnections: 1 });
  const found = await checkArchive(db).finally(() => db.close());
  return found.map(({ state, text }) => `${state} ${text}`);
};

async function subscribeAll(db: Database, list: string, emails: readonly string[]): Promise<void> {
  await db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain)
      select l.account_id, address, address, split_part(address, '@', 2)
      from unnest(${emails}::text[]) address, list l
      where l.id = ${parseId(list)}
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(list)}, id, 'subscribed', now()
    from made`);
}

test('a restore to a point in time while a campaign was sent', { skip }, async (t) => {
  const server = await ArchivedServer.create();
  t.after(() => server.close());
  const sink = await startSink();
  t.after(() => sink.close());
  const installation = new Installation({
    DATABASE_URL: server.url,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none&connections=4`,
    ACCOUNT_RATE: '8/s',
  });
  t.after(() => installation.remove());
  await installation.start();
  let db = connect(server.url, { maxConnections: 2 });
  t.after(() => db.close());
  const sent = async (id: string) =>
    (await db.row(sql`select from campaign where id = ${parseId(id)} and status = 'sent'`)) !== undefined;
  const letter = async (title: string, emails: readonly string[]) => {
    const list = await installation.call<string>('listCreate', { title });
    await subscribeAll(db, list, emails);
    const id = await installation.draft(list);
    await installation.call('campaignSendNow', { cid: id });
    return id;
  };

  // Before: a campaign that is sent, and a full backup.
  const before = await letter('Before', people(10, 'before.example'));
  await installation.until('the first campaign is sent', () => sent(before));
  await server.pgbackrest('backup', '--type=full');
  await server.pgbackrest('check');
  assert.match((await doctorOf(server.url)).join(), /^ok the log is archived, last at 20\d\d-/);

  // The moment is in the middle of the second campaign; the third begins later and is lost.
  const audience = people(recipients);
  const campaign = await letter('Middle', audience);
  await installation.until('some have got it', async () => sink.counts.accepted > 110);
  const moment = (await db.row<{ at: string; beat: number }>(
    sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' as at, beat from heartbeat`,
  ))!;
  const sentThen = sink.counts.accepted;
  const lost = await letter('Lost', people(10, 'lost.example'));
  await installation.until('the last campaign is sent', () => sent(lost));
  await installation.until('the workers have seen a later database', async () => {
    const row = await db.row<{ beat: number }>(sql`select beat from heartbeat`);
    return row!.beat > moment.beat + 4;
  });
  await server.archived();
  await installation.stop();
  await db.close();
  const sentByOriginal = sink.counts.accepted;
  const sentMeanwhile = sentByOriginal - sentThen;
  assert.ok(sentMeanwhile > 100, `${sentMeanwhile} were sent after the moment`);
  await server.stop();
  await server.restore(moment.at);

  db = connect(server.url, { maxConnections: 2 });
  assert.equal(
    await db.row(sql`select from campaign where id = ${parseId(lost)}`),
    undefined,
    'what came later is lost',
  );
  await installation.start();
  await installation.until('the workers report the hold', async () =>
    /sending is held: nothing is sent/.test(installation.output),
  );
  assert.match(installation.output, /older than what this host has seen of it/);
  const confirm = (...args: string[]) =>
    postriderWith(['confirm-sending', ...args], { DATABASE_URL: server.url, DATA_DIR: installation.dataDir });
  const undecided = await confirm();
  assert.equal(undecided.code, 2, undecided.output);
  assert.match(undecided.errors, /add --queued unclear/);
  assert.equal(sink.counts.accepted, sentByOriginal, 'nothing is sent before it is confirmed');
  const confirmed = await confirm('--queued', 'unclear');
  assert.equal(confirmed.code, 0, confirmed.errors);

  await installation.until('the campaign is sent', () => sent(campaign), 300);
  assert.match(installation.output, /outcomes of this worker; they were redone/);
  const checked = await checkInvariants(db, sink.log, { campaign: parseId(campaign), audience });
  assert.equal(checked.counts.accepted, recipients);
  t.diagnostic(
    `${sentMeanwhile} messages were sent after the moment; ${checked.copies} recipients got a second one, all marked`,
  );
  const twice = (name: string) => sink.accepted().filter((entry) => entry.to!.endsWith(`@${name}`)).length;
  assert.deepEqual([twice('before.example'), twice('lost.example')], [10, 10]);

  // The archive stops.
  server.hideRepository(true);
  await db.run(sql`create table unrelated as select generate_series(1, 1000) n`);
  await db.run(sql`select pg_switch_wal()`);
  await until('the doctor says so', async () =>
    /^problem The log of the database is not archived/.test((await doctorOf(server.url)).join()),
  );
  server.hideRepository(false);
  await server.archived();
  assert.match((await doctorOf(server.url)).join(), /^ok the log is archived/);
});
