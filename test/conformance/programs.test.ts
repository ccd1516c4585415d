// What programs built on published clients send, as against what the classes document: arrays with gaps, names that are no
// field, dates day first, texts as base64 or byte by byte. XML-RPC and forms read it; the JSON door is as strict as ever.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { phpUnserialize } from '../support/builders/php-unserialize.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { draftOf } from './fixture.ts';

type Params = Record<string, unknown>;
type Send = (method: string, params: Params, path?: string) => Promise<unknown>;

let t: TestApp;
let base: string;
let key: string;

before(async () => {
  t = await testApp();
  base = await t.listen();
  key = await t.anotherKey('full');
});
after(() => t.close());

/** The value, or {error, code} of a fault, as form posts return it. */
async function postForm(query: string, body: string, path = '/1.8/'): Promise<unknown> {
  const response = await fetch(`${base}${path}?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `apikey=${key}&${body}`,
  });
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  return query.startsWith('output=php') ? structuredClone(phpUnserialize(bytes)) : JSON.parse(bytes.toString());
}

async function postXml(document: string | Uint8Array, path = '/1.8/'): Promise<unknown> {
  const body = Buffer.from(document);
  const response = await fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
  assert.equal(response.status, 200);
  const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
  return 'fault' in answer ? { error: answer.fault.message, code: answer.fault.code } : plainOf(answer.value);
}

const pairsOf = (value: unknown, name = ''): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => pairsOf(item, name === '' ? key : `${name}[${key}]`))
    : [[name, typeof value === 'boolean' ? String(Number(value)) : String(value)]];

const doors: Record<string, Send> = {
  'form, php': (method, params, path) =>
    postForm(`output=php&method=${method}`, new URLSearchParams(pairsOf(params)).toString(), path),
  'form, json': (method, params, path) =>
    postForm(`output=json&method=${method}`, new URLSearchParams(pairsOf(params)).toString(), path),
  'XML-RPC': (method, params, path) => postXml(encodeCall(method, [{ apikey: key, ...params }]), path),
};
const family = Object.entries(doors);

async function json(
  method: string,
  params: Params,
): Promise<{ status: number; body: { error: string; code: number } }> {
  const response = await fetch(`${base}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return { status: response.status, body: (await response.json()) as { error: string; code: number } };
}

const ok = (value: unknown, expected: unknown) => assert.deepEqual(value, expected, JSON.stringify(value));

/** A list with the fields of a shop. */
async function shopList(): Promise<string> {
  const id = await t.call<string>('listCreate', { title: 'Shop' });
  for (const [tag, field_type] of [
    ['REGISTRATIONDATE', 'date'],
    ['LASTITEMINCARTADDINGDATE', 'date'],
    ['TOTAL', 'number'],
    ['ADDRESS', 'address'],
  ])
    await t.call('listMergeVarAdd', { id, tag, name: tag, options: { field_type } });
  return id;
}
const member = async (id: string, email_address: string) =>
  (await t.call<{ merges: Record<string, string>; status: string }>('listMemberInfo', { id, email_address }))!;
const subscribe = (id: string, email_address: string) =>
  t.call('listSubscribe', { id, email_address, double_optin: false });

for (const [door, send] of family) {
  const at = (name: string) => `${name}-${door.replace(/\W/g, '')}@example.org`.toLowerCase();

  test(`${door}: an array with gaps is an array in every method`, async () => {
    const list = await shopList();
    const other = await shopList();
    const row = (email: string) => ({ EMAIL: email, REGISTRATIONDATE: '2015-12-25' });
    const batch = { 17: row(at('b17')), 42: row(at('b42')), 40000000001: row('nowhere') };
    const { errors, ...counts } = (await send('listBatchSubscribe', {
      id: list,
      batch,
      double_optin: false,
    })) as Params;
    ok(counts, { success_count: 2, error_count: 1 });
    ok(
      (errors as Params[]).map(({ index, email }) => [index, email]),
      [[2, 'nowhere']],
    );
    const emails = { 5: at('b17'), 9: at('b42') };
    ok(await send('listBatchUnsubscribe', { id: list, emails }), { success_count: 2, error_count: 0, errors: [] });
    for (const name of ['emails', 'batch'])
      ok(
        await send('suppressedListBatchSubscribe', { [name]: { 3: { EMAIL: at(`s3${name}`) }, 8: at(`s8${name}`) } }),
        {
          success_count: name === 'batch' ? 2 : 1,
          error_count: name === 'batch' ? 0 : 1,
          errors:
            name === 'batch'
              ? []
              : [{ code: -32602, message: 'emails.0 is not a string', email: at('s3emails'), index: 0 }],
        },
      );
    ok(((await send('suppressedListBatchUnsubscribe', { emails: { 4: at('s3batch') } })) as Params).success_count, 1);
    const options = { ...(draftOf(list).options as Params), list_id: { 1: list, 3: other } };
    const cid = (await send('campaignCreate', { ...draftOf(list), options })) as string;
    const listsOf = async () => (await t.call<Params[]>('campaigns', { filters: { campaign_id: cid } }))[0]!.list_ids;
    ok(await listsOf(), [list, other]);
    ok(await send('campaignUpdate', { cid, name: 'list_id', value: { 2: other } }), true);
    ok(await listsOf(), [other]);
    await subscribe(other, at('reader'));
    ok(await send('campaignSendTest', { cid, test_emails: { 0: at('t0'), 2: at('t2') } }), true);
    const filter = {
      1: { field: 'FNAME', condition: 'is', value: 'A' },
      4: { match: 'any', filter: { 2: { field: 'LNAME', condition: 'is', value: 'B' } } },
    };
    const sid = await send('listSegmentCreate', { list, title: 'Gaps', match: 'all', filter });
    assert.match(String(sid), /^[abcdf]/);
    ok(await send('listSegmentUpdate', { sid, name: 'filter', value: { 6: filter[1] } }), true);
    const field = { id: list, tag: 'SIZE', name: 'Size' };
    ok(
      await send('listMergeVarAdd', { ...field, options: { field_type: 'dropdown', choices: { 1: 'S', 5: 'M' } } }),
      true,
    );
    ok(
      await send('listMergeVarUpdate', { id: list, tag: 'SIZE', options: { predefined_values: { 2: 'S', 3: 'L' } } }),
      true,
    );
    const webhook = {
      title: 'Hook',
      options: { url: 'http://127.0.0.1:9/', events: { 1: 'contact.subscribe' }, sources: { 2: 'api' } },
    };
    const wid = await send('webhookCreate', webhook);
    ok(
      await send('webhookUpdate', { wid, name: 'events', value: { 3: 'contact.update', 7: 'contact.subscribe' } }),
      true,
    );
    const [hook] = await t.call<Params[]>('webhooks');
    ok(hook!.events, ['contact.subscribe', 'contact.update']);
    await t.call('webhookDelete', { wid });
  });

  test(`${door}: one bad row of a batch whose keys are words is the error of that row`, async () => {
    const list = await shopList();
    const batch = { c17: { EMAIL: at('word') }, c18: { FNAME: 'No address' }, c19: 'x' };
    const result = (await send('listBatchSubscribe', { id: list, batch, double_optin: false })) as Params;
    ok([result.success_count, result.error_count], [1, 2]);
    const emails = { c17: at('word'), c18: 'x' };
    const left = (await send('listBatchUnsubscribe', { id: list, emails })) as Params;
    ok([left.success_count, left.error_count], [1, 1]);
  });

  test(`${door}: an address, time or zone that cannot be read is ignored and counted, not the sign-up`, async () => {
    const list = await shopList();
    const ofSubscription = (email: string) =>
      t.app.db.row<Params>(sql`
        select s.signup_ip as signup, s.optin_ip as optin, s.optin_at as at
        from subscription s join contact c on c.id = s.contact_id
        where c.email = ${email} and s.list_id = ${parseId(list)}`);
    const call = (email: string, ip: string, merge_vars: Params) =>
      send('listSubscribe', { id: list, email_address: email, ip_signup: ip, merge_vars, double_optin: false });
    const proxied = { OPTINIP: '192.0.2.7, 10.0.0.1', TIMEZONE: 'Europe/Berlin' };
    ok(await call(at('proxied'), '192.0.2.9, 10.0.0.1', proxied), true);
    const { signup, optin } = (await ofSubscription(at('proxied')))!;
    ok([signup, optin], ['192.0.2.9', '192.0.2.7']);
    const bad = { OPTINIP: 'unknown', TIMEZONE: 'GMT+25', optintime: 'yesterday', LANGUAGE: 'Deutsch!', FNAME: 'Ada' };
    ok(await call(at('bad'), 'unknown', bad), true);
    ok((await member(list, at('bad'))).merges.FNAME, 'Ada');
    ok(await call(at('future'), '', { OPTINTIME: '2199-01-01 00:00:00' }), true);
    const ignored = await t.call<{ name: string; count: number }[]>('listIgnoredNames', { id: list });
    ok(ignored.map(({ name, count }) => `${name} ${count}`).sort(), [
      'LANGUAGE 1',
      'OPTINIP 1',
      'OPTINTIME 2',
      'TIMEZONE 1',
      'ip_signup 1',
    ]);
  });

  test(`${door}: names that are no field are ignored, counted, and shown to the owner`, async () => {
    const list = await shopList();
    const posted = {
      mailigen_widget_form_id: 'widget-2',
      GROUPINGS: [{ name: 'Interests', groups: 'a,b' }],
      INTERESTS: ['a', 'b'],
      nested: { deep: { deeper: 'x' } },
      '17': 'x',
      [`long${'g'.repeat(300)}`]: 'x',
      FNAME: "O'Hara",
      EMAIL: at('sign'),
    };
    const call = { id: list, email_address: at('sign'), merge_vars: posted, double_optin: false };
    ok(await send('listSubscribe', call), true);
    ok((await member(list, at('sign'))).merges.FNAME, "O'Hara");
    ok(await send('listUpdateMember', { id: list, email_address: at('sign'), merge_vars: { SHOE: '42' } }), true);
    const rows = [1, 2, 3].map((n) => ({ EMAIL: at(`row${n}`), GROUPINGS: 'x', SHOE: '41' }));
    const result = (await send('listBatchSubscribe', { id: list, batch: rows, double_optin: false })) as Params;
    ok(result.success_count, 3);
    type Ignored = { name: string; count: number; first_seen: string; last_seen: string }[];
    const names = async () =>
      (await t.call<Ignored>('listIgnoredNames', { id: list })).map(({ name, count }) => [name, count]);
    ok(await names(), [
      ['GROUPINGS', 4],
      ['SHOE', 4],
      ...['17', 'INTERESTS', `long${'g'.repeat(96)}`, 'mailigen_widget_form_id', 'nested'].map((name) => [name, 1]),
    ]);
    // A field of that name takes the values from now on.
    await t.call('listMergeVarAdd', { id: list, tag: 'SHOE', name: 'Shoe size' });
    ok((await names())[1], ['17', 1]);
    ok(await send('listSubscribe', { ...call, merge_vars: { shoe: '40' }, update_existing: true }), true);
    ok((await member(list, at('sign'))).merges.SHOE, '40');
    // A site that still sends a deleted field keeps its sign-ups.
    await t.call('listMergeVarDel', { id: list, tag: 'SHOE' });
    ok(await send('listSubscribe', { ...call, email_address: at('later'), merge_vars: { SHOE: '40' } }), true);
    const [entry] = await t.call<{ detail: Record<string, string> }[]>('auditLog', {
      method: 'listBatchSubscribe',
      limit: 1,
    });
    ok(entry!.detail.ignored, 'GROUPINGS ×3, SHOE ×3');
    const kept = await t.app.db.rows(sql`select * from ignored_name where account_id = ${t.account.id}`);
    assert.ok(!JSON.stringify(kept).includes('widget-2'), 'values are not kept');
    // A name that was dismissed is not shown again, although it still comes.
    const gone = { id: list, name: 'GROUPINGS' };
    for (const dismissed of [gone, gone, { ...gone, name: 'NEVERSENT' }])
      ok(await send('listIgnoredNameDismiss', dismissed), true);
    ok(await send('listSubscribe', { ...call, merge_vars: { GROUPINGS: 'x' }, update_existing: true }), true);
    ok(
      (await names()).some(([name]) => name === 'GROUPINGS'),
      false,
    );
    // What is searched for is not ignored.
    const found = (await send('listMembersByMerge', { id: list, merge_vars: { COLOUR: 'red' } })) as Params;
    assert.match(String(found.error), /COLOUR/);
  });

  test(`${door}: interest groups are the multiple choices of the list`, async () => {
    const list = await shopList();
    const choices = ['News', 'Food, drinks', 'Jobs'];
    const options = { field_type: 'multiple_choice', choices };
    await t.call('listMergeVarAdd', { id: list, tag: 'TOPICS', name: 'Interests', options });
    const call = { id: list, email_address: at('groups'), double_optin: false, update_existing: true };
    const topics = async () => (await member(list, at('groups'))).merges.TOPICS;
    const groups = (given: unknown, more: Params = {}) =>
      send('listSubscribe', { ...call, merge_vars: { GROUPINGS: given }, ...more });
    ok(await groups([{ name: 'Interests', groups: 'News,Food\\, drinks' }]), true);
    ok(await topics(), 'News, Food\\, drinks');
    ok(await groups({ 7: { name: 'interests', groups: { 0: 'Jobs' } } }), true);
    ok(await topics(), 'Jobs');
    ok(await groups([{ name: 'Interests', groups: 'News' }], { replace_interests: false }), true);
    ok(await topics(), 'News, Jobs');
    ok(
      await send('listUpdateMember', {
        id: list,
        email_address: at('groups'),
        merge_vars: { INTERESTS: 'Food, drinks' },
      }),
      true,
    );
    ok(await topics(), 'Food\\, drinks');
    const row = { EMAIL: at('groups'), GROUPINGS: [{ name: 'TOPICS', groups: ['Jobs'] }] };
    const batch = { id: list, batch: [row], double_optin: false, update_existing: true };
    ok(((await send('listBatchSubscribe', { ...batch, replace_interests: '0' })) as Params).success_count, 1);
    ok(await topics(), 'Food\\, drinks, Jobs');
    // What the list does not have: another grouping is ignored and counted, another group is refused.
    ok(
      await groups([
        { name: 'Regions', groups: 'North' },
        { name: 'Interests', groups: 'News' },
      ]),
      true,
    );
    ok(await topics(), 'News');
    const ignored = await t.call<{ name: string }[]>('listIgnoredNames', { id: list });
    ok(
      ignored.map(({ name }) => name),
      ['GROUPINGS'],
    );
    const refused = (await groups([{ name: 'Interests', groups: 'Sports' }])) as Params;
    ok([refused.code, String(refused.error).slice(0, 38)], [254, 'merge_vars.TOPICS: "Sports" is not one']);
    // Their words for the types, and answers with the choices as one text.
    ok(await send('listMergeVarAdd', { id: list, tag: 'VIP', name: 'VIP', options: { field_type: 'checkbox' } }), true);
    const fields = (await send('listMergeVars', { id: list })) as Params[];
    const shown = fields.filter(({ tag }) => tag === 'VIP' || tag === 'TOPICS');
    ok(
      shown.map(({ field_type, predefined_values }) => [field_type, predefined_values]),
      [
        ['multiple_choice', 'News||Food, drinks||Jobs'],
        ['yes_no', ''],
      ],
    );
  });

  test(`${door}: dates are day first, and a date of zeros is not given`, async () => {
    const list = await shopList();
    const dates: Record<string, string> = {
      '25/12/2015': '2015-12-25',
      '5/1/2015': '2015-01-05',
      '05.01.2015': '2015-01-05',
      '05-01-2015': '2015-01-05',
      '25/12/2015 14:30:00': '2015-12-25',
      '2015-12-25': '2015-12-25',
      '2015/12/25': '2015-12-25',
      '2015-12-25 14:30:00': '2015-12-25',
      '0000-00-00': '',
      '0000-00-00 00:00:00': '',
      '00/00/0000': '',
      '30/11/-0001': '',
      '-0001-11-30T00:00:00+00:00': '',
      '1/1/0001 12:00:00 AM': '',
      '': '',
    };
    const batch = Object.keys(dates).map((date, i) => ({ EMAIL: at(`d${i}`), REGISTRATIONDATE: date }));
    const result = await send('listBatchSubscribe', { id: list, batch, double_optin: false });
    ok(result, { success_count: batch.length, error_count: 0, errors: [] });
    for (const [i, iso] of Object.values(dates).entries())
      ok((await member(list, at(`d${i}`))).merges.REGISTRATIONDATE, iso);
    for (const date of ['12/25/2015', '31/02/2015', '25/12/15', '25/12-2015', '20151225']) {
      const merge_vars = { REGISTRATIONDATE: date };
      ok(await send('listSubscribe', { id: list, email_address: at('wrong'), merge_vars, double_optin: false }), {
        error: `merge_vars.REGISTRATIONDATE: "${date}" is not a date (YYYY-MM-DD, or day first: DD/MM/YYYY)`,
        code: 254,
      });
    }
    // An update with a date of zeros keeps the date.
    const update = { id: list, email_address: at('d0'), merge_vars: { REGISTRATIONDATE: '0000-00-00' } };
    ok(await send('listUpdateMember', update), true);
    ok((await member(list, at('d0'))).merges.REGISTRATIONDATE, '2015-12-25');
    const condition = { field: 'REGISTRATIONDATE', condition: 'is', value: '5/1/2015' };
    const id = await send('listSegmentCreate', { list, title: 'January', match: 'all', filter: [condition] });
    ok(((await send('listSegmentMembers', { id })) as unknown[]).length, 3);
    const sameDay = { id: list, merge_var: 'REGISTRATIONDATE', merge_value: '05.01.2015' };
    ok(((await send('listMembersByMerge', sameDay)) as unknown[]).length, 3);
    const optin = { OPTINTIME: '5/1/2015 12:00:00', OPTINIP: '192.0.2.7' };
    const consent = { id: list, email_address: at('optin'), merge_vars: optin, double_optin: false };
    ok(await send('listSubscribe', consent), true);
    const row = await t.app.db.row<{ at: Date }>(sql`
      select s.optin_at as at from subscription s join contact c on c.id = s.contact_id where c.email = ${at('optin')}`);
    ok(row!.at.toISOString(), '2015-01-05T12:00:00.000Z');
    const zeros = { id: list, email_address: at('optin'), merge_vars: { OPTINTIME: '1/1/0001 12:00:00 AM' } };
    ok(await send('listUpdateMember', zeros), true);
    for (const since of ['0000-00-00', '30/11/-0001'])
      assert.ok(
        ((await send('listMembers', { id: list, status: 'subscribed', since })) as unknown[]).length > 0,
        since,
      );
    for (const zero of ['0000-00-00 00:00:00', '-0001-11-30']) {
      const filters = { sendtime_start: zero, sendtime_end: zero };
      assert.ok(!('error' in ((await send('campaigns', { filters })) as object)), zero);
    }
    assert.ok(Array.isArray(await send('listGrowthHistory', { id: list, start_date: '01/02/2020', end_date: '' })));
    const field = {
      id: list,
      tag: 'BIRTHDAY',
      name: 'Birthday',
      options: { field_type: 'date', default_value: '1/2/2000' },
    };
    ok(await send('listMergeVarAdd', field), true);
    const fields = await t.call<{ tag: string; default: string }[]>('listMergeVars', { id: list });
    ok(fields.find(({ tag }) => tag === 'BIRTHDAY')!.default, '2000-02-01');
  });

  test(`${door}: the names of the relatives of the family are taken`, async () => {
    const list = await shopList();
    const { options } = draftOf(list);
    const cid = (await send('campaignCreate', {
      type: 'regular',
      options: { ...(options as Params), to_name: '*|FNAME|*' },
      content: { html: '<p>Hello</p>', text: 'Hello in plain' },
    })) as string;
    ok((await t.call<{ to_email: string }>('campaignGet', { cid })).to_email, '*|FNAME|*');
    assert.match((await t.call<{ plain: string }>('campaignContent', { cid })).plain, /Hello in plain/);
    assert.ok('html' in ((await send('campaignContent', { cid, for_archive: false })) as Params));
    ok(((await send('campaigns', { filters: { exact: true, campaign_id: cid } })) as unknown[]).length, 1);
    ok(await send('campaignUpdate', { cid, name: 'to_name', value: '*|LNAME|*' }), true);
    ok(await send('campaignUpdate', { cid, name: 'text', value: 'Another plain' }), true);
    ok((await t.call<{ to_email: string }>('campaignGet', { cid })).to_email, '*|LNAME|*');
  });

  test(`${door}: an address that comes twice in a batch is one contact, with the values of the later row`, async () => {
    const id = await shopList();
    const batch = ['A', 'B', 'C'].map((FNAME, i) => ({ EMAIL: at(i === 1 ? 'other' : 'twice'), FNAME }));
    const counts = { success_count: 3, error_count: 0, errors: [] };
    ok(await send('listBatchSubscribe', { id, batch, double_optin: false }), counts);
    ok((await member(id, at('twice'))).merges.FNAME, 'C');
    const emails = batch.map(({ EMAIL }) => EMAIL);
    ok(await send('listBatchUnsubscribe', { id, emails, send_goodbye: false }), counts);
    const again = (await send('listBatchSubscribe', { id, batch: [batch[0]], double_optin: false })) as Params;
    ok(again.error_count, 0);
    ok(((await send('listBatchSubscribe', { id, batch: [batch[0]], double_optin: false })) as Params).error_count, 1);
  });

  test(`${door}: a contact that has not confirmed is inactive, and can leave`, async () => {
    const id = await shopList();
    const email_address = at('waits');
    ok(await send('listSubscribe', { id, email_address, merge_vars: [] }), true);
    ok(((await send('listMemberInfo', { id, email_address })) as Params).status, 'inactive');
    ok(
      ((await send('listMembers', { id, status: 'inactive' })) as Params[]).map(({ email }) => email),
      [email_address],
    );
    ok(await send('listUnsubscribe', { id, email_address }), true);
    ok((await member(id, email_address)).status, 'unsubscribed');
    const goodbyes = await t.app.db
      .rows(sql`
      select from graphile_worker.jobs where task_identifier = 'sendGoodbye' and payload::text like ${`%${email_address}%`}`)
      .catch(() => []);
    ok(goodbyes.length, 0);
  });

  test(`${door}: a list has the choice of the format unless it is turned off`, async () => {
    const optionOf = async (options: Params) => {
      const id = await send('listCreate', { title: 'Letter', options });
      return (await t.call<{ email_type_option: boolean }>('listGet', { id })).email_type_option;
    };
    ok(await optionOf({ default_from_name: 'Us' }), true);
    ok(await optionOf({ has_email_type_option: false }), false);
    ok(await optionOf({ email_type_option: false }), false);
  });

  test(`${door}: clicks by link are a map by URL at the addresses before 1.8`, async () => {
    const list = await shopList();
    const cid = await t.call<string>('campaignCreate', draftOf(list));
    await t.app.db.run(sql`
      insert into link (account_id, campaign_id, no, target)
      select account_id, id, no, target
      from campaign, (values (0, 'https://example.com/a'), (1, 'https://example.com/b'), (2, 'https://example.com/a')) as l(no, target)
      where title = (select title from campaign where account_id = ${t.account.id} order by created_at desc limit 1)
        and id = (select id from campaign where account_id = ${t.account.id} order by created_at desc limit 1)`);
    for (const path of ['/1.0/', '/1.4/', '/1.6'])
      ok(await send('campaignClickStats', { cid }, path), {
        'https://example.com/a': { clicks: 0, unique: 0 },
        'https://example.com/b': { clicks: 0, unique: 0 },
      });
    for (const path of ['/1.8/', '/xmlrpc', '/2.0/'])
      ok(((await send('campaignClickStats', { cid }, path)) as unknown[]).length, 3);
    ok(await send('campaignClickStatsDetails', { cid }), []);
  });
}

test('the JSON door is as strict as before', async () => {
  const id = await shopList();
  await subscribe(id, 'strict@example.org');
  const email_address = 'strict@example.org';
  const cid = await t.call<string>('campaignCreate', draftOf(id));
  const refused: [string, Params, number, RegExp][] = [
    [
      'campaignSendTest',
      { cid, test_emails: { 0: 'a@example.org', 2: 'b@example.org' } },
      -32602,
      /test_emails is not an array/,
    ],
    ['campaignUpdate', { cid, name: 'list_id', value: { 1: id } }, 312, /list_id is not an array/],
    ['listBatchSubscribe', { id, batch: { 17: { EMAIL: 'a@example.org' } } }, -32602, /batch is not an array/],
    ['suppressedListBatchSubscribe', { batch: { 17: { EMAIL: 'a@example.org' } } }, -32602, /emails is not an array/],
    [
      'listSubscribe',
      { id, email_address, merge_vars: { GROUPINGS: 'x' } },
      254,
      /merge_vars\.GROUPINGS is not a field/,
    ],
    ['listUpdateMember', { id, email_address, merge_vars: { SHOE: 'x' } }, 254, /merge_vars\.SHOE is not a field/],
    [
      'listUpdateMember',
      { id, email_address, merge_vars: { REGISTRATIONDATE: '25/12/2015' } },
      254,
      /is not a date \(YYYY-MM-DD\)$/,
    ],
    ['listUpdateMember', { id, email_address, merge_vars: { REGISTRATIONDATE: '0000-00-00' } }, 254, /is not a date/],
    ['listUpdateMember', { id, email_address, merge_vars: { ['x'.repeat(300)]: 'x' } }, 254, /is not a field/],
    ['campaigns', { filters: { exact: true } }, 506, /filters\.exact/],
    ['campaignContent', { cid, for_archive: true }, -32602, /for_archive/],
    ['campaignCreate', { ...draftOf(id), content: { text: 'x' } }, 311, /content\.text/],
    ['campaignUpdate', { cid, name: 'text', value: 'x' }, 312, /text/],
    [
      'campaignCreate',
      { ...draftOf(id), options: { ...(draftOf(id).options as Params), to_name: 'x' } },
      312,
      /options\.to_name/,
    ],
    ['listCreate', { title: {} }, -32602, /title is not a string/],
  ];
  for (const [method, params, code, text] of refused) {
    const { status, body } = await json(method, params);
    assert.ok(
      status >= 400 && body.code === code && text.test(body.error),
      `${method}: ${status} ${JSON.stringify(body)}`,
    );
  }
  const waits = { id, email_address: 'waits@example.org' };
  ok((await json('listSubscribe', waits)).status, 200);
  ok(((await json('listMemberInfo', waits)).body as unknown as Params).status, 'pending');
  ok((await json('listUnsubscribe', waits)).body.code, 215);
  const twice = await json('listBatchSubscribe', {
    id,
    batch: Array(2).fill({ EMAIL: 'two@example.org' }),
    double_optin: false,
  });
  ok((twice.body as unknown as Params).error_count, 1);
  const american = { id, email_address, merge_vars: { REGISTRATIONDATE: '05/01/2015' } };
  ok((await json('listUpdateMember', american)).status, 200);
  ok((await member(id, email_address)).merges.REGISTRATIONDATE, '2015-05-01');
  ok(await t.call('listIgnoredNames', { id }), []);
});

/** A call whose struct is written byte by byte. */
const callOf = (method: string, members: string, declaration = '<?xml version="1.0"?>') =>
  `${declaration}<methodCall><methodName>${method}</methodName><params><param><value><struct><member><name>apikey</name><value>${key}</value></member>${members}</struct></value></param></params></methodCall>`;
const memberOf = (name: string, value: string) => `<member><name>${name}</name><value>${value}</value></member>`;
const base64 = (text: string | Uint8Array) => `<base64>${Buffer.from(text).toString('base64')}</base64>`;
const string = (text: string) => `<string>${text}</string>`;
/** Each byte above 127 as a reference. */
const byteReferences = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding)
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (char) => `&#${char.charCodeAt(0)};`);

