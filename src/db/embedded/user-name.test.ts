import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nameEnvironment } from './user-name.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pr-'));
const place = { home: scratch, root: scratch, clusterDir: join(scratch, 'cluster'), runAs: undefined };
const uid = process.getuid!();
after(() => rmSync(scratch, { recursive: true }));

test('a user with a name needs nothing', () => {
  assert.deepEqual(nameEnvironment(place), {});
});

test('a user without a name gets one from nss_wrapper', () => {
  const environment = nameEnvironment(place, () => false, '/usr/lib/libnss_wrapper.so');
  assert.equal(environment['LD_PRELOAD'], '/usr/lib/libnss_wrapper.so');
  const [name, , id, group, , home] = readFileSync(environment['NSS_WRAPPER_PASSWD']!, 'utf8').split(':');
  assert.deepEqual([name, id, group, home], ['postrider', String(uid), String(process.getgid!()), scratch]);
  assert.match(readFileSync(environment['NSS_WRAPPER_GROUP']!, 'utf8'), new RegExp(`^postrider:x:${group}:$`, 'm'));
});

test('without nss_wrapper, the error names the user id and what to do', () => {
  assert.throws(() => nameEnvironment(place, () => false, ''), {
    problem: 'not-permitted',
    message: new RegExp(`^User id ${uid} has no name.*libnss-wrapper.*DATABASE_URL`),
  });
});
