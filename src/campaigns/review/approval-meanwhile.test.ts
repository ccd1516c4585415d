// What becomes of a question and of an approval when something else happens to its people, its lists or its campaign: the second part
// of the table of docs/flows.md, whose first part is in approval.test.ts. Restores and kills: test/every-situation.slow.test.ts.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Browser } from '../../../test/support/browser/session.ts';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { aPerson, type Caller } from '../../../test/support/builders/people.ts';
import { encodeCall } from '../../../test/support/builders/xmlrpc-client.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { item, rss } from '../../../test/support/samples/feeds/sample.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { launch, startDue } from '../../delivery/launch/launch.ts';
import { runDue } from '../../recurring/issue/due.ts';

let t: TestApp;
let base: string;
let [ada, bob]: Caller[] = [];
before(async () => {
  t = await testApp({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  base = await t.listen();
  ada = await aPerson(t, 'owner', 'Ada');
  bob = await aPerson(t, 'editor', 'Bob');
  await t.app.db.run(sql`
    update account set settings = settings || '{"approval": "everyone"}' where id = ${t.account.id}`);
});
after(() => t.close());

type Approval = { state: string; version: string; reason: string; may_approve: boolean };
const approvalOf = (cid: string) => t.call<Approval>('campaignApprovalGet', { cid });
const stateOf = async (cid: string) => (await approvalOf(cid)).state;
const statusOf = async (cid: string) =>
  (await t.call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;
const approve = async (cid: string, given: Record<string, unknown> = {}, who = bob!) =>
  who.call('campaignApprove', { cid, version: (await approvalOf(cid)).version, ...given });
const launchNow = (cid: string) => launch(t.app, { account: t.account.id, campaign: parseId(cid) });
const needed = { fault: 'APPROVAL_NEEDED' };
const later = '2099-01-31 09:00:00';

/** A campaign that someone has asked about. */
async function asked(options: Parameters<typeof aCampaign>[1], by = ada!): Promise<string> {
  const cid = await aCampaign(by, options);
  await by.call('campaignApprovalAsk', { cid });
  return cid;
}

/** One that is approved and scheduled. */
async function scheduled(options: Parameters<typeof aCampaign>[1]): Promise<string> {
  const cid = await asked(options);
  await approve(cid, { schedule_time: later });
  assert.equal(await statusOf(cid), 'scheduled');
  return cid;
}

async function isDue(cid: string): Promise<void> {
  const id = parseId(cid);
  await t.app.db.run(sql`update campaign_approval set wanted_at = now() where campaign_id = ${id}`);
  await t.app.db.run(sql`
    update campaign
    set schedule_at = (select wanted_at from campaign_approval where campaign_id = id)
    where id = ${id}`);
  await startDue(t.app.db);
  await launchNow(cid);
}

test('a question stays when the one who asked loses the right to write or is removed, and is answered', async () => {
  const [one, two] = [await aPerson(t, 'author', 'Gil'), await aPerson(t, 'author', 'Hal')];
  const list = await listOf(t, ['reader@meanwhile.example']);
  const [changed, removed] = [await asked({ to: list }, one), await asked({ to: list }, two)];
  await t.call('userUpdate', { id: formatId(one.id), role: 'viewer' });
  await t.call('userDelete', { id: formatId(two.id) });
  await assert.rejects(one.call('campaignApprovalWithdraw', { cid: changed }), { fault: 'NOT_ALLOWED' });
  for (const cid of [changed, removed]) {
    assert.equal(await stateOf(cid), 'asked');
    await approve(cid);
    assert.equal(await statusOf(cid), 'launching');
  }
});

test('an approver who gets a set of lists without those of the campaign can neither see nor approve it', async () => {
  const other = await t.call<string>('listCreate', { title: 'Another list' });
  const ivy = await aPerson(t, 'editor', 'Ivy');
  const cid = await asked({ to: ['reader@meanwhile.example'] });
  const { version } = await approvalOf(cid);
  await t.call('userUpdate', { id: formatId(ivy.id), role: 'editor', lists: [other] });
  await assert.rejects(ivy.call('campaignApprove', { cid, version }), { fault: 'CAMPAIGN_UNKNOWN' });
  assert.equal(await stateOf(cid), 'asked');
  await t.call('userUpdate', { id: formatId(ivy.id), role: 'editor', all_lists: true });
  await ivy.call('campaignApprove', { cid, version });
  assert.equal(await stateOf(cid), 'approved');
});

test('the operator who is signed in as the account approves nothing', async () => {
  const client = await t.anotherAccount('pro');
  const writer = await aPerson({ app: t.app, account: client.account }, 'author', 'Jo');
  const cid = await aCampaign(writer, { to: await listOf(client, ['reader@client.example']) });
  await writer.call('campaignApprovalAsk', { cid });
  const operator = new Browser(base);
  await operator.signIn(t.account.email, 'correct horse');
  assert.equal((await operator.call('accountSignIn', { account: formatId(client.account.id) })).status, 200);
  const { version } = (await operator.call<Approval>('campaignApprovalGet', { cid })).body;
  const answer = await operator.call<{ code: number }>('campaignApprove', { cid, version });
  assert.deepEqual([answer.status, answer.body.code], [403, 120]);
  assert.equal((await client.call<Approval>('campaignApprovalGet', { cid })).state, 'asked');
});

test('a list or segment that is deleted while a question waits is a change: what was seen is not approved', async () => {
  const [kept, gone] = [
    await listOf(t, ['one@meanwhile.example']),
    await listOf(t, ['two@meanwhile.example'], 'Deleted later'),
  ];
  const both = await asked({ to: kept, list_id: [kept, gone] });
  const { version } = await approvalOf(both);
  await ada!.call('listDelete', { id: gone });
  await assert.rejects(bob!.call('campaignApprove', { cid: both, version }), { fault: 'CAMPAIGN_CHANGED' });
  assert.equal(await stateOf(both), 'asked');
  await approve(both);
  assert.equal(await statusOf(both), 'launching');
  const only = await listOf(t, ['three@meanwhile.example'], 'Deleted too');
  const orphan = await asked({ to: only });
  await ada!.call('listDelete', { id: only });
  await assert.rejects(approve(orphan));
  assert.deepEqual([await statusOf(orphan), await stateOf(orphan)], ['draft', 'asked']);
});

test('a list or segment of an approved campaign is deleted as that of any campaign: not while it is scheduled', async () => {
  const list = await listOf(t, ['four@meanwhile.example']);
  const filter = [{ field: 'EMAIL', condition: 'contains', value: '@' }];
  const segment = await t.call<string>('listSegmentCreate', { list, title: 'All', match: 'all', filter });
  const cid = await scheduled({ to: list, segment_id: [segment] });
  await assert.rejects(ada!.call('listDelete', { id: list }));
  await assert.rejects(ada!.call('listSegmentDelete', { id: segment }));
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['scheduled', 'approved']);
});

test('a contact that moves to the list after the approval gets the campaign: the definition was approved', async () => {
  const [list, other] = [await listOf(t, ['five@meanwhile.example']), await listOf(t, ['mover@meanwhile.example'])];
  const cid = await scheduled({ to: list });
  await t.call('listMemberDelete', { id: other, email_address: 'mover@meanwhile.example' });
  await t.call('listSubscribe', { id: list, email_address: 'mover@meanwhile.example', double_optin: false });
  await isDue(cid);
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['sending', 'approved']);
  const { recipients } = await t.call<{ recipients: number }>('campaignProgress', { cid });
  assert.equal(recipients, 2);
});

test('what was approved, changed and changed back is asked about again', async () => {
  const cid = await scheduled({ to: ['six@meanwhile.example'], subject: 'News' });
  const { version } = await approvalOf(cid);
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'Other' });
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'News' });
  assert.deepEqual([(await approvalOf(cid)).version, await stateOf(cid)], [version, 'withdrawn']);
  await assert.rejects(ada!.call('campaignSendNow', { cid }), needed);
});

