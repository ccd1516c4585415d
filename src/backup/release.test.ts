// What `confirm-sending --queued unclear` does in a restored database: recipients that waited become unclear, and what would start or
// go on by its time is paused, because the original may have done it since.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../test/support/builders/campaigns.ts';
import { type TestDatabase, testDatabase } from '../../test/support/database/database.ts';
import { appOn, type TestApp, testApp } from '../../test/support/installation/app.ts';
import type { App } from '../base/context.ts';
import { message, packMessage, renderPacked } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { call } from '../doors/call.ts';
import { backupToFile } from './files.ts';
import { doubtWaiting, holdSending, restoredFrom, waitingSince } from './release.ts';
import { restoreBackup } from './restore.ts';

const passphrase = 'correct horse battery';
let source: TestApp;
let database: TestDatabase;
let app: App;
let folder: string;
/** By what each campaign is in. */
const campaigns: Record<string, number> = {};

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  source = await testApp();
  const { db } = source.app;
  const list = await listOf(source, ['a@example.com', 'b@example.com', 'c@example.com']);
  const make = async (name: string, change = sql`status = 'draft'`) => {
    campaigns[name] = parseId(await aCampaign(source, { to: list }))!;
    await db.run(sql`update campaign set ${change} where id = ${campaigns[name]!}`);
  };
  await make('draft');
  await make('scheduled for the past', sql`status = 'scheduled', schedule_at = now() - interval '1 hour'`);
  await make('scheduled for later', sql`status = 'scheduled', schedule_at = now() + interval '1 day'`);
  await make('launching', sql`status = 'launching', send_at = now()`);
  await make(
    'paused by a person',
    sql`status = 'paused', paused_from = 'scheduled', schedule_at = now() - interval '1 day'`,
  );
  campaigns['autoresponder'] = parseId(
    await aCampaign(source, {
      to: list,
      type: 'auto',
      type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' },
    }),
  )!;
  await db.run(sql`update campaign set status = 'sending', send_at = now() where id = ${campaigns['autoresponder']}`);
  campaigns['sending'] = await launchedTo(source, list);
  campaigns['A/B test'] = await launchedTo(source, list);
  await db.run(sql`
    insert into campaign_test (account_id, campaign_id, share, winner, wait_minutes, test_size)
    values (${source.account.id}, ${campaigns['A/B test']}, 50, 'clicks', 60, 2)`);
  for (const status of ['draft', 'active', 'paused'])
    await db.run(sql`
      insert into automation (account_id, title, list_id, status, definition, version)
      values (${source.account.id}, ${status}, ${parseId(list)!}, ${status}, '{}', ${status === 'draft' ? 0 : 1})`);

  const file = join(folder, 'one.backup');
  await backupToFile(db.url, file, { passphrase, sealKey: '', cost: 4 });
  database = await testDatabase();
  await restoreBackup(database.url, createReadStream(file), { passphrase, sealKey: '' });
  app = await appOn(database.url, { DATA_DIR: join(folder, 'elsewhere') });
});
after(async () => {
  await app?.db.close();
  await database?.close();
  await source.close();
  rmSync(folder, { recursive: true });
});

type State = { status: string; from: string | null; reason: string };
async function stateOf(name: string): Promise<State> {
  const row = await app.db.row<State>(sql`
    select status, paused_from as "from", status_reason as reason from campaign where id = ${campaigns[name]!}`);
  return row!;
}
const paused = ['scheduled for the past', 'launching', 'autoresponder', 'A/B test'];

test('what would start or go on is paused, with the reason, and the rest stays as it is', async () => {
  const madeAt = await restoredFrom(app);
  assert.match(madeAt!, /^20\d\d-/);
  // Two campaigns of three recipients each; four campaigns and one automation.
  assert.deepEqual(await waitingSince(app.db), { recipients: 6, campaigns: 5 });
  const before = Object.fromEntries(
    await Promise.all(Object.keys(campaigns).map(async (name) => [name, await stateOf(name)] as const)),
  );
  assert.deepEqual(await doubtWaiting(app, madeAt!), { recipients: 6, campaigns: 5 });
  for (const [name, state] of Object.entries(before)) {
    const now = await stateOf(name);
    if (!paused.includes(name)) {
      assert.deepEqual(now, state, name);
      continue;
    }
    assert.deepEqual([now.status, now.from], ['paused', state.status], name);
    assert.ok(renderPacked(now.reason).includes(madeAt!), renderPacked(now.reason));
  }
  const automations = await app.db.rows<{ title: string; status: string; reason: string }>(
    sql`select title, status, status_reason as reason from automation order by title`,
  );
  assert.deepEqual(
    automations.map(({ title, status, reason }) => [title, status, reason !== '']),
    [
      ['active', 'paused', true],
      ['draft', 'draft', false],
      ['paused', 'paused', false],
    ],
  );
  const left = await app.db.row<{ count: number }>(
    sql`select count(*)::int as count from delivery where state in (0, 1)`,
  );
  assert.equal(left!.count, 0, 'no recipient of the backup is sent to without a decision');
});

test('a second run after a crash finds nothing left to do', async () => {
  assert.deepEqual(await doubtWaiting(app, (await restoredFrom(app))!), { recipients: 0, campaigns: 0 });
  assert.equal((await stateOf('scheduled for the past')).from, 'scheduled', 'where it goes on is not lost');
});

test('a database that was set back otherwise is held by hand, and asks for the same decision', async () => {
  const there = source.app;
  assert.equal(await restoredFrom(there), undefined);
  await there.db.run(sql`
    insert into heartbeat (instance, place, beat_at) values ('one', '', '2026-01-02 03:04:05Z') on conflict (single)
    do update set beat_at = excluded.beat_at`);
  let noted = 0;
  const hold = () =>
    holdSending(there.db, async () => {
      noted += 1;
    });
  assert.equal(await hold(), '2026-01-02 03:04:05');
  assert.equal(await hold(), undefined, 'held already');
  assert.equal(noted, 1);
  assert.equal(await restoredFrom(there), '2026-01-02 03:04:05');
  // Older than what this host has seen of it.
  await there.db.run(sql`update heartbeat set held = ${packMessage(message('hold.older'))}`);
  assert.equal(await restoredFrom(there), '2026-01-02 03:04:05');
});

test('a person resumes a campaign where it was', async () => {
  const cid = formatId(campaigns['scheduled for the past']!);
  await call(app, 'campaignResume', { cid }, { kind: 'system', accountId: source.account.id }, 'json');
  assert.deepEqual(await stateOf('scheduled for the past'), { status: 'scheduled', from: null, reason: '' });
});
