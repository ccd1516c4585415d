// One contact: what is stored and what happened, and that after erasing no table contains anything about it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runWaitingJobs } from '../../../test/support/run/jobs.ts';
import { Fault } from '../../base/faults.ts';
import { raw, type Sql, sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { call } from '../../doors/call.ts';

const email = 'Grace.Unique@letters.example';
const oldEmail = 'before.unique@letters.example';
const value = 'Rear-Admiral-Unique';
const ip = '203.0.113.77';

let app: TestApp;
let list: string;
let cid: string;
before(async () => {
  app = await testApp();
  const { db } = app.app;
  const accountId = app.account.id;
  list = await app.call<string>('listCreate', { title: 'Letter' });
  const hook = await db.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, events)
    values (${accountId}, 'Hook', 'http://127.0.0.1:9/', '{contact.subscribe,contact.update,email.change}')
    returning id`);
  const subscribe = (address: string, name: string) =>
    app.call('listSubscribe', {
      id: list,
      email_address: address,
      merge_vars: { FNAME: name, ...(name === value ? { OPTINIP: ip } : {}) },
      double_optin: false,
    });
  await subscribe(oldEmail, value);
  await subscribe('other@letters.example', 'Other');
  await app.call('listUpdateMember', { id: list, email_address: oldEmail, merge_vars: { EMAIL: email } });
  cid = await app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: accountId, campaign: parseId(cid) });
  await db.run(sql`
    update delivery
    set state = 4, reply = ${`550 no mailbox ${email}`}, reason = 'hard', done_at = now()
    where account_id = ${accountId} and lower(email) = lower(${email})`);
  const mine = sql`(select seq from delivery where account_id = ${accountId} and campaign_id = ${parseId(cid)} and lower(email) = lower(${email}))`;
  await db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, clicks, machine_opens, first_hit_at, last_hit_at)
    select d.account_id, d.campaign_id, d.seq, c.month, d.contact_id, 1, 1, now() - interval '1 minute', now() + interval '1 minute'
    from delivery d
    join campaign c on c.account_id = d.account_id and c.id = d.campaign_id
    where d.account_id = ${accountId} and d.campaign_id = ${parseId(cid)} and d.seq = ${mine}`);
  await db.run(sql`
    insert into hit (account_id, campaign_id, seq, kind, ip, machine)
    values (${accountId}, ${parseId(cid)}, ${mine}, 'open', ${ip}, 'prefetch'), (${accountId}, ${parseId(cid)}, ${mine}, 'click', ${ip}, null)`);
  await db.run(sql`
    insert into notice (account_id, campaign_id, seq, kind, contact_id, list_id, email, class, reply)
    select ${accountId}, ${parseId(cid)}, seq, 'bounce', contact_id, list_id, email, 'hard', 'said ' || email
    from delivery where seq = ${mine} and account_id = ${accountId}`);
  await db.run(sql`
    insert into webhook_attempt (account_id, webhook_id, kind, try, event_ids, url, headers, body)
    values (${accountId}, ${hook!.id}, 'delivery', 1, '{}', 'http://127.0.0.1:9/', '{}', ${`{"email":"${email}","FNAME":"${value}"}`})`);
  await db.run(sql`
    insert into inbox_message (account_id, mail_from, rcpt_to, size, source)
    values (${accountId}, 'a@example.com', array[${email}], 4, ${Buffer.from(`To: ${email}\r\n\r\nDear ${value}`)})`);
  await app.call('suppressedListSubscribe', { email_address: email });
});
after(() => app?.close());

test('the timeline lists sign-up, change, message, machine open, click and suppression in order', async () => {
  const returned = await app.call<{ time: string; what: string; machine: string; campaign_id: string }[]>(
    'contactTimeline',
    { email },
  );
  assert.deepEqual(
    [...new Set(returned.map((item) => item.what))].sort(),
    ['address', 'bounce', 'click', 'mail', 'open', 'subscribe', 'suppressed'].sort(),
  );
  assert.deepEqual(
    returned.map((item) => item.time),
    returned.map((item) => item.time).sort(),
  );
  assert.equal(returned.find((item) => item.what === 'open')!.machine, 'prefetch');
  assert.equal(returned.find((item) => item.what === 'mail')!.campaign_id, cid);
  const second = await app.call<unknown[]>('contactTimeline', { email, start: 1, limit: 2 });
  assert.deepEqual(second, returned.slice(2, 4));
});

