// Processes that do not send report a hold before a worker has checked; a confirmation is recorded with what it confirmed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { noteOperator } from '../accounts/audit/audit.ts';
import { sql } from '../db/connect.ts';
import { confirmSending, predictHold, recordHeartbeat } from './sending-guard.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const hold = () => predictHold(app.app.db, app.app.config.dataDir);
const confirm = () =>
  confirmSending(app.app.db, app.app.config.dataDir, (tx, reason) =>
    noteOperator(tx, 'all', 'confirmSending', { detail: { reason } }),
  );

test('sending is not held for a new database, nor for one that is all right', async () => {
  assert.equal(await hold(), '');
  assert.equal(await recordHeartbeat(app.app.db, app.app.config.dataDir), '');
  assert.equal(await hold(), '');
  // For a process that does not send, a long silence proves nothing.
  await app.app.db.run(sql`update heartbeat set beat_at = now() - interval '1 day'`);
  writeFileSync(join(app.app.config.dataDir, 'heartbeat.json'), '{}');
  assert.equal(await hold(), '');
  assert.equal(await confirm(), '');
});

test('a copied database is reported before a worker has checked: at home and when it is confirmed', async () => {
  await app.app.db.run(sql`update heartbeat set place = 'another server/1'`);
  assert.match(await hold(), /is a copy/);
  assert.deepEqual(await app.app.db.rows(sql`select held from heartbeat`), [{ held: '' }]);
  const home = await app.call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.match(home.attention.find((item) => item.kind === 'relay')?.detail ?? '', /sending is held: .*is a copy/);
  assert.match(await confirm(), /is a copy/);
  assert.equal(await hold(), '');
  assert.equal(await recordHeartbeat(app.app.db, app.app.config.dataDir), '');
  const [entry] = await app.call<{ method: string; detail: { reason: string } }[]>('auditLog');
  assert.equal(entry?.method, 'confirmSending');
  assert.match(entry!.detail.reason, /is a copy/);
});

test('the progress of a campaign shows that no worker is running', async () => {
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
