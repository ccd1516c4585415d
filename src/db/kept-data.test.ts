// Migrations that move data: what was chosen or found before them holds after them.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';
import { migrate } from './migrate/migrate.ts';
import { readMigrations } from './migration-files.ts';

/** A database as it was before the migration of this name, and a function that applies it and those after it. */
async function before(t: TestContext, name: string) {
  const migrations = readMigrations();
  const at = migrations.findIndex((migration) => migration.name === name);
  assert.ok(at > 0, name);
  const database = await testDatabase('empty');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  await migrate(database.url, { migrations: migrations.slice(0, at) });
  const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
  return { rows, apply: () => migrate(database.url, { migrations }) };
}

test('an archive that was on stays on with the campaigns it showed, in no list yet', async (t) => {
  const { rows, apply } = await before(t, '0030_archive');
  const account = async (email: string, settings: object) =>
    (
      await rows('insert into account (name, email, settings) values ($1, $2, $3) returning id', [
        'Letters',
        email,
        settings,
      ])
    )[0].id as number;
  const on = await account('on@example.com', { archive_index: true, send_window: 'x' });
  const off = await account('off@example.com', { archive_index: false });
  const unset = await account('unset@example.com', {});
  const campaign = async (accountId: number, title: string, { type = 'html', sent = true, segment = false } = {}) => {
    const [list] = await rows('insert into list (account_id, name) values ($1, $2) returning id', [accountId, title]);
    const [{ id }] = await rows(
      `insert into campaign (account_id, type, title, status, send_at, subject, from_name, reply_to)
       values ($1, $2, $3, $4, $5, $3, 'Ann', 'ann@example.com')
       returning id`,
      [accountId, type, title, sent ? 'sent' : 'draft', sent ? '2026-01-02T03:04:05Z' : null],
    );
    await rows('insert into campaign_list (account_id, campaign_id, list_id, position) values ($1, $2, $3, 0)', [
      accountId,
      id,
      list.id,
    ]);
    if (!segment) return;
    const [{ id: segmentId }] = await rows(
      `insert into segment (account_id, list_id, title, match, filter) values ($1, $2, 'Some', 'all', '[]') returning id`,
      [accountId, list.id],
    );
    await rows('insert into campaign_segment (account_id, campaign_id, segment_id) values ($1, $2, $3)', [
      accountId,
      id,
      segmentId,
    ]);
  };
  await campaign(on, 'to a list');
  await campaign(on, 'to a segment', { segment: true });
  await campaign(on, 'a draft', { sent: false });
  await campaign(off, 'not archived');
  await apply();
  assert.deepEqual(await rows('select account_id, is_on, slug, title, description, language, indexable from archive'), [
    { account_id: on, is_on: true, slug: null, title: '', description: '', language: '', indexable: false },
  ]);
  assert.deepEqual(await rows('select id, settings from account order by id'), [
    ...[
      { id: on, settings: { send_window: 'x' } },
      { id: off, settings: {} },
      { id: unset, settings: {} },
    ].sort((a, b) => a.id - b.id),
  ]);
  assert.deepEqual(await rows('select title, in_archive from campaign order by title'), [
    { title: 'a draft', in_archive: null },
    { title: 'not archived', in_archive: null },
    { title: 'to a list', in_archive: true },
    { title: 'to a segment', in_archive: false },
  ]);
  assert.deepEqual(await rows('select distinct in_archive from list'), [{ in_archive: false }]);
});

test('a failed test of a relay is still known, and leaves the table of the installation', async (t) => {
  const { rows, apply } = await before(t, '0033_relay_test');
  const failed = { at: '2026-11-28T10:00:00.000Z', problem: 'refused' };
  await rows(`insert into installation (key, value) values ('failed relay test a1', $1), ('relays_set_up', 'true')`, [
    failed,
  ]);
  await apply();
  assert.deepEqual(await rows('select relay, at, problem from relay_test'), [
    { relay: 'a1', at: new Date(failed.at), problem: 'refused' },
  ]);
  assert.deepEqual(await rows(`select key from installation where key in ('failed relay test a1', 'relays_set_up')`), [
    { key: 'relays_set_up' },
  ]);
});