const texts = ['Grüße', '日本', '😀 emoji', 'It’s a – dash', 'größer &amp; besser'];

test('a text as base64 is that text wherever a text is due', async () => {
  const list = await shopList();
  const plain = (text: string) => text.replace('&amp;', '&');
  for (const text of texts.map(plain)) {
    const title = await postXml(callOf('listCreate', memberOf('title', base64(text))));
    ok((await t.call<{ title: string }>('listGet', { id: title })).title, text);
    const vars = `<struct>${memberOf('FNAME', base64(text))}${memberOf('ADDRESS', `<struct>${memberOf('CITY', base64(text))}${memberOf('zip', '<int>01234</int>')}</struct>`)}</struct>`;
    const call = (email: string) =>
      memberOf('id', list) +
      memberOf('email_address', base64(email)) +
      memberOf('merge_vars', vars) +
      memberOf('double_optin', '<boolean>0</boolean>');
    const email = `b64-${Buffer.from(text).toString('hex')}@example.org`;
    ok(await postXml(callOf('listSubscribe', call(email))), true);
    const { merges } = await member(list, email);
    ok([merges.FNAME, merges.ADDRESS], [text, `${text}  01234`]);
    const row = `<array><data><value><struct>${memberOf('EMAIL', base64(`row-${email}`))}${memberOf('LNAME', base64(text))}</struct></value></data></array>`;
    const batch = memberOf('id', list) + memberOf('batch', row) + memberOf('double_optin', '<boolean>0</boolean>');
    ok(((await postXml(callOf('listBatchSubscribe', batch))) as Params).success_count, 1);
    ok((await member(list, `row-${email}`)).merges.LNAME, text);
    const options = `<struct>${memberOf('list_id', list)}${memberOf('subject', base64(text))}${memberOf('from_email', 'a@example.com')}${memberOf('from_name', base64(text))}</struct>`;
    const content = `<struct>${memberOf('html', base64(`<p>${text}</p>`))}${memberOf('plain', base64(text))}</struct>`;
    const cid = await postXml(
      callOf('campaignCreate', memberOf('type', 'html') + memberOf('options', options) + memberOf('content', content)),
    );
    const shown = await t.call<{ subject: string; from_name: string }>('campaignGet', { cid });
    ok([shown.subject, shown.from_name], [text, text]);
    ok((await t.call<{ html: string }>('campaignContent', { cid })).html, `<p>${text}</p>`);
    const update = memberOf('cid', String(cid)) + memberOf('name', 'subject') + memberOf('value', base64(`${text}!`));
    ok(await postXml(callOf('campaignUpdate', update)), true);
    const condition = `<array><data><value><struct>${memberOf('field', 'FNAME')}${memberOf('condition', 'is')}${memberOf('value', base64(text))}</struct></value></data></array>`;
    const segment =
      memberOf('list', list) +
      memberOf('title', base64(text)) +
      memberOf('match', 'all') +
      memberOf('filter', condition);
    const id = await postXml(callOf('listSegmentCreate', segment));
    ok(((await postXml(callOf('listSegmentMembers', memberOf('id', String(id))))) as unknown[]).length, 1);
  }
});

