// A restore that is killed at any moment leaves the old database or the new one, whole, and can be run again.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { schemaSql } from '../../scripts/schema-sql.ts';
import { listOf } from '../../test/support/builders/campaigns.ts';
import { testDatabase } from '../../test/support/database/database.ts';
import { fingerprint } from '../../test/support/database/fingerprint.ts';
import { people } from '../../test/support/delivery/engine.ts';
import { testApp } from '../../test/support/installation/app.ts';
import { connect, sql } from '../db/connect.ts';
import { backupToFile } from './files.ts';

const passphrase = 'correct horse battery';
const runner = join(import.meta.dirname, '../../test/support/installation/restore-runner.ts');
const steps = ['schema', 'rows', 'settle', 'replace', 'commit', 'done'];
/** Kills at a step, then at moments spread between two steps. */
const kills: { step: string; laterMs: number }[] = [
  ...['schema', 'rows', 'settle', 'replace', 'commit'].map((step) => ({ step, laterMs: 0 })),
  ...['schema', 'rows', 'settle', 'replace', 'commit'].flatMap((step) =>
    [2, 15, 60].map((laterMs) => ({ step, laterMs })),
  ),
  { step: 'done', laterMs: 0 },
];
let folder: string;
let file: string;
let fresh: Record<string, string>;
let schema: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kills-'));
  file = join(folder, 'new.backup');
  const app = await testApp();
  await listOf(app, people(3_000));
  schema = await schemaSql(app.app.db.url);
  fresh = await fingerprint(app.app.db.url);
  await backupToFile(app.app.db.url, file, { passphrase, sealKey: '', cost: 4 });
  await app.close();
});
after(() => rmSync(folder, { recursive: true }));

/** Lets the restore go on step by step. */
async function restore(url: string, killAt?: (typeof kills)[number]): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, [runner, url, file, passphrase], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let printed = '';
  for await (const text of child.stdout) {
    printed += text;
    for (const line of printed.split('\n').slice(0, -1)) {
      assert.ok(steps.includes(line), line);
      if (line === killAt?.step && killAt.laterMs === 0) child.kill('SIGKILL');
      else goOn(child);
      if (line === killAt?.step) void sleep(killAt.laterMs).then(() => child.kill('SIGKILL'));
    }
    printed = printed.slice(printed.lastIndexOf('\n') + 1);
  }
  await ended;
  return child.signalCode === 'SIGKILL' ? 'killed' : 'done';
}

function goOn(child: ChildProcess): void {
  child.stdin!.on('error', () => {});
  child.stdin!.write('\n');
}

test(`after each of ${kills.length} kills there is the old database or the new one`, async (t) => {
  const original = await testDatabase();
  const db = connect(original.url, { maxConnections: 1 });
  await db.run(sql`insert into account (name, email) values ('Old', 'old@example.com')`);
  await db.close();
  const old = await fingerprint(original.url);
  const found = { old: 0, new: 0 };
  for (const kill of kills) {
    const database = await testDatabase({ copyOf: original.url });
    await restore(database.url, kill);
    const now = await fingerprint(database.url);
    const isOld = isDeepStrictEqual(now, old);
    assert.ok(isOld || isDeepStrictEqual(now, fresh), `${kill.step} + ${kill.laterMs} ms: ${JSON.stringify(now)}`);
    found[isOld ? 'old' : 'new'] += 1;
    // What the killed restore left does not disturb the next one.
    assert.equal(await restore(database.url), 'done');
    assert.deepEqual(await fingerprint(database.url), fresh);
    assert.equal(await schemaSql(database.url), schema);
    await database.close();
  }
  t.diagnostic(`${kills.length} kills: ${found.old} left the old database, ${found.new} the new one`);
  assert.ok(found.old > 0 && found.new > 0, JSON.stringify(found));
  await original.close();
});
