// Counting tries: under which name a caller counts, when a window ends, and what giving back does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { callerName, forgetTries, giveBackTry, takeTry } from './attempts.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('callers of one IPv6 network count together, IPv4 callers each for themselves', () => {
  for (const [ip, name] of [
    ['192.0.2.7', 'ip 192.0.2.7'],
    ['::ffff:192.0.2.7', 'ip 192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip 2001:db8:1:2'],
    ['2001:0DB8:0001:0002::9', 'ip 2001:db8:1:2'],
    ['2001:db8::1', 'ip 2001:db8:0:0'],
    ['::1', 'ip 0:0:0:0'],
    ['fe80::1%eth0', 'ip fe80:0:0:0'],
  ] as const)
    assert.equal(callerName(ip), name, ip);
});

test('after the most tries of a window there is a wait that ends with the window', async () => {
  const take = () => takeTry(app.app.db, 'a', 3);
  assert.deepEqual([await take(), await take(), await take()], [undefined, undefined, undefined]);
  const wait = await take();
  assert.ok(wait !== undefined && wait > 890 && wait <= 900, String(wait));
  await app.app.db.run(sql`update sign_in_try set since = since - interval '14 minutes'`);
  const later = await take();
  assert.ok(later !== undefined && later <= 60, 'trying on does not make it longer');
  await app.app.db.run(sql`update sign_in_try set since = since - interval '2 minutes'`);
  assert.equal(await take(), undefined);
});

test('what is given back or forgotten does not count', async () => {
  const take = () => takeTry(app.app.db, 'b', 2);
  for (let i = 0; i < 10; i++) {
    assert.equal(await take(), undefined);
    await giveBackTry(app.app.db, 'b');
  }
  await take();
  await take();
  assert.ok((await take()) !== undefined);
  await forgetTries(app.app.db, 'b');
  assert.equal(await take(), undefined);
});

test('no address that was tried can be read in the table', async () => {
  await takeTry(app.app.db, 'email secret@example.com', 2);
  const rows = await app.app.db.rows<{ text: string }>(sql`select encode(name, 'escape') as text from sign_in_try`);
  for (const { text } of rows) assert.doesNotMatch(text, /secret/);
});
