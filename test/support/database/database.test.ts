// The shared test server itself: isolation, speed of a copy, and two processes that use it at the same time.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { databasePrefix, type Template, testDatabase } from './database.ts';

async function withClient<T>(url: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

const rowsOf = (url: string) =>
  withClient(url, async (client) => (await client.query<{ a: number }>('select a from t order by a')).rows);

function template(counts: { made: number }): Template {
  return {
    key: `support test ${randomBytes(8).toString('hex')}`,
    async migrate(url) {
      counts.made++;
      await withClient(url, (client) => client.query('create table t (a int); insert into t values (1)'));
    },
  };
}

test('databases from one template start with the same content, share nothing, and the template is created once', async () => {
  const counts = { made: 0 };
  const from = template(counts);
  const [one, two] = await Promise.all([testDatabase(from), testDatabase(from)]);
  await withClient(one.url, (client) => client.query('insert into t values (2)'));
  assert.deepEqual(await rowsOf(one.url), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(await rowsOf(two.url), [{ a: 1 }]);
  assert.equal(counts.made, 1);
  await Promise.all([one.close(), two.close()]);
});

test('another database of a template is ready in a fraction of a second, and dropped by close', async (t) => {
  const from = template({ made: 0 });
  const first = await testDatabase(from);
  const times: number[] = [];
  let last = first;
  for (let i = 0; i < 5; i++) {
    const begunAt = performance.now();
    last = await testDatabase(from);
    times.push(performance.now() - begunAt);
    await withClient(last.url, (client) => client.query('select 1'));
    await last.close();
  }
  times.sort((a, b) => a - b);
  t.diagnostic(`copies took ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  // 25 to 50 ms at rest; several test runs at once take turns, and a slow machine takes its time.
  assert.ok(times[0]! < 5_000, `${times[0]} ms`);
  await assert.rejects(rowsOf(last.url), { code: '3D000' });
  await first.close();
});

test('a migration that fails leaves no template behind', async () => {
  const key = `support test ${randomBytes(8).toString('hex')}`;
  const broken = { key, migrate: () => Promise.reject(new Error('broken migration')) };
  await assert.rejects(testDatabase(broken), /broken migration/);
  const repaired = await testDatabase({
    key,
    migrate: (url) => withClient(url, async (client) => void (await client.query('create table t (a int)'))),
  });
  assert.deepEqual(await rowsOf(repaired.url), []);
  await repaired.close();
});

test('databases of a killed test process are dropped by the next one, those of a live one are not', async () => {
  const mine = await testDatabase('empty');
  const killed = await otherProcess(`
    const db = await testDatabase("empty");
    console.log(db.url);
    setInterval(() => undefined, 1000);`);
  killed.process.kill('SIGKILL');
  await killed.ended;
  // Its connection is closed by the kernel, but the server has to notice.
  const names = async () =>
    withClient(mine.url, async (client) => {
      const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
      return rows.map(({ datname }) => datname).filter((name) => name.startsWith(databasePrefix));
    });
  const left = new URL(killed.printed).pathname.slice(1);
  assert.ok((await names()).includes(left));
  const next = await otherProcess(`
    const db = await testDatabase("empty");
    console.log(db.url);
    await db.close();`);
  await next.ended;
  assert.ok(!(await names()).includes(left));
  assert.ok((await names()).includes(new URL(mine.url).pathname.slice(1)));
  await mine.close();
});

/** Runs a script in another process as a test file would; resolves when it has printed its first line. */
async function otherProcess(script: string) {
  const support = fileURLToPath(new URL('database.ts', import.meta.url));
  const code = `import { testDatabase } from ${JSON.stringify(support)};\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const printed = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it printed`)));
  });
  return { process: child, ended, printed };
}
