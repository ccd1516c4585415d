// The suppression list: a suppressed address or domain gets no message, and gets messages again once it is removed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  for (const [email, name] of [
    ['ada@example.com', 'Ada'],
    ['bob@example.org', 'Bob'],
    ['cyd@example.net', 'Cyd'],
  ] as const)
    await app.call('listSubscribe', {
      id: list,
      email_address: email,
      merge_vars: { FNAME: name },
      double_optin: false,
    });
});
after(() => app.close());

async function recipients(): Promise<string[]> {
  const cid = await app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const rows = await app.app.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  return rows.map((row) => row.email);
}

test('suppressed addresses and addresses at suppressed domains are left out until the entry is removed', async () => {
  await app.call('suppressedListSubscribe', { email_address: 'ADA@example.com', comment: 'asked' });
  await app.call('suppressedListSubscribe', { email_address: '@example.org' });
  assert.deepEqual(await recipients(), ['cyd@example.net']);
  const shown =
    await app.call<{ email: string; kind: string; reason: string; detail: string }[]>('suppressedListMembers');
  assert.deepEqual(shown.map(({ email, kind, reason, detail }) => [email, kind, reason, detail]).sort(), [
    ['ada@example.com', 'address', 'api', 'asked'],
    ['example.org', 'domain', 'api', ''],
  ]);
  const result = await app.call<{ success_count: number; errors: { code: number }[] }>(
    'suppressedListBatchUnsubscribe',
    { emails: ['ada@example.com', 'example.org', 'nobody@example.com'] },
  );
  assert.deepEqual([result.success_count, result.errors.map((error) => error.code)], [2, [232]]);
  assert.deepEqual(await recipients(), ['ada@example.com', 'bob@example.org', 'cyd@example.net']);
});

test('the suppression list is read newest first, or in another order, and names the campaign that an entry followed from', async () => {
  const cid = await app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, title: 'Spring', subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason, campaign_id, detail, created_at)
    values (${app.account.id}, 'address', 'b@sorted.example', 'bounce', ${parseId(cid)}, '550 no', now() - interval '2 days'),
      (${app.account.id}, 'address', 'a@sorted.example', 'manual', null, '', now() - interval '1 day')`);
  const read = (sort?: string) =>
    app.call<{ email: string; campaign_title: string }[]>('suppressedListMembers', {
      contains: '@sorted.example',
      ...(sort && { sort }),
    });
  const emails = async (sort?: string) => (await read(sort)).map(({ email }) => email[0]).join('');
  assert.deepEqual(
    [await emails(), await emails('time'), await emails('email'), await emails('-email')],
    ['ab', 'ba', 'ab', 'ba'],
  );
  assert.deepEqual(
    (await read()).map(({ campaign_title }) => campaign_title),
    ['', 'Spring'],
  );
  await app.call('suppressedListBatchUnsubscribe', { emails: ['a@sorted.example', 'b@sorted.example'] });
});

test('a suppressed address cannot be subscribed by a user or a program, and nothing of it is stored', async () => {
  await app.call('suppressedListSubscribe', { email_address: 'no@example.com' });
  await app.call('suppressedListSubscribe', { email_address: '@blocked.example' });
  const reasons = {
    'No@example.com': 'No@example.com is on the suppression list (api); remove it there first',
    'dan@blocked.example':
      'the domain of dan@blocked.example is on the suppression list (api); remove the domain there first',
  };
  for (const [email, reason] of Object.entries(reasons))
    for (const double_optin of [true, false])
      await assert.rejects(app.call('listSubscribe', { id: list, email_address: email, double_optin }), {
        fault: 'ADDRESS_INVALID',
        message: `email_address: ${reason}`,
      });
  const { success_count, errors } = await app.call<{ success_count: number; errors: unknown[] }>('listBatchSubscribe', {
    id: list,
    batch: Object.keys(reasons).map((EMAIL) => ({ EMAIL })),
  });
  assert.equal(success_count, 0);
  assert.deepEqual(
    errors,
    Object.entries(reasons).map(([email, reason], index) => ({
      code: 502,
      message: `batch.${index}.EMAIL: ${reason}`,
      email,
      index,
    })),
  );
  const kept = await app.app.db.rows(
    sql`select 1 from contact where email_key like 'no@%' or domain = 'blocked.example'`,
  );
  assert.deepEqual(kept, []);
  // Who is on the list already can still be changed, and comes back when taken off the suppression list.
  await app.call('suppressedListSubscribe', { email_address: 'ada@example.com' });
  const ada = { id: list, email_address: 'ada@example.com', merge_vars: { FNAME: 'Ada' }, double_optin: false };
  await app.call('listSubscribe', { ...ada, update_existing: true });
  await app.call('listUnsubscribe', { id: list, email_address: 'ada@example.com', send_goodbye: false });
  await assert.rejects(app.call('listSubscribe', ada), { fault: 'ADDRESS_INVALID' });
  await app.call('suppressedListBatchUnsubscribe', {
    emails: ['ada@example.com', 'no@example.com', 'blocked.example'],
  });
  await app.call('listSubscribe', ada);
});

test('an address that is already suppressed, and text that is neither address nor domain, are refused', async () => {
  await app.call('suppressedListSubscribe', { email_address: 'twice@example.com' });
  const code = (wanted: number) => (error: unknown) => error instanceof Fault && error.code === wanted;
  await assert.rejects(app.call('suppressedListSubscribe', { email_address: 'Twice@example.com' }), code(214));
  for (const email of ['', 'localhost', 'a@', '@', 'a b@example.com'])
    await assert.rejects(app.call('suppressedListSubscribe', { email_address: email }), code(502));
});

test('the hash of an erased address prevents messages to it', async () => {
  await app.app.db.run(sql`
    insert into suppression (account_id, kind, value, reason)
    select id, 'hash', encode(sha256(convert_to(erasure_salt || 'cyd@example.net', 'UTF8')), 'hex'), 'erased'
    from account where id = ${app.account.id}`);
  assert.deepEqual(await recipients(), ['ada@example.com', 'bob@example.org']);
  await app.call('suppressedListUnsubscribe', { email_address: 'cyd@example.net' });
  assert.deepEqual(await recipients(), ['ada@example.com', 'bob@example.org', 'cyd@example.net']);
});

test('members are found by their fields, without regard to case, and by when they changed', async () => {
  const found = await app.call<{ email: string }[]>('listMembersByMerge', { id: list, merge_vars: { FNAME: 'ADA' } });
  assert.deepEqual(
    found.map((item) => item.email),
    ['ada@example.com'],
  );
  assert.equal((await app.call<unknown[]>('listMembers', { id: list, since: '2001-01-01' })).length, 3);
  assert.equal((await app.call<unknown[]>('listMembers', { id: list, since: '2099-01-01 00:00:00' })).length, 0);
  await assert.rejects(
    app.call('listMembers', { id: list, since: '2027-02-30' }),
    (error) => error instanceof Fault && error.code === 501,
  );
});
