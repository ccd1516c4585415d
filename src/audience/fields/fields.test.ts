// Fields and the objects that use them: a renamed tag is renamed everywhere, a new type must fit the stored values, and
// no field or list in use is deleted silently.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';

type Segment = { id: string; member_count: number; filter: unknown; reading: string };

let t: TestApp;
before(async () => {
  t = await testApp();
});
after(() => t.close());

const newList = (title = 'List') => t.call<string>('listCreate', { title });
const addField = (id: string, tag: string, options = {}) => t.call('listMergeVarAdd', { id, tag, name: tag, options });
const subscribe = (id: string, email_address: string, merge_vars = {}) =>
  t.call('listSubscribe', { id, email_address, merge_vars, double_optin: false });
const segment = (list: string, filter: unknown, title = 'Part') =>
  t.call<string>('listSegmentCreate', { list, title, match: 'all', filter });
const refusal = (code: number, words: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === code && words.test(error.message);

test('a value with control characters is refused at every way in; line breaks and tabs are kept', async () => {
  const list = await newList();
  const wrong = refusal(254, /^merge_vars\.FNAME: the value contains control characters/);
  for (const FNAME of ['a\u0007b', 'a\u001bb', 'a\u007fb', 'a\u009bb'])
    await assert.rejects(subscribe(list, 'control@example.com', { FNAME }), wrong);
  await subscribe(list, 'control@example.com', { FNAME: 'a\tb\nc' });
  await assert.rejects(
    t.call('listUpdateMember', { id: list, email_address: 'control@example.com', merge_vars: { FNAME: 'a\u0007b' } }),
    wrong,
  );
  const info = await t.call<{ merges: { FNAME: string } }>('listMemberInfo', {
    id: list,
    email_address: 'control@example.com',
  });
  assert.equal(info.merges.FNAME, 'a\tb\nc');
});

test('a renamed tag is renamed in segments, autoresponders, the form, texts and values', async () => {
  const list = await newList();
  await addField(list, 'BORN', { field_type: 'date' });
  await subscribe(list, 'ada@example.com', { BORN: '1990-12-10' });
  await segment(list, [
    { match: 'any', filter: [{ field: 'BORN', condition: 'less', value: '2000-01-01' }] },
    { field: 'EMAIL', condition: 'contains', value: 'BORN@' },
  ]);
  await segment(list, [{ field: 'BORN', condition: 'isany', value: '' }], 'Known');
  const auto = await t.call<string>('campaignCreate', {
    type: 'auto',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { html: '<p>x</p>', plain: 'x' },
    type_opts: {
      'offset-units': 'day',
      'offset-time': 1,
      'offset-dir': 'after',
      event: 'date',
      'event-datemerge': 'BORN',
    },
  });
  await t.call('listFormUpdate', { id: list, options: { fields: ['FNAME', 'BORN'] } });
  await t.app.db.run(sql`
    insert into list_text (account_id, list_id, name, value)
    values (${t.account.id}, ${parseId(list)}, 'welcome.body', 'Born *|BORN|* or *|BORN:never|*, *|BORNE|*')`);
  await t.call('listMergeVarUpdate', { id: list, tag: 'born', options: { tag: 'Birth' } });
  const [part, known] = await t.call<Segment[]>('listSegments', { id: list });
  assert.deepEqual(part!.filter, [
    { match: 'any', filter: [{ field: 'BIRTH', value: '2000-01-01', condition: 'less' }] },
    { field: 'EMAIL', value: 'BORN@', condition: 'contains' },
  ]);
  assert.equal(known!.member_count, 1);
  const kept = await t.app.db.row(sql`
    select (select auto ->> 'tag' from campaign where id = ${parseId(auto)}) as tag,
      (select form -> 'fields' from list where id = ${parseId(list)}) as form,
      (select value from list_text where list_id = ${parseId(list)} and name = 'welcome.body') as text,
      (select fields from subscription where list_id = ${parseId(list)}) as fields`);
  assert.deepEqual(kept, {
    tag: 'BIRTH',
    form: ['FNAME', 'BIRTH'],
    text: 'Born *|BIRTH|* or *|BIRTH:never|*, *|BORNE|*',
    fields: { BIRTH: '1990-12-10' },
  });
});

test('a field keeps its tag while a message being sent shows it', async () => {
  const list = await newList();
  const campaign = await t.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A', title: 'Running' },
    content: { plain: 'x' },
  });
  for (const compiled of [
    { html: ['<p>', { slot: 'field', tag: 'LNAME', fallback: '' }] },
    { links: ['http://example.com/?n=*|LNAME:x|*'] },
  ]) {
    await t.app.db.run(sql`
      insert into frozen_content (account_id, campaign_id, compiled, content_hash)
      values (${t.account.id}, ${parseId(campaign)}, ${JSON.stringify(compiled)}, '')
      on conflict (account_id, campaign_id, variant) do update set compiled = excluded.compiled`);
    await t.app.db.run(
      sql`update campaign set status = 'paused', paused_from = 'sending' where id = ${parseId(campaign)}`,
    );
    const rename = (tag: string) => t.call('listMergeVarUpdate', { id: list, tag, options: { tag: `${tag}2` } });
    await assert.rejects(rename('LNAME'), refusal(313, /"Running" is being sent with \*\|LNAME\|\*/));
  }
  await t.call('listMergeVarUpdate', { id: list, tag: 'FNAME', options: { tag: 'GIVEN' } });
  await t.app.db.run(sql`update campaign set status = 'sent', paused_from = null where id = ${parseId(campaign)}`);
  await t.call('listMergeVarUpdate', { id: list, tag: 'LNAME', options: { tag: 'FAMILY' } });
});

