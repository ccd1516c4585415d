// A join of 100,000 contacts on three lists that is killed again and again, while contacts are changed: all subscriptions of a
// contact agree in the end, each change is logged once, and what was written meanwhile stays.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

const contacts = 100_000;
let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

test('a killed join resumes, and joins every contact once', async () => {
  const lists = [];
  for (const title of ['A', 'B', 'C']) lists.push(parseId(await t.call<string>('listCreate', { title })));
  for (let from = 1; from <= contacts; from += 10_000)
    await t.app.db.run(sql`
      with made as (
        insert into contact (account_id, email, email_key, domain)
        select ${t.account.id}, email, email, 'many.example'
        from (select 'm' || n || '@many.example' as email from generate_series(${from}::int, ${from + 9_999}::int) n) given
        returning id
      )
      insert into subscription (account_id, list_id, contact_id, status, fields)
      select ${t.account.id}, list, id, 'subscribed',
        jsonb_build_object('LNAME', case when place = 3 then '' else 'N' || (place * (id % 2)) end)
      from made, unnest(${lists}::int[]) with ordinality as l(list, place)`);
  const { conflicts } = await t.call<{ conflicts: number }>('accountFieldPreview', { tag: 'LNAME' });
  await t.call('accountFieldJoin', { tag: 'LNAME', conflicts });
  const place = async () => {
    const row = await t.app.db.row<{ after: number; state: string }>(sql`
      select after_contact as after, state from account_field where account_id = ${t.account.id}`);
    return row!;
  };
  const runner = join(import.meta.dirname, '../../../test/support/installation/join-runner.ts');
  const writes: number[] = [];
  let killed = 0;
  for (let tries = 0; (await place()).state === 'joining'; tries++) {
    const child = spawn(process.execPath, [runner, t.app.db.url, String(t.account.id), 'LNAME'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const from = (await place()).after;
    if (tries < 10) {
      while (child.exitCode === null && (await place()).after === from) await sleep(2);
      await sleep(tries * 7);
      child.kill('SIGKILL');
      killed++;
    }
    await ended;
    assert.ok([0, null].includes(child.exitCode), 'the join ends, or is killed');
    const row = await t.app.db.row<{ id: number }>(sql`
      select id from contact where account_id = ${t.account.id} and id > ${(await place()).after} order by id desc limit 1`);
    if (row) {
      await t.call('listUpdateMember', {
        id: (await t.call<{ id: string }[]>('lists'))[tries % 3]!.id,
        email_address: (await t.app.db.row<{ email: string }>(sql`
          select email from contact where account_id = ${t.account.id} and id = ${row.id}`))!.email,
        merge_vars: { LNAME: `written ${tries}` },
      });
      writes.push(tries);
    }
  }
  assert.equal(killed, 10);
  const different = await t.app.db.rows(sql`
    select contact_id
    from subscription
    where account_id = ${t.account.id}
    group by contact_id
    having count(distinct coalesce(fields ->> 'LNAME', '')) > 1`);
  assert.deepEqual(different, []);
  // The contact that was written to last, and as often as the join was killed.
  const last = await t.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from subscription where fields ->> 'LNAME' = ${`written ${writes.at(-1)}`}`);
  assert.equal(last!.count, 3);
  const twice = await t.app.db.rows(sql`
    select contact_id, list_id
    from consent
    where account_id = ${t.account.id}
      and detail ? 'joined'
    group by contact_id, list_id
    having count(*) > 1`);
  assert.deepEqual(twice, []);
});
