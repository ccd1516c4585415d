// Lists, fields and members through the entry point that all doors share, on a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter', options: { default_from_name: 'Editors' } });
});
after(() => app.close());

const fault = (code: number, text?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code, error.message);
  if (text) assert.match(error.message, text);
  return true;
};
const join = (email: string, more: Record<string, unknown> = {}) =>
  app.call('listSubscribe', { id: list, email_address: email, merge_vars: {}, double_optin: false, ...more });
const info = (email: string) => app.call<Record<string, unknown>>('listMemberInfo', { id: list, email_address: email });

test('a new list has EMAIL, FNAME and LNAME and counts no members', async () => {
  const fields = await app.call<{ tag: string }[]>('listMergeVars', { id: list });
  assert.deepEqual(
    fields.map((field) => field.tag),
    ['EMAIL', 'FNAME', 'LNAME'],
  );
  const [record] = await app.call<Record<string, unknown>[]>('lists');
  assert.equal(record!.member_count, 0);
  assert.equal(record!.default_from_name, 'Editors');
});

test('an address is the same member in upper and lower case', async () => {
  await join('Ada@Example.com', { merge_vars: { fname: 'Ada' } });
  await assert.rejects(join('ada@example.COM'), fault(214));
  assert.deepEqual((await info('ADA@example.com')).merges, { EMAIL: 'Ada@example.com', FNAME: 'Ada', LNAME: '' });
  const byId = await info((await info('ada@example.com')).id as string);
  assert.equal(byId.email, 'Ada@example.com');
});

test('update_existing changes a member instead of refusing it', async () => {
  await join('up@example.com');
  await join('up@example.com', { merge_vars: { LNAME: 'Dated' }, update_existing: true });
  assert.equal(((await info('up@example.com')).merges as Record<string, string>).LNAME, 'Dated');
});

test('an invalid address, an unknown field and an unknown list are reported by name', async () => {
  await assert.rejects(join('no address'), fault(502, /email_address/));
  await assert.rejects(join('x@example.com', { merge_vars: { SHOE: '44' } }), fault(254, /SHOE/));
  await assert.rejects(app.call('listSubscribe', { id: 'a0000000', email_address: 'x@example.com' }), fault(200));
  await assert.rejects(info('x@example.com'), fault(232));
});

test('invalid consent evidence is refused by member and reason, and nothing is stored', async () => {
  const wrong: [member: string, value: string, reason: RegExp][] = [
    ['TIMEZONE', 'Mars/Base', /merge_vars\.TIMEZONE: "Mars\/Base" is not a time zone/],
    ['LANGUAGE', 'klingon', /merge_vars\.LANGUAGE: "klingon" is not a language/],
    ['OPTINIP', '999.1.1.1', /merge_vars\.OPTINIP: "999.1.1.1" is not an IP address/],
    ['OPTINTIME', 'soon', /merge_vars\.OPTINTIME: "soon" is not a date/],
    ['OPTINTIME', '2099-01-01 00:00:00', /merge_vars\.OPTINTIME: .* is in the future/],
  ];
  await join('known@example.com', { merge_vars: { TIMEZONE: 'Europe/Berlin', LANGUAGE: 'de' } });
  const before = await info('known@example.com');
  for (const [member, value, reason] of wrong) {
    const merge_vars = { FNAME: 'New', [member]: value };
    await assert.rejects(join('evidence@example.com', { merge_vars }), fault(254, reason));
    const batch = [{ EMAIL: 'evidence@example.com', ...merge_vars }];
    const returned = await app.call<{ success_count: number; errors: { code: number; message: string }[] }>(
      'listBatchSubscribe',
      { id: list, double_optin: false, batch },
    );
    assert.deepEqual([returned.success_count, returned.errors[0]!.code], [0, 254]);
    assert.match(returned.errors[0]!.message.replace('batch.0.', 'merge_vars.'), reason);
    await assert.rejects(
      app.call('listUpdateMember', { id: list, email_address: 'known@example.com', merge_vars }),
      fault(254, reason),
    );
  }
  await assert.rejects(info('evidence@example.com'), fault(232));
  assert.deepEqual(await info('known@example.com'), before);
  const merge_vars = { OPTINTIME: '2020-02-03 04:05:06', OPTINIP: '2001:db8::1', LANGUAGE: 'pt_br', TIMEZONE: 'UTC' };
  await join('evidence@example.com', { merge_vars });
  const { language, timezone, ...rest } = await info('evidence@example.com');
  assert.deepEqual([language, timezone], ['pt-BR', 'UTC']);
  assert.ok(JSON.stringify(rest).includes('2020-02-03 04:05:06') && JSON.stringify(rest).includes('2001:db8::1'));
});

