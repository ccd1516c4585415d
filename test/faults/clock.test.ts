// The clock of the database steps while mail is on the wire (fault F40): a PostgreSQL of the test's own under libfaketime,
// whose clock is set forward and back by more than a lease lasts. The workers' clocks are right all the time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/db/connect.ts';
import { findBinaries } from '../../src/db/embedded/binaries.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded.ts';
import { Stage } from '../support/delivery/stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const clock = join(folder, 'clock');
let server: EmbeddedServer | undefined;
let stage: Stage | undefined;

before(async () => {
  const library = faketime();
  if (!library) return;
  // PostgreSQL runs as another user where we are root.
  chmodSync(folder, 0o755);
  writeFileSync(clock, '+0\n');
  const none = () => undefined;
  server = await startEmbedded({
    dataDir: join(folder, 'data'),
    binDir: fakedBinaries(library),
    log: { info: none, warn: none, error: none },
    settings: { fsync: 'off' },
  });
  process.env.TEST_DATABASE_URL = server.superuserUrl;
  stage = await Stage.start({ workers: 2, relay: 'tls=none&connections=20' });
});
after(async () => {
  await stage?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The library that makes a process believe in another time; installed by the test where that is possible. */
function faketime(): string | undefined {
  const find = () => globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
  if (!find() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get'))
    spawnSync('apt-get', ['install', '-y', '-q', 'libfaketime'], { timeout: 60_000 });
  return find();
}

/** PostgreSQL's programs, of which the server goes by the time in the file. */
function fakedBinaries(library: string): string {
  const real = findBinaries({ runAs: undefined, copyTo: folder });
  const dir = join(folder, 'bin');
  mkdirSync(dir);
  symlinkSync(join(real.dir, 'initdb'), join(dir, 'initdb'));
  const settings = {
    ...real.env,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const exports = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'`);
  const program = ['#!/bin/sh', ...exports, `exec '${join(real.dir, 'postgres')}' "$@"`, ''].join('\n');
  writeFileSync(join(dir, 'postgres'), program, { mode: 0o755 });
  return dir;
}

/** Every session reads the file for itself, once a second. */
async function untilAhead(seconds: number): Promise<void> {
  for (const deadline = performance.now() + 10_000; ; await sleep(200)) {
    const row = await stage!.db.row<{ now: Date }>(sql`select clock_timestamp() as now`);
    const ahead = (row!.now.getTime() - Date.now()) / 1_000;
    if (Math.abs(ahead - seconds) < 3) break;
    assert.ok(performance.now() < deadline, `the clock of the database is ${ahead} s ahead`);
  }
  await sleep(1_000);
}

for (const [jump, ahead] of [
  ['+30s', 30],
  ['+2h', 7_200],
  ['-2h', -7_200],
  ['+1d', 86_400],
  ['-365d', -365 * 86_400],
] as const)
  test(`F40 the clock of the database is set to ${jump} with mail on the wire: everybody gets it, once`, async (t) => {
    if (!stage) {
      t.diagnostic('NOT JUDGED: libfaketime is not installed and cannot be');
      return;
    }
    const id = await stage.send(Array.from({ length: 12 }, (_, n) => `delay4000-data.${n}@d${n}.example`));
    await stage.engine.until(id, (all) => all.every((one) => one.state === 'trying'));
    writeFileSync(clock, `${jump}\n`);
    await untilAhead(ahead);
    const { all, checked } = await stage.settled(id, 40);
    assert.ok(all.every((one) => one.state === 'accepted'));
    assert.deepEqual([checked.taken, checked.copies], [12, 0]);
    await stage.engine.untilStatus(id, 'sent', 30);
  });
