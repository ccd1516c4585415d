// The real PgBouncer with its usual settings: in session mode a whole campaign is sent through it, in transaction mode the program
// does not start, and reports what to change.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { testDatabase } from '../../test/support/database/database.ts';
import { DatabaseProxy } from '../../test/support/database/proxy.ts';
import { countBy, Engine, people } from '../../test/support/delivery/engine.ts';
import { startProgram } from '../../test/support/installation/program.ts';
import { startSink } from '../../test/support/smtp-sink/sink.ts';
import { freePort } from '../base/free-port.ts';

const program = '/usr/sbin/pgbouncer';
const skip = existsSync(program) ? false : 'PgBouncer is not installed';

/** It refuses to run as root. */
function otherUser(): { uid: number; gid: number } | object {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

class Bouncer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #proxy: DatabaseProxy;
  readonly url: string;

  private constructor(folder: string, child: ChildProcess, proxy: DatabaseProxy, url: string) {
    this.#folder = folder;
    this.#process = child;
    this.#proxy = proxy;
    this.url = url;
  }

  static async start(target: string, mode: 'session' | 'transaction'): Promise<Bouncer> {
    // The server of the tests listens on a socket that only its user may reach.
    const proxy = await DatabaseProxy.start(target);
    const { port } = new URL(proxy.url);
    const { username, password, pathname } = new URL(target);
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    chmodSync(folder, 0o755);
    const listen = await freePort();
    writeFileSync(join(folder, 'users'), `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=127.0.0.1 port=${port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${listen}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${join(folder, 'users')}`,
        `pool_mode = ${mode}`,
        'default_pool_size = 60',
      ].join('\n'),
    );
    const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...otherUser(), stdio: 'ignore' });
    const url = `postgres://${username}@127.0.0.1:${listen}${pathname}`;
    const bouncer = new Bouncer(folder, child, proxy, url);
    for (const deadline = performance.now() + 20_000; !(await bouncer.#answers()); await sleep(50))
      if (performance.now() > deadline) {
        await bouncer.stop();
        throw new Error('PgBouncer does not answer');
      }
    return bouncer;
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    return client
      .connect()
      .then(() => client.query('select'))
      .then(
        () => true,
        () => false,
      )
      .finally(() => client.end().catch(() => {}));
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGINT');
    await Promise.race([ended, sleep(3_000)]);
    this.#process.kill('SIGKILL');
    await this.#proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

test('through PgBouncer in session mode a campaign reaches each recipient once', { skip }, async () => {
  let bouncer: Bouncer | undefined;
  let engine: Engine | undefined;
  const sink = await startSink();
  try {
    engine = await Engine.start({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` }, 2, 1, async (target) => {
      bouncer = await Bouncer.start(target, 'session');
      return bouncer.url;
    });
    const id = await engine.send(people(2_000));
    const all = await engine.until(id, (every) => every.every(({ state }) => state === 'accepted'));
    assert.ok(all.every(({ resent, attempts }) => resent === 0 && attempts === 1));
    assert.equal(Object.keys(countBy(sink.accepted(), (entry) => entry.to!)).length, 2_000);
    assert.equal(sink.counts.accepted, 2_000);
    // What a session is prepared with holds behind it as well.
    const row = await engine.app.app.db.pool.query("select current_setting('statement_timeout') as value");
    assert.deepEqual(row.rows, [{ value: '1min' }]);
  } finally {
    await engine?.stop();
    await bouncer?.stop();
    await sink.close();
  }
});

test('through PgBouncer in transaction mode no command starts, and the reason names the setting', {
  skip,
}, async () => {
  const database = await testDatabase();
  const bouncer = await Bouncer.start(database.url, 'transaction');
  try {
    for (const command of ['migrate', 'web']) {
      const started = startProgram([command], { DATABASE_URL: bouncer.url, PORT: String(await freePort()) });
      assert.equal(await started.ended, 1);
      assert.match(started.output, /DATABASE_URL leads to PgBouncer.* pool_mode = session/);
    }
  } finally {
    await bouncer.stop();
    await database.close();
  }
});
