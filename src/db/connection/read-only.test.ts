// While the database takes no writes, every door asks its callers to come again, the log has one line a minute, and nothing of it
// lasts: the first statements afterwards succeed, although the pool still has connections that are read-only.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setReadOnly } from '../../../test/support/database/read-only.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { createLog } from '../../base/log.ts';
import { connect, databaseProblem, sql } from '../connect.ts';
import { migrate } from '../migrate/migrate.ts';

let t: TestApp;
let base: string;
const lines: { level: number; msg: string; why?: string }[] = [];
const log = createLog('warn', 'test', { write: (line: string) => void lines.push(JSON.parse(line)) });

before(async () => {
  t = await testApp();
  t.app.log = log;
  // As openApp does, with a log that the test reads.
  const { url } = t.app.db;
  await t.app.db.close();
  t.app.db = connect(url, { maxConnections: 20, log });
  base = await t.listen();
});
after(() => t.close());

const api = (method: string, body: object) =>
  fetch(`${base}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const outcome = async (asked: Promise<Response>) => {
  const response = await asked;
  return [response.status, Number(response.headers.get('retry-after')) > 0];
};

test('while the database is read-only, calls, pages and notices get 503 with Retry-After, and calls that read are answered', async () => {
  await setReadOnly(t.app.db.url, true);
  try {
    const created = await api('listCreate', { title: 'Letter' });
    assert.deepEqual([created.status, created.headers.get('retry-after')], [503, '5']);
    assert.equal(((await created.json()) as { code: number }).code, -60);
    assert.equal((await api('lists', {})).status, 200);
    const xmlrpc = await fetch(`${base}/xmlrpc`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: `<?xml version="1.0"?><methodCall><methodName>listCreate</methodName><params><param><value><struct><member><name>apikey</name><value>${t.key}</value></member><member><name>title</name><value>Letter</value></member></struct></value></param></params></methodCall>`,
    });
    assert.match(await xmlrpc.text(), /<int>-60<\/int>/);
    const json = { 'content-type': 'application/json', origin: base };
    const signIn = fetch(`${base}/session`, {
      method: 'POST',
      headers: json,
      body: '{"email":"owner@example.com","password":"x"}',
    });
    assert.deepEqual(await outcome(signIn), [503, true], 'signing in');
    const upload = fetch(`${base}/upload?name=a.csv`, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.key}` },
      body: 'Email',
    });
    assert.deepEqual(await outcome(upload), [503, true], 'an upload');
  } finally {
    await setReadOnly(t.app.db.url, false);
  }
  const left = await Promise.all(Array.from({ length: 8 }, () => api('lists', {})));
  assert.ok(left.every(({ status }) => status === 200));
});

test('/ready answers 503 with the reason, and 200 without it afterwards', async () => {
  const ready = async () => {
    const response = await fetch(`${base}/ready`);
    return { status: response.status, ...((await response.json()) as { sending: string; reason: string }) };
  };
  const until = async (isReadOnly: boolean) => {
    const deadline = performance.now() + 15_000;
    while (/read-only/.test((await ready()).reason) !== isReadOnly)
      assert.ok(performance.now() < deadline, `it becomes ${isReadOnly}`);
  };
  await setReadOnly(t.app.db.url, true);
  try {
    // The first answers may be of connections that were cut.
    await until(true);
    const { status, sending } = await ready();
    assert.deepEqual([status, sending], [503, 'waiting']);
  } finally {
    await setReadOnly(t.app.db.url, false);
  }
  await until(false);
});

test('a connection that was read-only is not used again', async () => {
  const db = connect(t.app.db.url, { maxConnections: 1 });
  await setReadOnly(db.url, true);
  try {
    await assert.rejects(
      db.transaction((tx) => tx.run(sql`update account set name = name`)),
      { code: '25006' },
    );
  } finally {
    await setReadOnly(db.url, false);
  }
  assert.ok((await db.transaction((tx) => tx.run(sql`update account set name = name`))) > 0);
  await db.close();
});

test('however many statements fail, the log has one line, which says why', async () => {
  await setReadOnly(t.app.db.url, true);
  try {
    for (let round = 0; round < 10; round++) await api('listCreate', { title: 'Letter' });
  } finally {
    await setReadOnly(t.app.db.url, false);
  }
  assert.equal(lines.length, 1, JSON.stringify(lines));
  assert.match(lines[0]!.why ?? '', /read-only/);
});

test('a program that starts on a read-only database says so in one sentence', async () => {
  await setReadOnly(t.app.db.url, true);
  try {
    const error = await migrate(t.app.db.url).then(
      () => undefined,
      (failure: Error) => failure,
    );
    assert.match(
      databaseProblem(error) ?? '',
      /^The database in DATABASE_URL cannot be used: it is read-only \(.+\)\.$/,
    );
  } finally {
    await setReadOnly(t.app.db.url, false);
  }
});
