// A campaign of a test account, with real worker processes that are killed at random: each message is in the inbox once, whatever the
// worker was doing, and no relay is asked. TEST_CONTACTS and TEST_KILLS change the size.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { type Program, startProgram } from '../../../test/support/installation/program.ts';
import { diceOf } from '../../../test/support/judges/dice.ts';
import { type Sink, startSink } from '../../../test/support/smtp-sink/sink.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { call } from '../../doors/call.ts';

const contacts = Number(process.env['TEST_CONTACTS'] ?? 3_000);
const kills = Number(process.env['TEST_KILLS'] ?? 10);
const limitMs = 10 * 60_000;

let app: TestApp;
let sink: Sink;
let folder: string;
before(async () => {
  sink = await startSink({});
  app = await testApp({ SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none` });
  folder = mkdtempSync(join(tmpdir(), 'test-account-'));
});
after(async () => {
  await app.close();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const worker = (): Program =>
  startProgram(['work'], {
    DATABASE_URL: app.app.db.url,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
  });

test(`${contacts} messages of a test account are each in the inbox once after ${kills} kills`, async (t) => {
  const { account, key } = await app.call<{ account: string; key: string }>('testKeyCreate', {});
  const withKey = <T>(name: string, params: object) =>
    call(app.app, name, params, { kind: 'key', key, ip: '' }, 'json') as Promise<T>;
  const list = await withKey<string>('listCreate', { title: 'List' });
  const cid = await withKey<string>('campaignCreate', {
    type: 'HTML',
    options: { list_id: list, subject: 'News', from_email: app.account.email, from_name: 'Us', generate_text: true },
    content: { html: '<p>News <a href="*|UNSUB|*">leave</a></p>' },
  });
  await app.app.db.run(sql`
    with made as (
      insert into contact (account_id, email, email_key, domain)
      select ${parseId(account)}::int, address, address, 'good.example'
      from generate_series(1, ${contacts}::int) n, lateral (select 'test.' || n || '@good.example' as address) a
      returning account_id, id
    )
    insert into subscription (account_id, list_id, contact_id, status, optin_at)
    select account_id, ${parseId(list)}::int, id, 'subscribed', now()
    from made`);
  await withKey('campaignSendNow', { cid });
  const dice = diceOf(5);
  const running = [worker(), worker()];
  const startedAt = performance.now();
  const accepted = async () =>
    (await app.app.db.row<{ count: number }>(sql`
      select count(*)::int as count from delivery where campaign_id = ${parseId(cid)} and state = 2`))!.count;
  let killed = 0;
  try {
    for (let count = 0; count < contacts; count = await accepted()) {
      assert.ok(performance.now() - startedAt < limitMs, `in time: ${count} accepted, ${killed} kills`);
      await sleep(100 + dice.below(300));
      if (killed >= kills || count === 0) continue;
      const at = dice.below(running.length);
      running[at]!.kill('SIGKILL');
      await running[at]!.ended;
      running[at] = worker();
      killed += 1;
    }
  } finally {
    for (const program of running) program.kill('SIGKILL');
    await Promise.all(running.map((program) => program.ended));
  }
  t.diagnostic(`${killed} kills in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const kept = await app.app.db.row(sql`
    select count(*)::int as messages, count(distinct rcpt_to)::int as people
    from inbox_message
    where account_id = ${parseId(account)}
      and subject = 'News'`);
  assert.deepEqual(kept, { messages: contacts, people: contacts });
  // The owner's notice about the key is not of the test account.
  assert.deepEqual(
    sink.accepted().filter(({ to }) => to !== app.account.email),
    [],
  );
});
