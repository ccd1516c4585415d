// The whole program is killed while it undoes an import. Some processes end a moment after the others, while the database
// goes down, so the job may keep its lock. After the next start the undo must go on within seconds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Installation, kill, type Part } from '../support/installation/installation.ts';

const rows = 40_000;
let installation: Installation;
before(async () => {
  installation = new Installation({ WORKERS: '2' });
  await installation.start();
});
after(() => installation.remove());

type Status = { state: string; result: Record<string, number>; undone: { removed: number } };
const cases: { title: string; parts: readonly Part[] }[] = [
  { title: 'everything', parts: ['work', 'web', 'postgres', 'inbox'] },
  { title: 'serve and the database, while the workers end in order', parts: ['postgres'] },
  { title: 'serve, while its children end in order', parts: [] },
];

for (const { title, parts } of cases)
  test(`an undo is completed after kill -9 of ${title}`, async () => {
    const list = await installation.call<string>('listCreate', { title });
    const lines = Array.from({ length: rows }, (_, n) => `reader.${n}@example.com,Reader ${n}`);
    const id = await installation.call<string>('importCreate', {
      id: list,
      content: ['email,FNAME', ...lines].join('\n'),
    });
    const status = () => installation.call<Status>('importGet', { import: id });
    await installation.call('importStart', { import: id });
    await installation.until('the import is done', async () => (await status()).state === 'done', 120, 100);
    assert.equal((await status()).result.added, rows);

    await installation.call('importUndo', { import: id });
    await installation.until('the undo has begun', async () => (await status()).undone.removed > 0, 60, 20);
    assert.equal((await status()).state, 'undoing');
    const pids = parts.flatMap((part) => installation.pids(part));
    assert.ok(parts.length === 0 || pids.length > 5, `the processes: ${pids}`);
    await installation.killServe();
    for (const pid of pids) kill(pid, 'SIGKILL');

    await installation.start();
    await installation.until('the undo is done', async () => (await status()).state === 'undone', 60, 100);
    assert.equal((await status()).undone.removed, rows);
    const lists = await installation.call<{ id: string; member_count: number }[]>('lists', {});
    assert.equal(lists.find((item) => item.id === list)?.member_count, 0);
  });