test('with double opt-in a contact is pending and a confirmation is queued', async () => {
  await join('later@example.com', { double_optin: true });
  assert.equal((await info('later@example.com')).status, 'pending');
  const job = await app.app.db.row(sql`select id from graphile_worker.jobs where task_identifier = 'sendConfirmation'`);
  assert.ok(job);
});

test('unsubscribing twice is a fault, and the address may come back', async () => {
  await join('gone@example.com');
  await app.call('listUnsubscribe', { id: list, email_address: 'gone@example.com', send_goodbye: false });
  await assert.rejects(app.call('listUnsubscribe', { id: list, email_address: 'gone@example.com' }), fault(231));
  const gone = await app.call<{ email: string }[]>('listMembers', { id: list, status: 'unsubscribed' });
  assert.deepEqual(
    gone.map((item) => item.email),
    ['gone@example.com'],
  );
  await join('gone@example.com');
  assert.equal((await info('gone@example.com')).status, 'subscribed');
});

test('a batch stores valid members and names invalid ones', async () => {
  const result = await app.call<{
    success_count: number;
    error_count: number;
    errors: { code: number; email: string }[];
  }>('listBatchSubscribe', {
    id: list,
    double_optin: false,
    batch: [
      { EMAIL: 'b1@example.com', FNAME: 'One' },
      { email: 'b2@example.com', EMAIL_TYPE: 'text' },
      { EMAIL: 'broken' },
      { EMAIL: 'b1@example.com' },
    ],
  });
  assert.equal(result.success_count, 2);
  assert.deepEqual(
    result.errors.map((error) => [error.code, error.email]),
    [
      [502, 'broken'],
      [214, 'b1@example.com'],
    ],
  );
});

test('an invalid item of a batch is reported by its index and member, and the others are stored', async () => {
  type Outcome = { success_count: number; errors: { code: number; message: string; email: string; index: number }[] };
  const subscribed = await app.call<Outcome>('listBatchSubscribe', {
    id: list,
    double_optin: false,
    batch: [
      { EMAIL: 'i1@example.com', FNAME: 'a\0' },
      'i2@example.com',
      { FNAME: 'No address' },
      { EMAIL: 'i3@example', FNAME: 'Ada' },
      { EMAIL: 'i4@example.com', fname: { a: 1 } },
      { EMAIL: 'i5@example.com', EMAIL_TYPE: 'telex' },
      { EMAIL: 'i6@example.com', NOPE: 1 },
      null,
      { EMAIL: 'i7@example.com', FNAME: 'Ada' },
    ],
  });
  assert.equal(subscribed.success_count, 1);
  assert.equal((await info('i7@example.com')).status, 'subscribed');
  assert.deepEqual(
    subscribed.errors.map(({ index, code, email, message }) => [index, code, email, message.split(/ has a| of/)[0]]),
    [
      [0, -32602, 'i1@example.com', 'batch.0.FNAME contains a NUL character'],
      [1, -32602, 'i2@example.com', 'batch.1 is not a struct'],
      [2, 502, '', 'batch.2.EMAIL is required'],
      [3, 502, 'i3@example', 'batch.3.EMAIL: "i3@example" is not an email address: it'],
      [4, 254, 'i4@example.com', 'batch.4.FNAME is not a string'],
      [5, 254, 'i5@example.com', 'batch.5.EMAIL_TYPE: "telex" is neither html nor text'],
      [6, 254, 'i6@example.com', 'batch.6.NOPE is not a field'],
      [7, 502, '', 'batch.7.EMAIL is required'],
    ],
  );
  const emails = ['i\0@example.com', ['x'], 'who@example.com', 'i7@example.com'];
  for (const name of ['listBatchUnsubscribe', 'suppressedListBatchSubscribe']) {
    const { errors } = await app.call<Outcome>(
      name,
      name === 'listBatchUnsubscribe' ? { id: list, emails } : { emails },
    );
    assert.deepEqual(
      errors.slice(0, 2).map(({ index, message }) => [index, message]),
      [
        [0, 'emails.0 contains a NUL character'],
        [1, 'emails.1 is not a string'],
      ],
    );
    if (name === 'listBatchUnsubscribe') assert.match(errors[2]!.message, /^emails\.2: "who@example.com"/);
  }
  await app.call('suppressedListBatchUnsubscribe', { emails: emails.slice(2) });
});

