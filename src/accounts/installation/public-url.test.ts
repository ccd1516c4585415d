// The public URL that is set in the application: who may set it, when processes take it over, and that the person who sets
// it stays signed in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/database/database.ts';
import { appOn, type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { openApp } from '../../app.ts';
import { freePort } from '../../base/free-port.ts';
import { readConfig } from '../../config.ts';
import { sql } from '../../db/connect.ts';
import { startWeb } from '../../web.ts';
import { publicUrl, recordPublicUrl, refreshPublicUrl } from './public-url.ts';

type Info = {
  base_url: string;
  base_url_source: string;
  base_url_local: boolean;
  steps: Record<string, boolean>;
  problem: string;
};

let app: TestApp;
let base: string;
before(async () => {
  app = await testApp();
  base = await app.listen();
});
after(() => app.close());

const info = () => app.call<Info>('setupGet');

test('without a setting, links begin with the address the web process listens on, which is a missing step', async () => {
  const { base_url, base_url_source, base_url_local, steps } = await info();
  assert.deepEqual([base_url, base_url_source, base_url_local], [base, 'default', true]);
  assert.deepEqual(steps, {
    address: false,
    organisation: false,
    sender: false,
    relay: false,
    domain: false,
    test: false,
    contacts: false,
    list: false,
    campaign: false,
  });
});

test('only a URL is accepted, only from the operator, and only where BASE_URL is not set', async () => {
  for (const url of [
    'mail.example.com',
    'ftp://mail.example.com',
    'https://ann@mail.example.com',
    'https://a.example/?b',
    'https://a.example/app',
    'https://a.example/a;b',
  ])
    await assert.rejects(app.call('setupUpdate', { url }), /^Error: url must be a URL such as|url must be a URL/);
  const other = await app.anotherAccount();
  await assert.rejects(other.call('setupUpdate', { url: 'https://mail.example.com' }), /operator/);
  assert.equal((await info()).base_url_source, 'default', 'nothing was left behind');
  app.app.config.baseUrl = 'https://set.example.com';
  try {
    await assert.rejects(app.call('setupUpdate', { url: 'https://mail.example.com' }), /BASE_URL to https:\/\/set/);
    assert.equal((await info()).base_url_source, 'operator');
  } finally {
    app.app.config.baseUrl = '';
  }
});

test('the person who sets https stays signed in, and the new cookie is for TLS only', async () => {
  const browser = new Browser(base);
  await browser.signIn('owner@example.com', 'correct horse');
  assert.equal(browser.cookieName, 'postrider_session');
  const old = browser.cookie;
  const { status, body } = await browser.call('setupUpdate', { url: 'https://news.example.com/' });
  assert.deepEqual([status, body], [200, 'https://news.example.com']);
  assert.equal(browser.cookieName, '__Host-postrider_session');
  assert.match(browser.setCookie, /; Secure/);
  assert.notEqual(browser.cookie, old);
  assert.equal((await browser.call('ping')).status, 200);
  assert.equal(app.app.baseUrl, 'https://news.example.com');
  assert.equal(app.app.listIdHost, 'news.example.com');
  assert.equal((await info()).steps['address'], true);
  await browser.call('setupUpdate', { url: 'https://mail.example.org' });
  assert.equal((await browser.call('ping')).status, 200, 'the name of the cookie has not changed');
  await browser.call('setupUpdate', { url: 'https://www.example.org/mail' });
  assert.equal(browser.cookieName, '__Secure-postrider_session');
  assert.match(browser.setCookie, /; Path=\/mail; .*Secure/);
  assert.equal((await browser.call('ping')).status, 200);
});

test('setting the URL needs the password again after a while', async () => {
  const browser = new Browser(base);
  await refreshPublicUrl(app.app);
  await browser.signIn('owner@example.com', 'correct horse');
  await app.app.db.run(sql`update session set confirmed_at = now() - interval '1 hour'`);
  const { status, body } = await browser.call<{ code: number }>('setupUpdate', { url: 'https://evil.example' });
  assert.deepEqual([status, body.code], [403, 137]);
});

test('a running process takes the URL over, a new one begins with it, and BASE_URL is stronger', async () => {
  const database: TestDatabase = await testDatabase();
  const [running, setting] = [await appOn(database.url), await appOn(database.url)];
  try {
    await setting.db.run(sql`insert into installation (key, value) values ('base_url', '"https://mail.example.com"')`);
    assert.equal(running.baseUrl, 'http://127.0.0.1:8080');
    await refreshPublicUrl(running);
    assert.deepEqual([running.baseUrl, running.listIdHost], ['https://mail.example.com', 'mail.example.com']);
    const started = await appOn(database.url);
    const operators = await appOn(database.url, { BASE_URL: 'https://set.example.com' });
    await refreshPublicUrl(operators);
    assert.deepEqual([started.baseUrl, operators.baseUrl], ['https://mail.example.com', 'https://set.example.com']);
    await Promise.all([started.db.close(), operators.db.close()]);
  } finally {
    await Promise.all([running.db.close(), setting.db.close()]);
    await database.close();
  }
});

test('a command or a remote worker uses the URL that serve recorded', async () => {
  const database: TestDatabase = await testDatabase();
  const { db } = await appOn(database.url);
  const config = readConfig({ DATABASE_URL: database.url });
  const elsewhere = () => publicUrl(db, config, false);
  try {
    assert.deepEqual(await elsewhere(), { url: 'http://127.0.0.1:8080', source: 'default' });
    await recordPublicUrl(db, { url: 'http://127.0.0.1:8191', source: 'default' });
    assert.equal((await elsewhere()).url, 'http://127.0.0.1:8191');
    assert.equal(
      (await publicUrl(db, config)).url,
      'http://127.0.0.1:8080',
      'a process that listens knows its address',
    );
    await db.run(sql`insert into installation (key, value) values ('base_url', '"https://mail.example.com"')`);
    assert.equal((await elsewhere()).url, 'https://mail.example.com');
    await recordPublicUrl(db, { url: 'https://set.example.com', source: 'operator' });
    assert.equal((await elsewhere()).url, 'https://set.example.com');
    const own = readConfig({ DATABASE_URL: database.url, BASE_URL: 'https://own.example.com' });
    assert.equal((await publicUrl(db, own, false)).url, 'https://own.example.com');
  } finally {
    await db.close();
    await database.close();
  }
});

test('a running worker takes over the URL that serve or web uses now', async () => {
  const database: TestDatabase = await testDatabase();
  const PORT = String(await freePort());
  const web = await appOn(database.url, { HOST: '127.0.0.1', PORT });
  await recordPublicUrl(web.db, { url: 'https://former.example.com', source: 'operator' });
  const config = readConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  const apps = await Promise.all(['work', 'submission'].map((name) => openApp(config, name, database.url, 2)));
  const urls = async () => {
    for (const app of apps) await refreshPublicUrl(app, false);
    return apps.map((app) => app.baseUrl);
  };
  try {
    assert.deepEqual(
      apps.map((app) => app.baseUrl),
      ['https://former.example.com', 'https://former.example.com'],
    );
    await recordPublicUrl(web.db, { url: 'https://set.example.com', source: 'operator' });
    assert.deepEqual(await urls(), ['https://set.example.com', 'https://set.example.com']);
    assert.equal(apps[0]!.listIdHost, 'former.example.com', 'lists keep their id');
    const { close } = await startWeb(web);
    assert.deepEqual(await urls(), [`http://127.0.0.1:${PORT}`, `http://127.0.0.1:${PORT}`]);
    await web.db.run(sql`insert into installation (key, value) values ('base_url', '"https://mail.example.com"')`);
    assert.deepEqual(await urls(), ['https://mail.example.com', 'https://mail.example.com']);
    await close();
  } finally {
    await Promise.all([web, ...apps].map((app) => app.db.close()));
    await database.close();
  }
});
