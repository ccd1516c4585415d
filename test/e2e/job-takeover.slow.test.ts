// A job outlives the process that runs it: both workers are killed during a long import, and the next ones resume it
// where it was.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../support/database/database.ts';
import { Installation, kill } from '../support/installation/installation.ts';

const rows = 60_000;
let installation: Installation;
let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  installation = new Installation({ DATABASE_URL: database.url, WORKERS: '2' });
  await installation.start();
});
after(async () => {
  await installation.remove();
  await database.close();
});

type Status = { state: string; position: number; result: Record<string, number> };

test('an import whose workers are killed is resumed by the next ones, and each row is imported once', async () => {
  const list = await installation.call<string>('listCreate', { title: 'Readers' });
  const lines = Array.from({ length: rows }, (_, n) => `reader.${n}@example.com,Reader ${n}`);
  const id = await installation.call<string>('importCreate', {
    id: list,
    content: ['email,FNAME', ...lines].join('\n'),
  });
  const status = () => installation.call<Status>('importGet', { import: id });
  await installation.call('importStart', { import: id });
  await installation.until('it has begun', async () => (await status()).position > 0, 60, 20);
  const killed = installation.pids('work');
  assert.equal(killed.length, 2);
  for (const pid of killed) kill(pid, 'SIGKILL');
  const at = await status();
  assert.equal(at.state, 'running', 'the import was still running');
  await installation.until('the import is done', async () => (await status()).state === 'done', 180, 250);
  assert.equal((await status()).result.added, rows);
  const lists = await installation.call<{ id: string; member_count: number }[]>('lists', {});
  assert.equal(lists.find((item) => item.id === list)?.member_count, rows);
});
