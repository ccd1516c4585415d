// That sending is held is told by processes that do not send, before any worker has looked; and a confirmation is written
// down with what it confirmed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { noteOperator } from '../accounts/audit/audit.ts';
import { sql } from '../db/connect.ts';
import { beat, foreseenReason, releaseSending } from './sending-guard.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const foreseen = () => foreseenReason(app.app.db, app.app.config.dataDir);
const release = () =>
  releaseSending(app.app.db, app.app.config.dataDir, (tx, reason) =>
    noteOperator(tx, 'all', 'confirmSending', { detail: { reason } }),
  );

test('a database that no worker has been at, and one that all is well with, are held by nothing', async () => {
  assert.equal(await foreseen(), '');
  assert.equal(await beat(app.app.db, app.app.config.dataDir), '');
  assert.equal(await foreseen(), '');
  // That nobody has been there for long says nothing to a process that does not send.
  await app.app.db.run(sql`update heartbeat set beat_at = now() - interval '1 day'`);
  writeFileSync(join(app.app.config.dataDir, 'heartbeat.json'), '{}');
  assert.equal(await foreseen(), '');
  assert.equal(await release(), '');
});

test('a copied database is told before a worker has looked: by a campaign, at home and when it is confirmed', async () => {
  await app.app.db.run(sql`update heartbeat set place = 'another server/1'`);
  assert.match(await foreseen(), /is a copy/);
  assert.deepEqual(await app.app.db.rows(sql`select held from heartbeat`), [{ held: '' }]);
  const home = await app.call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.match(home.attention.find((one) => one.kind === 'relay')?.detail ?? '', /sending is held: .*is a copy/);
  assert.match(await release(), /is a copy/);
  assert.equal(await foreseen(), '');
  assert.equal(await beat(app.app.db, app.app.config.dataDir), '');
  const [entry] = await app.call<{ method: string; detail: { reason: string } }[]>('auditLog');
  assert.equal(entry?.method, 'confirmSending');
  assert.match(entry!.detail.reason, /is a copy/);
});

test('a campaign under way says so when no worker is running', async () => {
  const list = await app.call<string>('listCreate', { title: 'Readers' });
  const cid = await app.call<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: 'a@example.com', from_name: 'A' },
    content: { html: '<p>x</p>', plain: 'x' },
  });
  await app.call('campaignSendNow', { cid });
  const { status_reason } = await app.call<{ status_reason: string }>('campaignProgress', { cid });
  assert.match(status_reason, /no worker is running/);
});