test('base64 of other bytes is refused with words of ours, and ignored where the name is no field', async () => {
  const list = await shopList();
  const vars = (members: string) =>
    memberOf('id', list) +
    memberOf('email_address', 'bytes@example.org') +
    memberOf('merge_vars', `<struct>${members}</struct>`);
  for (const bytes of [Buffer.from('Grüße', 'latin1'), Buffer.from([0, 255]), Buffer.from('a\0b')]) {
    ok(await postXml(callOf('listSubscribe', vars(memberOf('FNAME', base64(bytes))))), {
      error: 'merge_vars.FNAME is base64 of bytes that are not UTF-8 text',
      code: 254,
    });
    ok(await postXml(callOf('listCreate', memberOf('title', base64(bytes)))), {
      error: 'title is base64 of bytes that are not UTF-8 text',
      code: -32602,
    });
  }
  ok(await postXml(callOf('listSubscribe', vars(memberOf('photo', base64(new Uint8Array([0, 255])))))), true);
});

test('bytes that are written as references are the text they were', async () => {
  for (const declaration of [
    '<?xml version="1.0" encoding="iso-8859-1"?>',
    '<?xml version="1.0" encoding="utf-8"?>',
    '',
  ])
    for (const text of texts) {
      const id = await postXml(
        callOf('listCreate', memberOf('title', string(byteReferences(text))), declaration || undefined),
      );
      ok((await t.call<{ title: string }>('listGet', { id })).title, text.replace('&amp;', '&'));
    }
  const others: [string, string][] = [
    ['Gr&#252;&#223;e', 'Grüße'],
    ['It&#146;s a &#150; dash, &#x80;', 'It’s a – dash, €'],
    ['&#146;日', '’日'],
    ['&#195;&#188; 日', 'Ã¼ 日'],
    ['&#195;&#188; &#26085;', 'Ã¼ 日'],
    ['&#195;&#188;&#252;', 'Ã¼ü'],
    ['<![CDATA[&#195;&#188;]]>', '&#195;&#188;'],
    ['&#xC3;&#xbc; &#8364;', 'Ã¼ €'],
  ];
  for (const [written, text] of others) {
    const id = await postXml(callOf('listCreate', memberOf('title', string(written))));
    ok((await t.call<{ title: string }>('listGet', { id })).title, text);
  }
});

