// The calls of published clients of the API family work unchanged: every method of their class 1.8, with the arguments it
// sends, as a PHP form that is answered as PHP and as JSON, and as an XML-RPC struct. The JSON door keeps our own shapes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { formatId, parseId } from '../../src/db/ids.ts';
import { launch } from '../../src/delivery/launch/launch.ts';
import { writeHits } from '../../src/tracking/ingest.ts';
import { tokensOf } from '../../src/tracking/token-secret.ts';
import { phpUnserialize } from '../support/builders/php-unserialize.ts';
import { plainOf } from '../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { familyCalls, type Objects, smsMethods } from './family-calls.ts';
import { draftOf, makeSegment } from './fixture.ts';

let t: TestApp;
let base: string;
/** Dialect → its objects. */
const objects = new Map<string, Objects>();
/** Dialect → its API key, as the calls of a key are counted. */
const keys = new Map<string, string>();

before(async () => {
  t = await testApp();
  base = await t.listen();
  for (const name of Object.keys(dialects)) {
    objects.set(name, await makeObjects(name.replace(/\W/g, '').toUpperCase()));
    keys.set(name, await t.anotherKey('full'));
  }
});
after(() => t.close());

type Answer = { value: unknown } | { fault: number; text: string };
type Dialect = (method: string, params: Record<string, unknown>) => Promise<Answer>;

/** What PHP's http_build_query makes of a value: null and empty arrays vanish, booleans are 1 and 0. */
function pairsOf(value: unknown, name = ''): [string, string][] {
  if (value === null) return [];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, member]) => pairsOf(member, name === '' ? key : `${name}[${key}]`));
  return [[name, typeof value === 'boolean' ? String(Number(value)) : String(value)]];
}