test('the timeline has the subject of each email, for callers who may read it', async () => {
  type Entry = { what: string; campaign_id: string; message_id: string; subject: string };
  const about = (entries: Entry[]) =>
    entries.filter(({ subject }) => subject !== '').map(({ what, subject }) => `${what} ${subject}`);
  const entries = await app.call<Entry[]>('contactTimeline', { email });
  assert.deepEqual(about(entries).sort(), ['bounce s', 'click s', 'mail s', 'open s']);
  const key = await app.call<string>('apikeyAdd', { label: 'Reads contacts', permissions: ['contacts:read'] });
  const seen = await call(app.app, 'contactTimeline', { email }, { kind: 'key', key, ip: '' }, 'json');
  assert.deepEqual(about(seen as Entry[]), []);
});

test('a contact is found by address and by id, and exported as one structure', async () => {
  const info = await app.call<{ id: string; email: string; suppressed: string; subscriptions: unknown[] }>(
    'contactGet',
    { email: email.toLowerCase() },
  );
  assert.equal(info.email, email);
  assert.equal(info.suppressed, 'address: api');
  assert.equal(info.subscriptions.length, 1);
  assert.deepEqual(await app.call('contactGet', { email: info.id }), info);
  const whole = await app.call<{ contact: unknown; timeline: unknown[] }>('contactExport', { email });
  assert.deepEqual(whole.contact, info);
  assert.ok(whole.timeline.length >= 7);
});

/** Every place of the database that holds a text, as table.column. */
async function placesOf(needle: string): Promise<string[]> {
  const { db } = app.app;
  const columns = await db.rows<{ schema: string; table: string; name: string; type: string }>(sql`
    select c.table_schema as schema, c.table_name as table, c.column_name as name, c.data_type as type
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema in ('public', 'graphile_worker')
      and t.table_type = 'BASE TABLE'
      and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`);
  assert.ok(columns.length > 100);
  const found: string[] = [];
  for (const one of columns) {
    const column: Sql = raw(`"${one.name}"`);
    const holds =
      one.type === 'bytea'
        ? sql`position(convert_to(${needle}, 'UTF8') in ${column}) > 0 or position(convert_to(lower(${needle}), 'UTF8') in ${column}) > 0`
        : sql`strpos(lower(${column}::text), lower(${needle})) > 0`;
    const row = await db.row(
      sql`select 1 as found from ${raw(`"${one.schema}"."${one.table}"`)} where ${holds} limit 1`,
    );
    if (row) found.push(`${one.table}.${one.name}`);
  }
  return found;
}

test('after erasing, no table contains address, former address, values or IP, and the hash keeps the address suppressed', async () => {
  // The search itself must find what is there.
  const places = await placesOf(email);
  for (const one of ['contact.email', 'delivery.email', 'delivery.reply', 'notice.reply', 'webhook_event.payload'])
    assert.ok(places.includes(one), one);
  for (const one of ['webhook_attempt.body', 'inbox_message.rcpt_to', 'inbox_message.source', 'audit_entry.subject'])
    assert.ok(places.includes(one), one);
  assert.ok((await placesOf(value)).includes('subscription.fields'));
  await app.call('contactErase', { email });
  await runWaitingJobs(app.app, 'eraseCopies');
  for (const needle of [email, oldEmail, value, ip]) assert.deepEqual(await placesOf(needle), [], needle);
  await assert.rejects(
    app.call('contactGet', { email }),
    (error) => error instanceof Fault && error.fault === 'ADDRESS_UNKNOWN',
  );
  // The others are untouched, and the numbers of the campaign stay.
  assert.ok((await placesOf('other@letters.example')).includes('contact.email'));
  const { recipients } = await app.call<{ recipients: number }>('campaignProgress', { cid });
  assert.equal(recipients, 2);
  await assert.rejects(app.call('listSubscribe', { id: list, email_address: email, double_optin: false }), {
    fault: 'ADDRESS_INVALID',
  });
  // Who is there all the same is left out.
  await app.app.db.run(sql`
    with back as (
      insert into contact (account_id, email, email_key, domain)
      values (${app.account.id}, ${email}, ${email.toLowerCase()}, 'letters.example')
      returning id
    )
    insert into subscription (account_id, list_id, contact_id, status)
    select ${app.account.id}, ${parseId(list)}, id, 'subscribed' from back`);
  assert.equal((await app.call<{ suppressed: string }>('contactGet', { email })).suppressed, 'hash: erased');
  const again = await app.call<string>('campaignReplicate', { cid });
  assert.deepEqual(await app.call('campaignAudience', { cid: again }), {
    recipients: 1,
    left_out: [{ reason: 'suppressed', count: 1 }],
  });
});
