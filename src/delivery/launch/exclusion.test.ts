// Lists and segments that a campaign excludes: predicted, applied, counted and explained.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import type { Chunk } from '../ledger/chunk.ts';
import { markGroup } from '../ledger/mark-group.ts';
import { launch } from './launch.ts';

let app: TestApp;
let list: string;
let customers: string;
let segment: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  customers = await app.call<string>('listCreate', { title: 'Customers' });
  const join = (id: string, email: string) =>
    app.call('listSubscribe', { id, email_address: email, double_optin: false });
  for (const name of ['ada', 'bob', 'cyd', 'dan']) await join(list, `${name}@example.com`);
  await join(list, 'eve@example.org');
  await join(customers, 'bob@example.com');
  await join(customers, 'gone@example.com');
  await app.call('suppressedListSubscribe', { email_address: 'dan@example.com' });
  segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Org',
    match: 'all',
    filter: [{ field: 'DOMAIN', condition: 'is', value: 'example.org' }],
  });
});
after(() => app.close());

const draft = (options: Record<string, unknown>) =>
  app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A', ...options },
    content: { plain: 'x' },
  });

test('members of excluded lists and segments are left out, and predicted, counted and explained alike', async () => {
  const cid = await draft({ exclude_list_id: customers, exclude_segment_id: [segment] });
  const expected = [
    { reason: 'excluded_list', count: 1 },
    { reason: 'excluded_segment', count: 1 },
    { reason: 'suppressed', count: 1 },
  ];
  assert.deepEqual(await app.call('campaignAudience', { cid }), { recipients: 2, left_out: expected });
  const found = await app.call<{ code: string; message: string }[]>('campaignCheck', { cid });
  assert.ok(found.some((item) => item.code === 'left_out_excluded_list' && item.message.includes('Left out: 1')));
  const [shown] = await app.call<{ exclude_list_ids: string[]; exclude_segment_ids: string[] }[]>('campaigns');
  assert.deepEqual([shown!.exclude_list_ids, shown!.exclude_segment_ids], [[customers], [segment]]);
  await assert.rejects(
    app.call('listSegmentDelete', { id: segment }),
    (error) => error instanceof Fault && error.code === 313,
  );
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const rows = await app.app.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  assert.deepEqual(
    rows.map((row) => row.email),
    ['ada@example.com', 'cyd@example.com'],
  );
  const { excluded } = await app.call<{ excluded: Record<string, number> }>('campaignProgress', { cid });
  assert.deepEqual(excluded, Object.fromEntries(expected.map((item) => [item.reason, item.count])));
  const why = async (email: string) =>
    (await app.call<{ explanation: string }>('campaignExplain', { cid, email })).explanation;
  assert.match(await why('bob@example.com'), /on a list that the campaign excludes/);
  assert.match(await why('eve@example.org'), /in a segment that the campaign excludes/);
  const copy = await app.call<string>('campaignReplicate', { cid });
  assert.deepEqual(await app.call('campaignAudience', { cid: copy }), { recipients: 2, left_out: expected });
});

test('exclusions are changed and removed by campaignUpdate; those of another account are unknown', async () => {
  const cid = await draft({ exclude_list_id: customers });
  const recipients = async () => (await app.call<{ recipients: number }>('campaignAudience', { cid })).recipients;
  assert.equal(await recipients(), 3);
  await app.call('campaignUpdate', { cid, name: 'exclude_list_id', value: [] });
  assert.equal(await recipients(), 4);
  await app.call('campaignUpdate', { cid, name: 'exclude_segment_id', value: segment });
  assert.equal(await recipients(), 3);
  const other = await app.anotherAccount();
  const foreign = await other.call<string>('listCreate', { title: 'Theirs' });
  const code = (wanted: number) => (error: unknown) => error instanceof Fault && error.code === wanted;
  await assert.rejects(app.call('campaignUpdate', { cid, name: 'exclude_list_id', value: foreign }), code(200));
  await assert.rejects(draft({ exclude_segment_id: 'b0000000' }), code(315));
});

