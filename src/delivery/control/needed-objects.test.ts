// What an unsent campaign needs cannot be deleted; and a campaign that is no longer sendable is noticed at its time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch, startDue } from '../launch/launch.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  await app.call('listSubscribe', { id: list, email_address: 'ada@example.com', double_optin: false });
});
after(() => app.close());

const draft = (options: Record<string, unknown> = {}, plain = 'x') =>
  app.call<string>('campaignCreate', {
    type: 'plain',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A', ...options },
    content: { plain },
  });
const refusal =
  (...words: string[]) =>
  (error: unknown) =>
    error instanceof Fault && error.code === 313 && words.every((word) => error.message.includes(word));
const addField = (tag: string, type = 'text', id = list) =>
  app.call('listMergeVarAdd', { id, tag, name: tag, options: { field_type: type } });
const schedule = (cid: string) =>
  app.call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' }).then(() => cid);

test('a list that campaigns exclude can be deleted only once they are sent or changed', async () => {
  const avoided = await app.call<string>('listCreate', { title: 'Avoided' });
  await app.call('listSubscribe', { id: avoided, email_address: 'ada@example.com', double_optin: false });
  const one = await draft({ exclude_list_id: avoided });
  const two = await schedule(await draft({ exclude_list_id: avoided }));
  await assert.rejects(app.call('listDelete', { id: avoided }), refusal(one, two, 'leaves out'));
  assert.equal((await app.call<{ recipients: number }>('campaignAudience', { cid: two })).recipients, 0);
  await app.call('campaignUpdate', { cid: one, name: 'exclude_list_id', value: [] });
  await app.call('campaignUnschedule', { cid: two });
  await app.call('campaignSendNow', { cid: two });
  await launch(app.app, { account: app.account.id, campaign: parseId(two) });
  // No recipient is left, so it is sent at once.
  assert.equal(await app.call('listDelete', { id: avoided }), true);
});

test('a list cannot be deleted while a campaign to another list excludes a segment of it', async () => {
  const avoided = await app.call<string>('listCreate', { title: 'Parts' });
  const segment = await app.call<string>('listSegmentCreate', {
    list: avoided,
    title: 'Com',
    match: 'all',
    filter: [{ field: 'DOMAIN', condition: 'is', value: 'example.com' }],
  });
  const cid = await draft({ exclude_segment_id: segment });
  await assert.rejects(app.call('listDelete', { id: avoided }), refusal(cid));
  await app.call('campaignDelete', { cid });
  assert.equal(await app.call('listDelete', { id: avoided }), true);
});

test('a field that a segment uses, even in a group, cannot be deleted before the segment', async () => {
  await addField('TOWN');
  await addField('UNASKED');
  const segment = await app.call<string>('listSegmentCreate', {
    list,
    title: 'Turin or A',
    match: 'all',
    filter: [{ match: 'any', filter: [{ field: 'town', condition: 'is', value: 'Turin' }] }],
  });
  await assert.rejects(app.call('listMergeVarDel', { id: list, tag: 'town' }), refusal(segment, 'Turin or A'));
  assert.equal(await app.call('listMergeVarDel', { id: list, tag: 'UNASKED' }), true);
  await app.call('listSegmentDelete', { id: segment });
  assert.equal(await app.call('listMergeVarDel', { id: list, tag: 'TOWN' }), true);
});

test('the date field of an autoresponder cannot be deleted while it is active or paused', async () => {
  await addField('BORN', 'date');
  const cid = await app.call<string>('campaignCreate', {
    type: 'auto',
    options: { list_id: list, subject: 's', from_email: 'a@example.com', from_name: 'A', title: 'Birthdays' },
    content: { html: '<p>x</p>', plain: 'x' },
    type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'annual', 'event-datemerge': 'BORN' },
  });
  await app.call('campaignSendNow', { cid });
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  const deleting = () => app.call('listMergeVarDel', { id: list, tag: 'BORN' });
  await assert.rejects(deleting(), refusal(cid, 'Birthdays'));
  await app.call('campaignPause', { cid });
  await assert.rejects(deleting(), refusal(cid, 'Birthdays'));
  await app.call('campaignDelete', { cid });
  assert.equal(await deleting(), true);
});

test('a scheduled campaign that is not sendable at its time is paused with a notice, and sent by campaignResume once fixed', async () => {
  const maySend = (may: boolean) =>
    app.app.db.run(sql`update account set may_send = ${may} where id = ${app.account.id}`);
  const cid = await schedule(await draft({}, 'Hello'));
  const id = parseId(cid);
  await maySend(false);
  await app.app.db.run(sql`update campaign set schedule_at = now() where id = ${id}`);
  await startDue(app.app.db);
  const state = () =>
    app.app.db.row<{ status: string; reason: string; rows: number }>(sql`
      select status, status_reason as reason, (select count(*)::int from delivery where campaign_id = ${id}) as rows
      from campaign
      where id = ${id}`);
  const relaunched = async () => {
    await launch(app.app, { account: app.account.id, campaign: id });
    return (await state())!;
  };
  const paused = await relaunched();
  assert.deepEqual([paused.status, paused.rows], ['paused', 0]);
  assert.match(paused.reason, /sending_not_allowed/);
  const notices = await app.app.db.rows<{ payload: { subject: string; text: string } }>(sql`
    select j.payload
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'`);
  assert.equal(notices.length, 1);
  assert.match(notices[0]!.payload.text, /This account may not send/);
  await app.call('campaignResume', { cid });
  assert.equal((await relaunched()).status, 'paused');
  await maySend(true);
  await app.call('campaignResume', { cid });
  assert.deepEqual(await relaunched(), { status: 'sending', reason: '', rows: 1 });
});