test('a field is not removed while a segment that uses it is being created', async () => {
  const list = await newList();
  await addField(list, 'CITY');
  let removal: Promise<unknown> | undefined;
  await t.app.db.transaction(async (tx) => {
    // The lock listSegmentCreate holds while it runs.
    await tx.run(sql`select from list where id = ${parseId(list)} for share`);
    removal = t.call('listMergeVarDel', { id: list, tag: 'CITY' });
    removal.catch(() => undefined);
    const over = await Promise.race([
      removal.then(
        () => true,
        () => true,
      ),
      new Promise((done) => setTimeout(done, 300)),
    ]);
    assert.equal(over, undefined, 'the removal did not wait');
    await tx.run(sql`
      insert into segment (account_id, list_id, title, match, filter)
      values (${t.account.id}, ${parseId(list)}, 'Of a city', 'all', ${JSON.stringify([{ field: 'CITY', condition: 'isany', value: '' }])})`);
  });
  await assert.rejects(removal!, refusal(313, /Of a city/));
});

test('a list cannot be deleted while a segment of another list uses it; a segment marks a deleted campaign', async () => {
  const [asked, list] = [await newList('Asked'), await newList()];
  await assert.rejects(
    segment(list, [{ field: 'list', condition: 'is', value: 'c0000000' }]),
    refusal(315, /the campaign or list "c0000000" does not exist/),
  );
  const id = await segment(list, [{ field: 'list', condition: 'not', value: asked }], 'Others');
  await assert.rejects(t.call('listDelete', { id: asked }), refusal(313, /"Others" of another list/));
  const cid = await t.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await t.call('listSegmentUpdate', { id, filter: [{ field: 'opened', condition: 'not', value: cid }] });
  assert.equal(await t.call('listDelete', { id: asked }), true);
  const going = await t.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, segment_id: id, subject: 's', from_email: 'a@example.com', from_name: 'A' },
    content: { plain: 'x' },
  });
  await t.call('campaignDelete', { cid });
  const [read] = await t.call<Segment[]>('listSegments', { id: list });
  assert.equal(read!.reading, `The contact did not open “${cid}” (deleted)`);
  const findings = await t.call<{ level: string; code: string }[]>('campaignCheck', { cid: going });
  assert.ok(
    findings.some((finding) => finding.level === 'error' && finding.code === 'segment_gone'),
    JSON.stringify(findings),
  );
});

test('the history of a list stays when contacts are erased; they count as unsubscribed that day', async () => {
  const list = await newList();
  for (const name of ['a', 'b', 'c']) await subscribe(list, `${name}@example.com`);
  await t.call('listUnsubscribe', { id: list, email_address: 'c@example.com', send_goodbye: false });
  await t.app.db.run(sql`
    update subscription set confirm_at = '2026-01-15', signup_at = '2026-01-15' where list_id = ${parseId(list)}`);
  const history = () =>
    t.call<{ month: string; optins: number; unsubscribes: number }[]>('listGrowthHistory', { id: list });
  const before = await history();
  for (const name of ['a', 'c']) await t.call('contactErase', { email: `${name}@example.com` });
  const after = await history();
  assert.deepEqual(after[0], before[0]);
  assert.deepEqual([before.at(-1)!.unsubscribes, after.at(-1)!.unsubscribes], [1, 2]);
});

test('tags that segments and imports reserve are refused', async () => {
  const list = await newList();
  for (const tag of ['STATUS', 'opened', 'CLICKED', 'domain', 'list', 'signup_time', 'EMAIL_TYPE']) {
    await assert.rejects(addField(list, tag), refusal(254, /is reserved/), tag);
    await assert.rejects(
      t.call('listMergeVarUpdate', { id: list, tag: 'FNAME', options: { tag } }),
      refusal(254, /is reserved/),
      tag,
    );
  }
});

test('a wrong type, an empty choice and an invalid time are reported by member and reason', async () => {
  const list = await newList();
  await subscribe(list, 'ada@example.com', { FNAME: 'Ada', LNAME: '12.5' });
  const retype = (tag: string, field_type: string) =>
    t.call('listMergeVarUpdate', { id: list, tag, options: { field_type } });
  await assert.rejects(retype('FNAME', 'number'), refusal(254, /options.field_type: 1 members have .* "Ada"/));
  for (const type of ['date', 'email', 'website'])
    await assert.rejects(retype('FNAME', type), refusal(254, /field_type/));
  assert.equal(await retype('LNAME', 'number'), true);
  await assert.rejects(
    t.call('importCreate', {
      id: list,
      content: 'EMAIL,First\na@b.cd,1\n',
      options: { mapping: { First: 'new:FNAME:number' } },
    }),
    (error: unknown) =>
      error instanceof Fault && /column "First": the list already has a field FNAME of type text/.test(error.message),
  );
  for (const [field, condition, value, words] of [
    ['FNAME', 'isoneof', 'a;;b', /filter.0.value: "a;;b" has an empty entry/],
    ['FNAME', 'notoneof', ' ', /filter.0.value is empty/],
    ['opened', 'is', 'last 0', /filter.0.value: "last 0"/],
    ['signup_time', 'greater', '0 days', /filter.0.value: "0 days"/],
  ] as const)
    await assert.rejects(segment(list, [{ field, condition, value }]), refusal(315, words), value);
});
