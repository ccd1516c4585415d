// Counting attempts: under which name a client is counted, when a window ends, and what a refund does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { callerName, clearAttempts, refundAttempt, takeAttempt } from './attempts.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('clients of one IPv6 network are counted together, IPv4 clients one by one', () => {
  for (const [ip, name] of [
    ['192.0.2.7', 'ip 192.0.2.7'],
    ['::ffff:192.0.2.7', 'ip 192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip 2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', 'ip 2001:db8:1:2::/64'],
    ['2001:db8::1', 'ip 2001:db8:0:0::/64'],
    ['::1', 'ip 0:0:0:0::/64'],
    ['fe80::1%eth0', 'ip fe80:0:0:0::/64'],
  ] as const)
    assert.equal(callerName(ip), name, ip);
});

test('after the maximum of attempts in a window the client waits until the window ends', async () => {
  const take = () => takeAttempt(app.app.db, 'a', 3);
  assert.deepEqual([await take(), await take(), await take()], [undefined, undefined, undefined]);
  const wait = await take();
  assert.ok(wait !== undefined && wait > 890 && wait <= 900, String(wait));
  await app.app.db.run(sql`update sign_in_try set since = since - interval '14 minutes'`);
  const later = await take();
  assert.ok(later !== undefined && later <= 60, 'trying on does not make it longer');
  await app.app.db.run(sql`update sign_in_try set since = since - interval '2 minutes'`);
  assert.equal(await take(), undefined);
});

test('an attempt that was refunded or cleared does not count', async () => {
  const take = () => takeAttempt(app.app.db, 'b', 2);
  for (let i = 0; i < 10; i++) {
    assert.equal(await take(), undefined);
    await refundAttempt(app.app.db, 'b');
  }
  await take();
  await take();
  assert.ok((await take()) !== undefined);
  await clearAttempts(app.app.db, 'b');
  assert.equal(await take(), undefined);
});

test('the table contains no readable address', async () => {
  await takeAttempt(app.app.db, 'email secret@example.com', 2);
  const rows = await app.app.db.rows<{ text: string }>(sql`select encode(name, 'escape') as text from sign_in_try`);
  for (const { text } of rows) assert.doesNotMatch(text, /secret/);
});
