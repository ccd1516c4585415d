// Every method that reads runs in a read-only transaction: the database refuses it changes, numbers of sequences and locks of rows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ChangeRefused, sql } from '../../src/db/connect.ts';
import { call } from '../../src/doors/call.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Fixture, fillExample, fillPersonal, makeAccount, makeOperator, signIn } from './fixture.ts';

let app: TestApp;
let fixture: Fixture;
const refused: string[] = [];
before(async () => {
  app = await testApp();
  fixture = await makeAccount(app.app, 'pro', ['inline_img']);
  // A call repeats what is refused in a transaction that may change something.
  const { reading } = app.app.db;
  const noted: typeof reading = (work) =>
    reading(work).catch((error) => {
      if (error instanceof ChangeRefused) refused.push(error.message);
      throw error;
    });
  Object.assign(app.app.db, { reading: noted });
});
after(() => app.close());

for (const method of methods.filter(({ reads, notes }) => reads && !notes))
  test(`${method.name} changes nothing`, async () => {
    if (method.operator) await makeOperator(app.app, fixture.accountId);
    const params = await fillExample(app.app, fixture, method.example.params);
    const { token, userId } = await signIn(app.app, fixture.accountId);
    await fillPersonal(app.app, params, token, userId);
    refused.length = 0;
    await call(app.app, method.name, params, { kind: 'session', token, ip: '192.0.2.7' }, 'web');
    assert.deepEqual(refused, []);
  });

test('a change by what only reads is a bug, and not a database that cannot be used', async () => {
  const { db } = app.app;
  for (const statement of [sql`delete from list`, sql`select id from list for update`, sql`select nextval('list_seq')`])
    await assert.rejects(
      db.reading((tx) => tx.rows(statement)),
      /^Error: A method that reads: cannot execute/,
    );
  assert.equal(await db.reading(async (tx) => (await tx.rows(sql`select from list`)).length > 0), true);
});
