// The server's log stays small while the server keeps writing to it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog } from './log.ts';

test('beyond its limit the log moves to one older copy, and the open file handle continues at the start', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pr-log-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'postgres.log');
  const log = openLog(file, 1000, 5);
  const first = 'x'.repeat(1500);
  writeSync(log.fd, first);
  for (let i = 0; i < 4_000 && log.size() > 0; i++) await sleep(5);
  assert.equal(readFileSync(`${file}.1`, 'utf8'), first);
  writeSync(log.fd, 'afterwards');
  assert.equal(readFileSync(file, 'utf8'), 'afterwards');
  log.close();
});

test('a log that is too long when it is opened moves at once, and only its owner may read a new one', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pr-log-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'postgres.log');
  openLog(file).close();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  for (const [bytes, moves] of [
    [8 * 1024 * 1024 - 1, false],
    [8 * 1024 * 1024, true],
  ] as const) {
    writeFileSync(file, Buffer.alloc(bytes));
    openLog(file).close();
    assert.equal(existsSync(`${file}.1`), moves);
  }
});

test('problems since a position are shown without time stamps; without problems, the last lines are', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pr-log-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const log = openLog(join(dir, 'postgres.log'));
  writeSync(log.fd, '2026-01-01 00:00:00.000 UTC [1] FATAL:  an old problem\n');
  const from = log.size();
  writeSync(log.fd, 'postgres: could not find a file\n');
  assert.equal(log.problemsSince(from), 'postgres: could not find a file');
  writeSync(log.fd, 'one\ntwo\nthree\n');
  assert.equal(log.problemsSince(from), 'one; two; three');
  writeSync(log.fd, '2026-01-01 00:00:01.000 UTC [2] LOG:  starting\n');
  writeSync(log.fd, '2026-01-01 00:00:01.000 UTC [2] LOG:  could not bind\n');
  writeSync(log.fd, '2026-01-01 00:00:01.000 UTC [2] FATAL:  no sockets\n');
  assert.equal(log.problemsSince(from), 'LOG:  could not bind; FATAL:  no sockets');
  log.close();
});
