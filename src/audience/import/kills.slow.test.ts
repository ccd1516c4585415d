// An import whose process is killed takes each row exactly once.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

type Status = { state: string; result: Record<string, number>; position: number };

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('an import whose process is killed again and again takes each row exactly once', async () => {
  const list = await t.call<string>('listCreate', { title: 'Readers' });
  const content = `EMAIL\n${Array.from({ length: 40_000 }, (_, i) => `r${i}@example.com\n`).join('')}`;
  const id = await t.call<string>('importCreate', { id: list, content });
  await t.call('importStart', { import: id });
  const runner = join(import.meta.dirname, '../../../test/support/installation/import-runner.ts');
  const status = () => t.call<Status>('importGet', { import: id });
  let kills = 0;
  for (let tries = 0; tries < 30; tries++) {
    const child = spawn(process.execPath, [runner, t.app.db.url, String(t.account.id), String(parseId(id))]);
    const ended = once(child, 'exit');
    const from = (await status()).position;
    if (tries < 4) {
      while (child.exitCode === null && (await status()).position <= from) await sleep(10);
      child.kill('SIGKILL');
    }
    const [code] = await ended;
    if (code === 0) break;
    kills++;
  }
  assert.ok(kills >= 3, `killed ${kills} times`);
  const { state, result } = await status();
  assert.deepEqual([state, result['rows'], result['added']], ['done', 40_000, 40_000]);
  const row = await t.app.db.row<{ members: number; evidence: number }>(sql`
    select (select count(*) from subscription where list_id = ${parseId(list)}) as members,
      (select count(*) from consent where list_id = ${parseId(list)}) as evidence`);
  assert.deepEqual(row, { members: 40_000, evidence: 40_000 });
});
