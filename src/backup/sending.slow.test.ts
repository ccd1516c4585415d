// A backup that is made while a campaign is sent, restored elsewhere: its tallies hold, it sends nothing until a person has
// confirmed, and then no recipient gets a second message that is not marked.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '../../test/support/database/database.ts';
import { checkInvariants } from '../../test/support/database/invariants.ts';
import { people } from '../../test/support/delivery/engine.ts';
import { Stage } from '../../test/support/delivery/stage.ts';
import { postriderWith } from '../../test/support/installation/commands.ts';
import { Installation } from '../../test/support/installation/installation.ts';
import { connect, sql } from '../db/connect.ts';
import { backupToFile } from './files.ts';
import { restoreBackup } from './restore.ts';

const passphrase = 'correct horse battery';
const recipients = 600;

test('a backup of a campaign in progress', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sending-'));
  const file = join(folder, 'one.backup');
  t.after(() => rmSync(folder, { recursive: true }));
  const stage = await Stage.start({ workers: 2, settings: { ACCOUNT_RATE: '60' } });
  t.after(() => stage.stop());
  const campaign = await stage.send(people(recipients));
  await stage.engine.until(campaign, (all) => all.filter(({ state }) => state === 'accepted').length > 100);
  await backupToFile(stage.db.url, file, { passphrase, sealKey: '', cost: 4 });
  const takenAfter = stage.sink.counts.accepted;
  assert.ok(takenAfter < recipients, 'the campaign is still being sent when the backup is complete');
  await stage.settled(campaign);

  const database = await testDatabase();
  t.after(() => database.close());
  await restoreBackup(database.url, createReadStream(file), { passphrase, sealKey: '' });
  const db = connect(database.url, { maxConnections: 1 });
  t.after(() => db.close());
  const tally = (await db.row<Record<string, number>>(sql`
    select sum(recipients)::int as recipients, sum(accepted)::int as accepted, sum(trying)::int as trying,
      sum(queued)::int as queued
    from tally where campaign_id = ${campaign}`))!;
  const rows = (await db.row<{ accepted: number; left: number }>(sql`
    select count(*) filter (where state = 2)::int as accepted, count(*) filter (where state in (0, 1))::int as left
    from delivery where campaign_id = ${campaign}`))!;
  assert.deepEqual(
    { recipients: tally['recipients'], accepted: tally['accepted'], left: tally['queued']! + tally['trying']! },
    { recipients, ...rows },
  );
  assert.ok(rows.accepted > 0 && rows.accepted <= takenAfter);

  const restored = new Installation({
    DATABASE_URL: database.url,
    SMTP_URL: `smtp://127.0.0.1:${stage.sink.port}?tls=none`,
  });
  t.after(() => restored.remove());
  const sentByOriginal = stage.sink.counts.accepted;
  await restored.start();
  await restored.until('both workers report the hold', async () => {
    return (restored.output.match(/sending is held: nothing is sent/g) ?? []).length >= 2;
  });
  assert.equal(stage.sink.counts.accepted, sentByOriginal, 'a restored installation sends nothing');

  const confirm = (...args: string[]) =>
    postriderWith(['confirm-sending', ...args], { DATABASE_URL: database.url, DATA_DIR: restored.dataDir });
  const undecided = await confirm();
  assert.equal(undecided.code, 2);
  assert.match(undecided.errors, /add --queued unclear/);
  assert.equal(stage.sink.counts.accepted, sentByOriginal);
  const confirmed = await confirm('--queued', 'unclear');
  assert.equal(confirmed.code, 0, confirmed.errors);
  assert.match(confirmed.output, /It has resumed\. Recipients that are unclear now: \d+/);

  await restored.until('the campaign is sent', async () => {
    return (await db.row(sql`select from campaign where id = ${campaign} and status = 'sent'`)) !== undefined;
  });
  const checked = await checkInvariants(db, stage.sink.log, { campaign, audience: people(recipients) });
  t.diagnostic(
    `${rows.accepted} of ${recipients} accepted in the backup; ${checked.copies} copies after the restore, all marked`,
  );
  assert.equal(checked.counts.accepted, recipients);
  assert.equal(checked.copies, recipients - rows.accepted);
});