async function postForm(output: string, method: string, params: Record<string, unknown>): Promise<Buffer> {
  const response = await fetch(`${base}/1.8/?output=${output}&method=${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(pairsOf(params)).toString(),
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** A result, or the fault that clients see in a map of error and code. */
function readMap(value: unknown): Answer {
  if (typeof value !== 'object' || value === null || !('error' in value)) return { value };
  const { error, code } = value as unknown as { error: string; code: number };
  return { fault: code, text: error };
}

const withoutNull = (params: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));

const dialects: Record<string, Dialect> = {
  'form, php': async (method, params) => readMap(phpUnserialize(await postForm('php', method, params))),
  'form, json': async (method, params) => {
    const text = (await postForm('json', method, params)).toString();
    // One client removes the backslashes first.
    JSON.parse(text.replaceAll('\\', ''));
    return readMap(JSON.parse(text));
  },
  'XML-RPC': async (method, params) => {
    const response = await fetch(`${base}/1.8/`, { method: 'POST', body: encodeCall(method, [withoutNull(params)]) });
    assert.equal(response.status, 200);
    const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
    return 'fault' in answer
      ? { fault: answer.fault.code, text: answer.fault.message }
      : { value: plainOf(answer.value) };
  },
};

for (const [dialect, send] of Object.entries(dialects))
  for (const [i, { method, params, returns, key }] of familyCalls.entries())
    test(`${dialect}: ${method} (${i})`, async () => {
      const own = objects.get(dialect)!;
      const apikey = key ? await key(own) : keys.get(dialect);
      const answer = await send(method, { apikey, ...(await params(own)) });
      assert.ok('value' in answer, JSON.stringify(answer));
      const checked = returns.safeParse(answer.value);
      assert.ok(checked.success, `${JSON.stringify(answer.value).slice(0, 500)}: ${checked.error?.message}`);
    });

test('methods about text messages answer one fault that says so, at every door', async () => {
  for (const method of smsMethods)
    for (const send of Object.values(dialects)) {
      const answer = await send(method, { apikey: t.key });
      assert.ok('fault' in answer && answer.fault === 122 && /\(SMS\)/.test(answer.text), JSON.stringify(answer));
    }
});

test('the JSON door keeps the richer shape of every report', async () => {
  const { sent: cid, segment, list } = objects.get('form, php')!;
  const own = async (method: string, params: Record<string, unknown>) => {
    const response = await fetch(`${base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.key}` },
      body: JSON.stringify(params),
    });
    return (await response.json()) as { data: Record<string, unknown>[] } & Record<string, unknown>[];
  };
  for (const method of ['campaignHardBounces', 'campaignUnsubscribes', 'campaignBounceMessages', 'campaignNotOpened'])
    assert.equal(typeof (await own(method, { cid })).data[0]!.email, 'string', method);
  assert.equal(typeof (await own('listSegmentMembers', { id: segment })).data[0]!.email, 'string');
  assert.ok(Array.isArray((await own('listMergeVars', { id: list }))[0]!.predefined_values));
  assert.equal((await own('webhooks', {}))[0]!.status, 'active');
});

test('what a published client set is what it reads back', async () => {
  const { list, name, make } = objects.get('form, php')!;
  const send = (method: string, params: Record<string, unknown>) =>
    dialects['form, php']!(method, { apikey: t.key, ...params });
  const fields = (await send('listMergeVars', { id: list })) as { value: Record<string, unknown>[] };
  const kind = fields.value.find(({ tag }) => tag === `KIND_${name}`)!;
  assert.deepEqual([kind.predefined_values, kind.field_type], ['a||b||c', 'dropdown']);
  assert.equal(fields.value.find(({ tag }) => tag === `SMS_${name}`)!.field_type, 'phone');
  const sid = await make.segment();
  await send('listSegmentUpdate', { sid, name: 'title', value: 'A new title' });
  const segments = (await send('listSegments', { id: list })) as { value: { id: string; name: string }[] };
  assert.equal(segments.value.find(({ id }) => id === sid)!.name, 'A new title');
  const member = await make.member();
  await send('listUpdateMember', { id: list, email_address: member, merge_vars: { FNAME: 'X' }, email_type: '' });
  const info = (await send('listMemberInfo', { id: list, email_address: member })) as {
    value: { email_type: string; merges: Record<string, string> };
  };
  assert.deepEqual([info.value.email_type, info.value.merges.FNAME], ['plain', 'X']);
});

test('a wrong value of a published parameter is refused by name', async () => {
  const { list, segment, draft } = objects.get('form, php')!;
  for (const [method, params, expected] of [
    ['listSegmentUpdate', { sid: segment, name: 'colour', value: 'red' }, /colour is not a known/],
    ['listSegmentUpdate', { sid: segment, value: 'red' }, /value is not a known/],
    ['campaignSchedule', { cid: draft, schedule_time: '2099-01-01 09:00:00', schedule_time_b: 'x' }, /schedule_time_b/],
    ['listGrowthHistory', { id: list, split_by: 'year' }, /split_by must be one of/],
    ['listGrowthHistory', { id: list, start_date: 'soon' }, /start_date/],
    ['listMembersByMerge', { id: list, merge_var: 'COLOUR', merge_value: 'red' }, /COLOUR/],
    ['listSubscribe', { id: list, email_address: 'a@example.com', ip_signup: 'here' }, /ip_signup/],
    ['listCreate', { title: 'x', options: { colour: 'red' } }, /options.colour/],
  ] as const)
    await assert.rejects(t.call(method, params), expected, method);
});

test('a form in parts is refused with what to send instead', async () => {
  const body = new FormData();
  body.append('apikey', t.key);
  const response = await fetch(`${base}/1.8/?output=json&method=lists`, { method: 'POST', body });
  assert.equal(response.status, 200);
  const { error, code } = (await response.json()) as { error: string; code: number };
  assert.equal(code, -32600);
  assert.match(error, /x-www-form-urlencoded.*http_build_query/);
});

async function makeObjects(name: string): Promise<Objects> {
  let made = 0;
  const call = t.call;
  const newList = () => call<string>('listCreate', { title: 'Readers' });
  const list = await newList();
  const join = async (email_address: string) => {
    await call('listSubscribe', {
      id: list,
      email_address,
      merge_vars: { FNAME: 'Ada' },
      email_type: 'plain',
      double_optin: false,
    });
    return email_address;
  };
  const sent = await makeSent(name, join, list);
  const draft = () => call<string>('campaignCreate', draftOf(list));
  const running = async () => {
    const cid = await draft();
    await call('campaignSendNow', { cid });
    await launch(t.app, { account: t.account.id, campaign: parseId(cid) });
    return cid;
  };
  const webhook = async () => {
    const row = await t.app.db.row<{ id: number }>(sql`
      insert into webhook (account_id, title, url, events)
      values (${t.account.id}, 'Hook', 'http://127.0.0.1:9/', '{contact.subscribe}')
      returning id`);
    return formatId(row!.id);
  };
  return {
    name,
    list,
    sent,
    segment: await makeSegment(t.app, t.account.id, list),
    draft: await draft(),
    template: await call<string>('templateCreate', { name: 'L', source: '<p class="a">Hello</p>', layout: 'basic' }),
    webhook: await webhook(),
    webhookUrl: 'http://127.0.0.1:9/',
    username: 'owner@example.com',
    password: 'correct horse',
    make: {
      list: newList,
      segment: () => makeSegment(t.app, t.account.id, list),
      draft,
      running,
      async paused() {
        const cid = await running();
        await call('campaignPause', { cid });
        return cid;
      },
      async scheduled() {
        const cid = await draft();
        await call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' });
        return cid;
      },
      member: () => join(`m${++made}-${name}@example.com`),
      async field() {
        const tag = `F${++made}_${name}`;
        const options = { field_type: 'dropdown', choices: ['a', 'b'] };
        await call('listMergeVarAdd', { id: list, tag, name: tag, options });
        return tag;
      },
      webhook,
      async suppressed() {
        const email_address = `x${++made}-${name}@example.com`;
        await call('suppressedListSubscribe', { email_address });
        return email_address;
      },
      key: () => call<string>('apikeyAdd'),
    },
  };
}

/** A sent campaign: one contact clicked, one did not open, one unsubscribed, and one bounced in each way. */
async function makeSent(name: string, join: (email: string) => Promise<string>, list: string): Promise<string> {
  const bounces = ['hard', 'soft', 'blocked', 'temporary', 'attempts'];
  for (const who of ['clicks', 'quiet', 'leaves', ...bounces]) await join(`${who}-${name}@example.com`.toLowerCase());
  const cid = await t.call<string>('campaignCreate', {
    ...draftOf(list),
    content: {
      html: '<a href="https://example.com/one?a=1&amp;b=2">one</a> <a href="*|UNSUB|*">leave</a>',
      plain: 'Hello *|UNSUB|*',
    },
  });
  const campaign = parseId(cid);
  await t.call('campaignSendNow', { cid });
  await launch(t.app, { account: t.account.id, campaign });
  const rows = await t.app.db.rows<{ email: string; seq: number; contact: number }>(sql`
    update delivery
    set state = case when split_part(email, '-', 1) = any (${bounces}::text[]) then 4 else 2 end,
      reason = case when split_part(email, '-', 1) = any (${bounces}::text[]) then split_part(email, '-', 1) end,
      reply_code = 550, reply = '5.0.0 as the test wants', done_at = now()
    where campaign_id = ${campaign}
    returning email, seq, contact_id as contact`);
  await t.app.db.run(sql`update tally set queued = 0, accepted = 3, failed = 5 where campaign_id = ${campaign}`);
  const [clicks, leaves] = ['clicks', 'leaves'].map((who) => rows.find(({ email }) => email.startsWith(`${who}-`))!);
  await t.app.db.transaction((tx) =>
    writeHits(tx, [
      {
        account: t.account.id,
        campaign,
        seq: clicks!.seq,
        kind: 'click',
        link: 0,
        url: '',
        at: new Date(),
        ip: '127.0.0.1',
        userAgent: 'x',
        machine: null,
      },
    ]),
  );
  const { unsubscribe } = tokensOf(t.app).tokens({
    account: t.account.id,
    campaign,
    seq: leaves!.seq,
    contact: leaves!.contact,
    lists: [parseId(list)],
  });
  const left = await fetch(`${base}/u/${unsubscribe}`, { method: 'POST', body: new URLSearchParams() });
  assert.equal(left.status, 200);
  return cid;
}
