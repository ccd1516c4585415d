// Naming an account on the command line: by its id or its main address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { formatId } from '../../db/ids.ts';
import { createAccount, listAccounts, needAccount, withoutTests } from './account.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test('an address names its account although its test account has the same one; the id names each', async () => {
  const { db } = app.app;
  const { account: tests } = await app.call<{ account: string }>('testKeyCreate', {});
  const { email, id } = app.account;
  assert.equal((await needAccount(db, email)).id, id);
  assert.equal(formatId((await needAccount(db, tests)).id), tests);
  assert.equal((await listAccounts(db)).length, 2);
  assert.deepEqual(
    withoutTests(await listAccounts(db)).map((account) => account.id),
    [id],
  );
  const other = await createAccount(db, { name: 'Other', email });
  await assert.rejects(needAccount(db, email), (error: Error) => {
    assert.match(error.message, /Several accounts have the address/);
    assert.ok(error.message.includes(formatId(other.id)) && !error.message.includes(tests), error.message);
    return true;
  });
});
