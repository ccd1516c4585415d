// A demo that was broken off: the next attempt erases what is left of it and makes a whole one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { findAccounts } from '../accounts/account/account.ts';
import { sql } from '../db/connect.ts';
import { makeDemo } from './make-demo.ts';
import { alone } from './unfinished.ts';

let installation: TestApp;
before(async () => {
  installation = await testApp();
});
after(() => installation.close());

const accounts = async () => (await findAccounts(installation.app.db, 'demo@example.com')).map(({ id }) => id);

test('a demo that was broken off is erased and made again, also when its campaigns had begun', async () => {
  const { app } = installation;
  const breakOff = (text: string) => {
    if (text.startsWith('Campaigns in progress')) throw new Error('The process was killed.');
  };
  await assert.rejects(makeDemo(app, breakOff), /was killed/);
  const [unfinished] = await accounts();
  assert.ok(unfinished);

  const said: string[] = [];
  const demo = await makeDemo(app, (text) => said.push(text));
  assert.match(said[0]!, /broken off/);
  const now = await accounts();
  assert.equal(now.length, 1);
  assert.notEqual(now[0], unfinished);
  const { left } = (await app.db.row<{ left: number }>(
    sql`select count(*)::int as left from contact where account_id = ${unfinished}`,
  ))!;
  assert.equal(left, 0);
  assert.equal(demo.email, 'demo@example.com');

  await assert.rejects(
    makeDemo(app, () => {}),
    /already exists/,
  );
  assert.deepEqual(await accounts(), now);
});

test('two processes do not make it at the same time', async () => {
  const { app } = installation;
  const before = await accounts();
  await alone(app, () =>
    assert.rejects(
      makeDemo(app, () => {}),
      /Another process is making the demo/,
    ),
  );
  assert.deepEqual(await accounts(), before);
});