test('a required field without value is refused by tag', async () => {
  await app.call('listMergeVarAdd', { id: list, tag: 'CITY', name: 'City', options: { req: true } });
  await assert.rejects(join('c@example.com'), fault(250, /CITY/));
  await join('c@example.com', { merge_vars: { CITY: 'Turin' } });
  await app.call('listMergeVarUpdate', { id: list, tag: 'CITY', options: { tag: 'TOWN', req: false } });
  assert.equal(((await info('c@example.com')).merges as Record<string, string>).TOWN, 'Turin');
  await app.call('listMergeVarDel', { id: list, tag: 'town' });
  assert.equal('TOWN' in ((await info('c@example.com')).merges as object), false);
  await assert.rejects(app.call('listMergeVarDel', { id: list, tag: 'EMAIL' }), fault(251));
});

test('values are checked by the type of their field', async () => {
  await app.call('listMergeVarAdd', { id: list, tag: 'BORN', name: 'Birthday', options: { field_type: 'date' } });
  await app.call('listMergeVarAdd', {
    id: list,
    tag: 'SIZE',
    name: 'Size',
    options: { field_type: 'dropdown', choices: ['S', 'M'] },
  });
  await assert.rejects(join('d@example.com', { merge_vars: { BORN: '30.02.2020' } }), fault(254, /BORN/));
  await assert.rejects(join('d@example.com', { merge_vars: { SIZE: 'XL' } }), fault(254, /SIZE/));
  await join('d@example.com', { merge_vars: { BORN: '05/31/2020', SIZE: 'm' } });
  const merges = (await info('d@example.com')).merges as Record<string, string>;
  assert.equal(merges.BORN, '2020-05-31');
  assert.equal(merges.SIZE, 'M');
});

test('changing an address to that of another contact is refused', async () => {
  await join('e1@example.com');
  await join('e2@example.com');
  await assert.rejects(
    app.call('listUpdateMember', {
      id: list,
      email_address: 'e1@example.com',
      merge_vars: { EMAIL: 'E2@example.com' },
    }),
    fault(230),
  );
  await app.call('listUpdateMember', {
    id: list,
    email_address: 'e1@example.com',
    merge_vars: { EMAIL: 'e3@example.com' },
  });
  assert.equal((await info('e3@example.com')).status, 'subscribed');
});

test("another account's list looks like an unknown one", async () => {
  const other = await app.anotherAccount();
  const text = async (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('answered'),
      (error: Fault) => `${error.code} ${error.message}`,
    );
  const foreign = await text(other.call('listMembers', { id: list }));
  const unknown = await text(other.call('listMembers', { id: 'f1234567' }));
  assert.equal(foreign.replace(list, ''), unknown.replace('f1234567', ''));
});

test('a webhook gets the events of its list, in the transaction that caused them', async () => {
  await app.app.db.run(sql`
    insert into webhook (account_id, title, url, events)
    values (${app.account.id}, 'w', 'http://localhost/', '{contact.subscribe,contact.unsubscribe,email.change}')`);
  await join('hook@example.com', { merge_vars: { FNAME: 'Hook' } });
  await app.call('listUnsubscribe', { id: list, email_address: 'hook@example.com', send_goodbye: false });
  const rows = await app.app.db.rows<{ type: string; payload: Record<string, unknown> }>(
    sql`select type, payload from webhook_event order by id`,
  );
  assert.deepEqual(
    rows.map((row) => row.type),
    ['contact.subscribe', 'contact.unsubscribe'],
  );
  assert.equal(rows[0]!.payload.email, 'hook@example.com');
  assert.deepEqual(rows[0]!.payload.fields, { EMAIL: 'hook@example.com', FNAME: 'Hook' });
});

test('deleting a list deletes its members and no others', async () => {
  const second = await app.call<string>('listCreate', { title: 'Second' });
  await app.call('listSubscribe', { id: second, email_address: 'ada@example.com', double_optin: false });
  assert.equal((await app.call<string[]>('listsForEmail', { email_address: 'ada@example.com' })).length, 2);
  await app.call('listDelete', { id: list });
  assert.deepEqual(await app.call('listsForEmail', { email_address: 'ada@example.com' }), [second]);
  const left = await app.app.db.row<{ count: number }>(sql`select count(*) as count from contact`);
  assert.equal(left!.count, 1);
});