test('a paused contact is left out at launch and right before sending, and that is predicted, counted and explained', async () => {
  const other = await app.call<string>('listCreate', { title: 'Breaks' });
  for (const name of ['awake', 'break', 'over'])
    await app.call('listSubscribe', { id: other, email_address: `${name}@example.net`, double_optin: false });
  const pause = (email: string, until: string) =>
    app.app.db.run(
      sql`update contact set paused_until = now() + ${until}::text::interval where email = ${`${email}@example.net`}`,
    );
  await pause('break', '2 weeks');
  await pause('over', '-1 second');
  const cid = await draft({ list_id: other });
  const left = [{ reason: 'paused', count: 1 }];
  assert.deepEqual(await app.call('campaignAudience', { cid }), { recipients: 2, left_out: left });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const rows = await app.app.db.rows<{ email: string }>(
    sql`select email from delivery where campaign_id = ${parseId(cid)} order by email`,
  );
  assert.deepEqual(
    rows.map((row) => row.email),
    ['awake@example.net', 'over@example.net'],
  );
  const { excluded } = await app.call<{ excluded: Record<string, number> }>('campaignProgress', { cid });
  assert.deepEqual(excluded, { paused: 1 });
  const explained = await app.call<{ explanation: string }>('campaignExplain', { cid, email: 'break@example.net' });
  assert.match(explained.explanation, /has paused all email until /);
  await pause('awake', '1 week');
  const worker = await app.app.db.row<{ id: number }>(
    sql`insert into worker (host, boot_id, pid, journal) values ('here', 'b', 1, '') returning id`,
  );
  const chunk = await app.app.db.row<Chunk>(sql`
    update chunk
    set state = 'leased', worker_id = ${worker!.id}, leased_until = now() + interval '1 minute'
    where campaign_id = ${parseId(cid)}
    returning account_id as account, campaign_id as campaign, (select month::text from campaign where id = campaign_id) as month,
      no, kind, from_seq as "fromSeq", to_seq as "toSeq", seqs, lease, 0 as crashes`);
  const { marked } = (await app.app.db.transaction((tx) => markGroup(tx, chunk!, worker!.id, 10, 3_600)))!;
  assert.deepEqual(
    marked.map((item) => item.email),
    ['over@example.net'],
  );
  const late = await app.call<{ outcome: string; explanation: string }>('campaignExplain', {
    cid,
    email: 'awake@example.net',
  });
  assert.equal(late.outcome, 'skipped');
  assert.match(late.explanation, /became paused/);
});

test('who is outside the chosen segment is counted as the review predicts', async () => {
  const cid = await draft({ segment_id: [segment] });
  const { recipients, left_out } = await app.call<{
    recipients: number;
    left_out: { reason: string; count: number }[];
  }>('campaignAudience', { cid });
  assert.deepEqual([recipients, left_out], [1, [{ reason: 'segment', count: 4 }]]);
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const { excluded } = await app.call<{ excluded: Record<string, number> }>('campaignProgress', { cid });
  assert.deepEqual(excluded, { segment: 4 });
});

test('with one list the same contacts are predicted as excluded as with a second list that is empty', async () => {
  const whole = await app.call<string>('listCreate', { title: 'Whole' });
  const empty = await app.call<string>('listCreate', { title: 'Empty' });
  await app.call('suppressedListUnsubscribe', { email_address: 'dan@example.com' });
  for (const address of [
    'plain@one.example',
    'dan@example.com',
    'rest@pause.example',
    'both@pause.example',
    'x@shut.example',
  ])
    await app.call('listSubscribe', {
      id: whole,
      email_address: address,
      double_optin: false,
      merge_vars: address.startsWith('plain') ? { FNAME: 'Ann' } : {},
    });
  await app.call('listSubscribe', { id: whole, email_address: 'left@one.example', double_optin: false });
  await app.call('listUnsubscribe', { id: whole, email_address: 'left@one.example', send_goodbye: false });
  for (const address of ['dan@example.com', '@shut.example', 'both@pause.example'])
    await app.call('suppressedListSubscribe', { email_address: address });
  await app.app.db.run(sql`update contact set paused_until = now() + interval '1 day' where domain = 'pause.example'`);
  const mail = { subject: 'Dear *|FNAME|*' };
  const alone = await draft({ list_id: whole, ...mail });
  const beside = await draft({ list_id: [whole, empty], ...mail });
  const audience = await app.call<{ recipients: number; left_out: { reason: string; count: number }[] }>(
    'campaignAudience',
    {
      cid: alone,
    },
  );
  assert.equal(audience.recipients, 1);
  assert.deepEqual(
    audience.left_out.find((item) => item.reason === 'suppressed'),
    { reason: 'suppressed', count: 3 },
  );
  assert.deepEqual(await app.call('campaignAudience', { cid: beside }), audience);
  const foundIn = async (cid: string) =>
    (await app.call<{ code: string }[]>('campaignCheck', { cid })).filter(
      (item) => item.code !== 'unsubscribe_missing',
    );
  assert.deepEqual(await foundIn(alone), await foundIn(beside));
});