test('an approved campaign is paused and resumed without another approval while it is as it was', async () => {
  const cid = await asked({ to: ['seven@meanwhile.example'] });
  await approve(cid);
  await launchNow(cid);
  await ada!.call('campaignPause', { cid });
  assert.equal(await stateOf(cid), 'approved');
  await ada!.call('campaignResume', { cid });
  assert.equal(await statusOf(cid), 'sending');
});

test('the winner of an A/B test needs no approval: all variants had it', async () => {
  const list = await listOf(t, ['one@ab.example', 'two@ab.example']);
  const cid = await aCampaign(ada!, { to: list });
  await ada!.call('campaignTestUpdate', { cid, share: 100, variants: [{ subject: 'Another' }] });
  await ada!.call('campaignApprovalAsk', { cid });
  await approve(cid);
  await launchNow(cid);
  await ada!.call('campaignTestChoose', { cid, variant: 1 });
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['sending', 'approved']);
});

test('an issue waits although its recurring campaign needs no approval; expired and skipped, its question is withdrawn', async () => {
  const feed = createServer((_request, response) => response.end(rss(entries.map(entry).join(''))));
  const entries = ['One'];
  const entry = (title: string) =>
    item(`<title>${title}</title><link>https://site.example/${title}</link><description>${title}</description>`);
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
  try {
    const id = await ada!.call<string>('recurringCreate', {
      title: 'Notes',
      list: await listOf(t, ['reader@issues.example']),
      schedule: { type: 'daily', time: '09:00' },
      time_zone: 'UTC',
      source_url: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/feed.xml`,
    });
    await ada!.call('recurringResume', { id });
    const issueAt = async (clock: string) => {
      await t.app.db.run(sql`
        update recurring set next_at = ${clock}::timestamptz, try_at = ${clock}::timestamptz where id = ${parseId(id)}`);
      await runDue(t.app, { account: t.account.id, recurring: parseId(id) }, new Date(clock));
      const { data } = await t.call<{ data: { state: string; campaign: string }[] }>('recurringIssues', { id });
      return data;
    };
    const [first] = await issueAt('2027-03-01T09:00:00Z');
    assert.deepEqual([first!.state, await stateOf(first!.campaign)], ['waiting', 'asked']);
    for (const call of [t.call, ada!.call, bob!.call])
      await assert.rejects(call('recurringApprove', { campaign: first!.campaign }), needed);
    await approve(first!.campaign);
    assert.equal(await statusOf(first!.campaign), 'launching');
    entries.unshift('Two');
    const [second] = await issueAt('2027-03-02T09:00:00Z');
    await ada!.call('campaignUpdate', { cid: second!.campaign, name: 'subject', value: 'Edited' });
    entries.unshift('Three');
    const [third, expired] = await issueAt('2027-03-03T09:00:00Z');
    assert.deepEqual([expired!.state, await stateOf(expired!.campaign)], ['expired', 'withdrawn']);
    await ada!.call('recurringSkip', { campaign: third!.campaign });
    assert.equal(await stateOf(third!.campaign), 'withdrawn');
    await assert.rejects(bob!.call('campaignSendNow', { cid: third!.campaign }), needed);
  } finally {
    feed.closeAllConnections();
    feed.close();
  }
});

test('by no door does a key approve or send: XML-RPC, form and JSON', async () => {
  const cid = await asked({ to: ['eight@meanwhile.example'] });
  const { version } = await approvalOf(cid);
  const post = async (path: string, type: string, body: string, headers = {}) =>
    (await fetch(base + path, { method: 'POST', headers: { 'content-type': type, ...headers }, body })).text();
  for (const method of ['campaignApprove', 'campaignApprovalReturn', 'campaignApprovalRefuse', 'campaignSendNow']) {
    const params = { cid, ...(method === 'campaignApprove' && { version }) };
    const given = new URLSearchParams({ apikey: t.key, ...params }).toString();
    const answers = [
      await post('/xmlrpc', 'text/xml', encodeCall(method, [{ apikey: t.key, ...params }])),
      await post(`/1.3/?output=json&method=${method}`, 'application/x-www-form-urlencoded', given),
      await post(`/api/${method}`, 'application/json', JSON.stringify(params), { authorization: `Bearer ${t.key}` }),
    ];
    const code = method === 'campaignSendNow' ? 323 : 120;
    for (const answer of answers) assert.match(answer, new RegExp(`<int>${code}</int>|"code":${code}`), method);
    assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['draft', 'asked'], method);
  }
});