test('an empty struct in place of nil is not given', async () => {
  const list = await shopList();
  const nil = '<struct></struct>';
  const options = `<struct>${memberOf('list_id', list)}${memberOf('subject', 'S')}${memberOf('from_email', 'a@example.com')}${memberOf('from_name', 'A')}${memberOf('title', nil)}${memberOf('ln', nil)}${memberOf('generate_text', nil)}</struct>`;
  const content = `<struct>${memberOf('html', '&lt;p>x&lt;/p>')}${memberOf('plain', 'x')}</struct>`;
  const cid = await postXml(
    callOf('campaignCreate', memberOf('type', 'html') + memberOf('options', options) + memberOf('content', content)),
  );
  assert.match(String(cid), /^[abcdf]/, JSON.stringify(cid));
  assert.ok(Array.isArray(await postXml(callOf('campaigns', memberOf('start', nil) + memberOf('limit', nil)))));
});

test('the calls of system.multicall may have gaps', async () => {
  const item = `<struct>${memberOf('methodName', 'ping')}${memberOf('params', `<struct>${memberOf('3', `<struct>${memberOf('apikey', key)}</struct>`)}</struct>`)}</struct>`;
  const calls = `<struct>${memberOf('1', item)}${memberOf('4', item)}</struct>`;
  const document = `<methodCall><methodName>system.multicall</methodName><params><param><value>${calls}</value></param></params></methodCall>`;
  ok(await postXml(document), [["Everything's Ok!"], ["Everything's Ok!"]]);
});

