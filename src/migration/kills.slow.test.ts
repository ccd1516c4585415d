// A migration whose process is killed while it reads, compares and imports.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { type Account, type MigrationTools, migrationTools } from '../../test/support/installation/migrations.ts';
import { mailchimpArchive } from '../../test/support/samples/source-exports.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';

let t: TestApp;
let tools: MigrationTools;
before(async () => {
  t = await testApp();
  tools = migrationTools(t);
});
after(() => t.close());

test('a migration whose process is killed again and again gives the same result', async () => {
  const whole = await t.anotherAccount();
  const bytes = mailchimpArchive();
  const first = await tools.prepared(whole, 'mailchimp', [['export.zip', bytes]]);
  await tools.run(whole, first);
  await whole.call('migrationStart', { migration: first });
  await tools.run(whole, first);
  const account = await t.anotherAccount();
  const id = await tools.prepared(account, 'mailchimp', [['export.zip', bytes]]);
  const runner = join(import.meta.dirname, '../../test/support/installation/migration-runner.ts');
  let kills = 0;
  const untilDone = async (moments: ((at: { position: number; started: boolean; added: number }) => boolean)[]) => {
    for (let tries = 0; tries < 20; tries++) {
      const child = spawn(process.execPath, [runner, t.app.db.url, String(account.account.id), String(parseId(id))], {
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const isMoment = moments.shift();
      while (isMoment && child.exitCode === null) {
        const now = await progress(account, id);
        if (isMoment(now)) {
          child.kill('SIGKILL');
          kills++;
          break;
        }
        await sleep(2);
      }
      const [code] = await ended;
      if (code === 0) return;
    }
    assert.fail('the migration does not end');
  };
  // While it is read, while its files are written, and while it is compared.
  await untilDone([({ position }) => position > 0, ({ started }) => started]);
  assert.equal((await tools.statusOf(account, id)).state, 'checked');
  await account.call('migrationStart', { migration: id });
  // After the first batches, and once more.
  await untilDone([({ added }) => added > 0, ({ added }) => added > 5_000]);
  assert.equal((await tools.statusOf(account, id)).state, 'done');
  assert.ok(kills >= 3, `${kills} kills`);
  assert.equal(await tools.stored(account), await tools.stored(whole));
});

async function progress({ account: { id } }: Account, migration: string) {
  const row = await t.app.db.row<{ position: number; started: boolean; added: number }>(sql`
    select m.position,
      exists (select from source_migration_list l where l.account_id = m.account_id and l.migration_id = m.id) as started,
      (select coalesce(sum((i.counts ->> 'added')::int), 0)::int from import i where i.account_id = m.account_id) as added
    from source_migration m
    where m.account_id = ${id}
      and m.id = ${parseId(migration)}`);
  return row!;
}
