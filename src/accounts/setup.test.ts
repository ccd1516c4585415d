// The first start: the password that was given is checked, what is generated is in a private file, and List-Ids stay the
// same.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/database/database.ts';
import { appOn } from '../../test/support/installation/app.ts';
import type { App } from '../base/context.ts';
import { readConfig } from '../config.ts';
import { call } from '../doors/call.ts';
import { listAccounts } from './account/account.ts';
import { listIdHost } from './installation/installation.ts';
import { setUpFirstAccount } from './setup.ts';

let database: TestDatabase;
let app: App;
let folder: string;
before(async () => {
  database = await testDatabase();
  app = await appOn(database.url);
  folder = mkdtempSync(join(tmpdir(), 'setup-'));
});
after(async () => {
  await app.db.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

const setUp = (settings: Record<string, string>) =>
  setUpFirstAccount(app.db, readConfig({ DATA_DIR: folder, ...settings }), 'http://127.0.0.1:8191');

test('a weak SETUP_PASSWORD is refused and creates no account', async () => {
  for (const password of ['administrator', 'owner@example.com'])
    await assert.rejects(setUp({ SETUP_PASSWORD: password, SETUP_EMAIL: 'owner@example.com' }), /SETUP_PASSWORD/);
  assert.deepEqual(await listAccounts(app.db), []);
});

test('credentials that cannot be written create no account', async () => {
  const file = join(folder, 'not-a-folder');
  writeFileSync(file, '');
  await assert.rejects(setUp({ DATA_DIR: file }), /EEXIST|ENOTDIR/);
  assert.deepEqual(await listAccounts(app.db), []);
});

test('generated credentials are written to a private file and work', async () => {
  const first = await setUp({});
  assert.equal(first!.file, join(folder, 'first-account.env'));
  assert.equal(statSync(first!.file!).mode & 0o777, 0o600);
  const credentials = Object.fromEntries(
    readFileSync(first!.file!, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  assert.deepEqual(Object.keys(credentials), ['EMAIL', 'PASSWORD', 'API_KEY', 'BASE_URL']);
  assert.equal(credentials.BASE_URL, 'http://127.0.0.1:8191');
  assert.equal(
    await call(app, 'ping', {}, { kind: 'key', key: credentials.API_KEY!, ip: '' }, 'json'),
    "Everything's Ok!",
  );
  assert.equal(await setUp({}), undefined);
});

test('the host of List-Ids is that of the first public URL, also when the URL changes later', async () => {
  for (const [url, host] of [
    ['http://localhost:8080', 'localhost'],
    ['http://127.0.0.1:8080', '127.0.0.1'],
    ['http://192.168.1.7:8080', '192.168.1.7'],
    ['https://news.example.com', 'news.example.com'],
    ['https://mail.example.org/news', 'news.example.com'],
    ['http://localhost:8080', 'news.example.com'],
  ] as const)
    assert.equal(await listIdHost(app.db, url), host, url);
  const later = await appOn(database.url, { BASE_URL: 'https://mail.example.org' });
  assert.equal(later.listIdHost, 'news.example.com');
  await later.db.close();
});
