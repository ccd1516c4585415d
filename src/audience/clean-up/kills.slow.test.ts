// A run of a clean-up rule that is killed loses and repeats nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { cleanUpContacts } from './run.ts';

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('a run that is killed between and within portions loses no one and does nothing twice', async () => {
  const list = await t.call<string>('listCreate', { title: 'Many' });
  const count = 1_500;
  await t.call('listBatchSubscribe', {
    id: list,
    batch: Array.from({ length: count }, (_, i) => ({ EMAIL: `many${i}@example.com` })),
    double_optin: false,
  });
  await t.app.db.run(sql`
    update subscription set status = 'pending', signup_at = now() - interval '60 days' where list_id = ${parseId(list)}`);
  const rule = await t.call<string>('cleanUpRuleCreate', {
    kind: 'unconfirmed',
    days: 30,
    action: 'remove',
    list_id: list,
  });
  await t.call('cleanUpRuleEnable', { id: rule, count });
  const left = async () => {
    const row = await t.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from subscription where list_id = ${parseId(list)}`);
    return row!.count;
  };
  const runner = join(import.meta.dirname, '../../../test/support/installation/clean-up-runner.ts');
  let killed = 0;
  for (let tries = 0; tries < 3; tries++) {
    const child = spawn(process.execPath, [runner, t.app.db.url], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const from = await left();
    while (child.exitCode === null && from > 0 && (await left()) === from) await sleep(2);
    child.kill('SIGKILL');
    await ended;
    killed++;
  }
  assert.equal(killed, 3);
  await cleanUpContacts({ app: t.app, signal: new AbortController().signal });
  assert.equal(await left(), 0);
  const logged = await t.app.db.row<{ all: number; contacts: number }>(sql`
    select count(*)::int as all, count(distinct contact_id)::int as contacts
    from consent
    where detail ->> 'rule' = ${rule}`);
  assert.deepEqual(logged, { all: count, contacts: count });
  const [shown] = await t.call<{ total_count: number }[]>('cleanUpRules');
  assert.equal(shown!.total_count, count);
});