test('output in the body of a form is read like method, and an empty one is not given', async () => {
  const ask = async (query: string, body: string) => {
    const response = await fetch(`${base}/1.8/?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `apikey=${key}&method=ping${body}`,
    });
    return `${response.headers.get('content-type')?.split(';')[0]} ${await response.text()}`;
  };
  const wanted = await ask('output=php', '');
  assert.match(wanted, /^text\/plain s:/);
  ok(await ask('', '&output=php'), wanted);
  ok(await ask('output=', '&output=PHP'), wanted);
  ok(await ask('output=json', '&output=php'), wanted);
  ok(await ask('output=php', '&output='), wanted);
  ok(await ask('output=', ''), await ask('output=json', ''));
  ok(await ask('', '&output='), await ask('output=json', ''));
  assert.match(await ask('', '&output=yaml'), /^application\/json .*"error".*output/);
  assert.match(await ask('', '&output=php&method=nothing'), /^text\/plain a:2/);
});

test('slashes too many in the address of the API are one', async () => {
  const plain = await doors['XML-RPC']!('ping', {});
  for (const path of ['//1.8/', '/1.8//', '//xmlrpc', '///RPC2//', '//', '//1.8'])
    ok(await doors['XML-RPC']!('ping', {}, path), plain);
  const response = await fetch(`${base}//api//ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: '{}',
  });
  ok(response.status, 200);
});

test('a call by GET is refused in the form it asks for', async () => {
  for (const [output, read] of [
    ['json', (text: string) => JSON.parse(text)],
    ['php', (text: string) => phpUnserialize(text)],
    ['xml', (text: string) => decodeResponse(Buffer.from(text))],
  ] as const) {
    for (const path of ['/1.8/', '/']) {
      const response = await fetch(`${base}${path}?output=${output}&method=ping&apikey=${key}`);
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
      assert.match(JSON.stringify(read(await response.text())), /-32600/);
    }
  }
  assert.equal((await fetch(`${base}/`)).status, 200);
  ok((await fetch(`${base}/1.8/`)).status, 200);
});

test('a GET with a key is a call that should have been a POST, and one without is a person who reads about the method', async () => {
  const response = await fetch(`${base}/api/ping?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  assert.match(response.headers.get('content-type')!, /^application\/json/);
  assert.deepEqual(await response.json(), {
    error: 'A method is called by POST, not by GET; send the parameters in the body',
    code: -32600,
    text: { key: 'door.get', values: {} },
  });
  const page = await fetch(`${base}/api/ping`);
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
});
