// Approval of campaigns: the table of docs/flows.md, cell by cell. Messages that leave are compared with what was approved in
// approval-race.test.ts.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { aPerson, aProgram, type Caller } from '../../../test/support/builders/people.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { launch, startDue } from '../../delivery/launch/launch.ts';
import { call } from '../../doors/call.ts';
import type { ApprovalRule } from '../approval/whose.ts';

let t: TestApp;
let [ada, bob, carol]: Caller[] = [];
let author: TestApp['call'];
let list: string;
before(async () => {
  t = await testApp();
  ada = await aPerson(t, 'owner', 'Ada');
  bob = await aPerson(t, 'editor', 'Bob');
  carol = await aPerson(t, 'viewer', 'Carol');
  author = await aProgram(t, ['campaigns:read', 'campaigns:write', 'contacts:read', 'contacts:write', 'account:read']);
  list = await listOf(t, ['reader@approval.example']);
});
after(() => t.close());
beforeEach(() => setRule('none'));

type Approval = {
  state: string;
  version: string;
  changed: boolean;
  needed: boolean;
  may_approve: boolean;
  approvers: string[];
  reason: string;
  changes: { member: string; of: string; before: string; after: string; lines: { kind: string; text: string }[] }[];
  steps: { what: string; by: string }[];
};

/** As the method writes it, without its notice. */
async function setRule(rule: ApprovalRule): Promise<void> {
  await t.app.db.run(sql`
    update account set settings = settings || jsonb_build_object('approval', ${rule}::text) where id = ${t.account.id}`);
}

const draft = (options: Record<string, unknown> = {}, as: Pick<TestApp, 'call'> = { call: author }) =>
  aCampaign(as, { to: list, ...options });
const statusOf = async (cid: string) =>
  (await t.call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;
const approvalOf = (cid: string, as: TestApp['call'] = t.call) =>
  as<Approval>('campaignApprovalGet', { cid, changes: true });
const stateOf = async (cid: string) => (await approvalOf(cid)).state;
const approveAs = async (who: Caller, cid: string, given: Record<string, unknown> = {}) =>
  who.call('campaignApprove', { cid, version: (await approvalOf(cid)).version, ...given });
const launchNow = (cid: string) => launch(t.app, { account: t.account.id, campaign: parseId(cid) });
const needed = { fault: 'APPROVAL_NEEDED' };
const later = '2099-01-31 09:00:00';

/** The addresses that got a notice with this subject. */
async function noticesAbout(subject: string): Promise<string[]> {
  const rows = await t.app.db.rows<{ to: string }>(sql`
    select payload ->> 'to' as to
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks k on k.id = j.task_id
    where k.identifier = 'sendAccountNotice'
      and payload ->> 'subject' = ${subject}
    order by 1`);
  return rows.map(({ to }) => to);
}

test('an author asks, and the approval of one who may send sends exactly that', async () => {
  const cid = await draft({ title: 'Spring' });
  await assert.rejects(author('campaignSendNow', { cid }), { fault: 'NOT_ALLOWED' });
  await author('campaignApprovalAsk', { cid, note: 'Please look' });
  assert.equal(await stateOf(cid), 'asked');
  assert.deepEqual(await noticesAbout('Please approve: Spring'), [ada!.email, bob!.email, 'owner@example.com']);
  const { attention } = await bob!.call<{ attention: { kind: string; id: string }[] }>('homeSummary');
  assert.ok(attention.some(({ kind, id }) => kind === 'approval' && id === cid));
  const forViewer = await carol!.call<{ attention: { kind: string }[] }>('homeSummary');
  assert.ok(!forViewer.attention.some(({ kind }) => kind === 'approval'));
  await approveAs(bob!, cid);
  assert.equal(await statusOf(cid), 'launching');
  await launchNow(cid);
  assert.equal(await statusOf(cid), 'sending');
  const { steps } = await approvalOf(cid);
  assert.deepEqual(
    steps.map(({ what, by }) => [what, by]),
    [
      ['approved', 'Bob'],
      ['asked', steps[1]!.by],
    ],
  );
  assert.match(steps[1]!.by, /^Program/);
});

test('a campaign is scheduled for the time that was asked for, and for no other without asking again', async () => {
  await setRule('everyone');
  const cid = await draft();
  await author('campaignApprovalAsk', { cid, schedule_time: later });
  await approveAs(bob!, cid, { start: false });
  assert.equal(await statusOf(cid), 'draft');
  await assert.rejects(ada!.call('campaignSendNow', { cid }), /approved for 2099-01-31 09:00:00 GMT only/);
  await assert.rejects(ada!.call('campaignSchedule', { cid, schedule_time: '2099-02-01 09:00:00' }), needed);
  await ada!.call('campaignSchedule', { cid, schedule_time: later });
  assert.equal(await statusOf(cid), 'scheduled');
});

test('a time that has passed since it was asked for is not taken; the approver gives another one', async () => {
  const cid = await draft();
  await author('campaignApprovalAsk', { cid, schedule_time: later });
  await t.app.db.run(sql`
    update campaign_approval set wanted_at = now() - interval '1 hour' where campaign_id = ${parseId(cid)}`);
  await assert.rejects(approveAs(bob!, cid), { fault: 'DATE_INVALID' });
  assert.equal(await stateOf(cid), 'asked');
  await approveAs(bob!, cid, { schedule_time: later });
  assert.equal(await statusOf(cid), 'scheduled');
  const other = await draft();
  await assert.rejects(author('campaignApprovalAsk', { cid: other, schedule_time: '2001-01-01 00:00:00' }), {
    fault: 'DATE_INVALID',
  });
});

test('where the rule is everyone, no person and no key sends by any door what no one else has approved', async () => {
  await setRule('everyone');
  const full = await aProgram(t);
  const cid = await draft({}, ada!);
  for (const call of [ada!.call, bob!.call, full, t.call]) {
    await assert.rejects(call('campaignSendNow', { cid }), needed);
    await assert.rejects(call('campaignSchedule', { cid, schedule_time: later }), needed);
  }
  assert.equal(await statusOf(cid), 'draft');
  await assert.rejects(full('campaignSendNow', { cid }), { code: 323, message: /campaignApprovalAsk/ });
});

test('where the rule is authors, one who may send sends; what others change for it afterwards is not sent', async () => {
  await setRule('authors');
  const segments = [await aSegment('reader'), await aSegment('reader')] as const;
  const [cid, other] = [
    await draft({ segment_id: [segments[0]] }, bob!),
    await draft({ segment_id: [segments[1]] }, bob!),
  ];
  for (const scheduled of [cid, other]) await bob!.call('campaignSchedule', { cid: scheduled, schedule_time: later });
  assert.equal(await stateOf(cid), 'approved');
  // Their own change keeps it scheduled.
  await bob!.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected by Bob' });
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['scheduled', 'approved']);
  await assert.rejects(author('campaignUpdate', { cid, name: 'subject', value: 'x' }), { fault: 'NOT_ALLOWED' });
  const filter = [{ field: 'EMAIL', condition: 'contains', value: '@' }];
  for (const sid of segments) await author('listSegmentUpdate', { sid, filter });
  await isDue(cid);
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['paused', 'withdrawn']);
  // A change of one who has not seen the segment does not approve it.
  await bob!.call('campaignUpdate', { cid: other, name: 'subject', value: 'Corrected by Bob' });
  assert.deepEqual([await statusOf(other), await stateOf(other)], ['draft', 'withdrawn']);
});

test('no one approves their own work where the rule is everyone: not who asked, nor who changed it last', async () => {
  await setRule('everyone');
  const cid = await draft({}, ada!);
  await ada!.call('campaignApprovalAsk', { cid });
  await assert.rejects(approveAs(ada!, cid), { fault: 'NOT_ALLOWED' });
  assert.deepEqual(
    [(await approvalOf(cid, ada!.call)).may_approve, (await approvalOf(cid, bob!.call)).may_approve],
    [false, true],
  );
  await bob!.call('campaignUpdate', { cid, name: 'subject', value: 'Better' });
  await assert.rejects(approveAs(bob!, cid), /changed the campaign last/);
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'Best' });
  await approveAs(bob!, cid);
  assert.equal(await statusOf(cid), 'launching');
});

test('a key asks and never approves; nor does one who may not send', async () => {
  const full = await aProgram(t);
  const cid = await draft();
  await full('campaignApprovalAsk', { cid });
  const { version } = await approvalOf(cid);
  for (const call of [full, author, carol!.call]) {
    await assert.rejects(call('campaignApprove', { cid, version }), { fault: 'NOT_ALLOWED' });
    await assert.rejects(call('campaignApprovalReturn', { cid }), { fault: 'NOT_ALLOWED' });
    await assert.rejects(call('campaignApprovalRefuse', { cid }), { fault: 'NOT_ALLOWED' });
    await assert.rejects(call('campaignApprovalRuleUpdate', { rule: 'none' }), { fault: 'NOT_ALLOWED' });
  }
  await assert.rejects(carol!.call('campaignApprovalAsk', { cid }), { fault: 'NOT_ALLOWED' });
});

test('the right to approve ends with the role, the membership and the session', async () => {
  const cid = await draft();
  await author('campaignApprovalAsk', { cid });
  const { version } = await approvalOf(cid);
  const dan = await aPerson(t, 'editor', 'Dan');
  const approve = () => dan.call('campaignApprove', { cid, version });
  await t.call('userUpdate', { id: await userId(dan.email), role: 'viewer' });
  await assert.rejects(approve(), { fault: 'NOT_ALLOWED' });
  await t.call('userDelete', { id: await userId(dan.email) });
  await assert.rejects(approve(), { fault: 'KEY_INVALID' });
  const eve = await aPerson(t, 'editor', 'Eve');
  await t.app.db.run(sql`delete from session where user_id = ${eve.id}`);
  await assert.rejects(eve.call('campaignApprove', { cid, version }), { fault: 'KEY_INVALID' });
  await t.call('userDelete', { id: await userId(eve.email) });
  assert.equal(await stateOf(cid), 'asked');
});

test('an approval outlives the person who gave it and the key that asked', async () => {
  await setRule('everyone');
  const fay = await aPerson(t, 'editor', 'Fay');
  const asks = await aProgram(t, ['campaigns:write', 'contacts:read']);
  const cid = await draft({}, { call: author });
  await asks('campaignApprovalAsk', { cid, schedule_time: later });
  await t.app.db.run(
    sql`update api_key set expired_at = now() where permissions = array['campaigns:write', 'contacts:read']`,
  );
  await approveAs(fay, cid);
  await t.call('userDelete', { id: await userId(fay.email) });
  await isDue(cid);
  assert.equal(await statusOf(cid), 'sending');
});

/** Every change of what is sent, to whom or how, by its method. */
const changes: Record<string, (cid: string) => Promise<unknown>> = {
  subject: (cid) => ada!.call('campaignUpdate', { cid, name: 'subject', value: 'Other' }),
  html: (cid) =>
    ada!.call('campaignUpdate', { cid, name: 'html', value: '<p>Other <a href="*|UNSUB|*">Leave</a></p>' }),
  plain: (cid) => ada!.call('campaignUpdate', { cid, name: 'plain', value: 'Other text' }),
  from_name: (cid) => ada!.call('campaignUpdate', { cid, name: 'from_name', value: 'Someone' }),
  from_email: (cid) => ada!.call('campaignUpdate', { cid, name: 'from_email', value: 'other@example.com' }),
  tracking: (cid) => ada!.call('campaignUpdate', { cid, name: 'tracking', value: { opens: false } }),
  analytics: (cid) => ada!.call('campaignUpdate', { cid, name: 'analytics', value: { google: 'x' } }),
  time_match: (cid) => ada!.call('campaignUpdate', { cid, name: 'time_match', value: true }),
  list_id: async (cid) =>
    ada!.call('campaignUpdate', { cid, name: 'list_id', value: await listOf(t, ['other@approval.example']) }),
  segment_id: async (cid) =>
    ada!.call('campaignUpdate', { cid, name: 'segment_id', value: [await aSegment('reader')] }),
  exclude_segment_id: async (cid) =>
    ada!.call('campaignUpdate', { cid, name: 'exclude_segment_id', value: [await aSegment('x')] }),
  attachment: (cid) =>
    ada!.call('campaignAttachmentCreate', { cid, name: 'a.txt', content: 'T3BlbiBmcm9tIDkgdG8gNQo=' }),
  language: (cid) =>
    ada!.call('campaignLanguageUpdate', { cid, language: 'de', subject: 'Hallo', html: '<p>Hallo *|UNSUB|*</p>' }),
  'A/B test': (cid) => ada!.call('campaignTestUpdate', { cid, share: 100, variants: [{ subject: 'Another' }] }),
  version: async (cid) => {
    const [latest] = await ada!.call<{ version: number }[]>('campaignVersions', { cid });
    return ada!.call('campaignVersionRestore', { cid, version: latest!.version });
  },
};

test('each change of what is sent ends the approval: the scheduled campaign is a draft again, and both people are notified', async () => {
  await setRule('everyone');
  for (const [name, change] of Object.entries(changes)) {
    const cid = await draft({ title: name });
    await author('campaignUpdate', {
      cid,
      name: 'html',
      value: '<p>Second *|FNAME|* <a href="*|UNSUB|*">Leave</a></p>',
    });
    await author('campaignApprovalAsk', { cid, schedule_time: later });
    await approveAs(bob!, cid);
    assert.equal(await statusOf(cid), 'scheduled', name);
    await change(cid);
    assert.deepEqual([name, await statusOf(cid), await stateOf(cid)], [name, 'draft', 'withdrawn']);
    assert.deepEqual(await noticesAbout(`No longer approved: ${name}`), [bob!.email]);
    await assert.rejects(ada!.call('campaignSendNow', { cid }), needed);
  }
});

test('a change that changes nothing that is sent keeps the approval', async () => {
  await setRule('everyone');
  const cid = await draft();
  await author('campaignApprovalAsk', { cid, schedule_time: later });
  await approveAs(bob!, cid);
  await ada!.call('campaignUpdate', { cid, name: 'title', value: 'Another name' });
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'News' });
  await author('campaignCommentCreate', { cid, text: 'Fine' });
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['scheduled', 'approved']);
});

/** What a campaign uses and is changed elsewhere: found when it is launched. */
const elsewhere: Record<string, () => Promise<unknown>> = {
  segment: async () =>
    t.call('listSegmentUpdate', { sid: segment, filter: [{ field: 'EMAIL', condition: 'contains', value: '@' }] }),
  'text of the list': () => t.call('listUpdate', { id: list, name: 'company', value: `Company ${++count}` }),
  'default of a field': () =>
    t.call('listMergeVarUpdate', { id: list, tag: 'FNAME', options: { default_value: `friend ${++count}` } }),
  'postal address of the account': () =>
    t.call('accountUpdate', { name: 'postal_address', value: `Street ${++count}` }),
};
let segment: string;
let count = 0;

test('a segment, list or field that was changed since is found in the transaction that freezes the campaign', async () => {
  await setRule('everyone');
  segment = await aSegment('reader');
  for (const [name, change] of Object.entries(elsewhere)) {
    const cid = await draft({ segment_id: [segment], html: '<p>Dear *|FNAME|*, *|UNSUB|*</p>' });
    await author('campaignApprovalAsk', { cid, schedule_time: later });
    await approveAs(bob!, cid);
    await change();
    assert.equal((await approvalOf(cid)).changed, true, name);
    await isDue(cid);
    const progress = await t.call<{ status_reason?: string }>('campaignProgress', { cid });
    assert.deepEqual([name, await statusOf(cid), await stateOf(cid)], [name, 'paused', 'withdrawn']);
    assert.match(JSON.stringify(progress), /changed after it was approved/, name);
    // Resumed without a new approval it stays where it is.
    await assert.rejects(ada!.call('campaignResume', { cid }), needed);
    await author('campaignApprovalAsk', { cid });
    await approveAs(bob!, cid);
    await ada!.call('campaignResume', { cid });
    await launchNow(cid);
    assert.equal(await statusOf(cid), 'sending', name);
  }
});

test('a template that is changed later changes no campaign, and ends no approval', async () => {
  await setRule('everyone');
  const template_id = await t.call<string>('templateCreate', { name: 'Letter', source: '<p>Letter *|UNSUB|*</p>' });
  const cid = await draft({ content: { template_id }, generate_text: true });
  await author('campaignApprovalAsk', { cid, schedule_time: later });
  await approveAs(bob!, cid);
  await t.call('templateUpdate', { template_id, name: 'source', value: '<p>Changed</p>' });
  await isDue(cid);
  assert.equal(await statusOf(cid), 'sending');
});

test('what was not seen is not approved: an edit at the same moment is fault 322', async () => {
  const cid = await draft();
  await author('campaignApprovalAsk', { cid });
  const { version } = await approvalOf(cid);
  await author('campaignUpdate', { cid, name: 'subject', value: 'Edited meanwhile' });
  await assert.rejects(bob!.call('campaignApprove', { cid, version }), { fault: 'CAMPAIGN_CHANGED' });
  const { changed, state } = await approvalOf(cid);
  assert.deepEqual([changed, state, await statusOf(cid)], [true, 'asked', 'draft']);
});

test('asking for changes and refusing answer the one who asked; asking again shows what differs', async () => {
  const cid = await draft({ title: 'Rounds' }, ada!);
  await ada!.call('campaignApprovalAsk', { cid });
  await bob!.call('campaignApprovalReturn', { cid, note: 'The date is wrong' });
  assert.deepEqual(await noticesAbout('Changes asked for: Rounds'), [ada!.email]);
  const home = await ada!.call<{ attention: { kind: string; detail: string }[] }>('homeSummary');
  assert.ok(home.attention.some(({ kind, detail }) => kind === 'approval' && detail === 'Bob asks for changes'));
  await assert.rejects(approveAs(bob!, cid), { fault: 'CAMPAIGN_STATE_CONFLICT' });
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'News of May' });
  await ada!.call('campaignUpdate', { cid, name: 'html', value: '<p>News</p><p>On 2 May</p><p>*|UNSUB|*</p>' });
  await ada!.call('campaignApprovalAsk', { cid });
  const { changes } = await approvalOf(cid);
  assert.deepEqual(
    changes.map(({ member, before, after }) => [member, before, after]),
    [
      ['subject', 'News', 'News of May'],
      ['html', '', ''],
      ['plain', '', ''],
    ],
  );
  assert.ok(changes[1]!.lines.some(({ kind, text }) => kind === 'added' && text === 'On 2 May'));
  await bob!.call('campaignApprovalRefuse', { cid, note: 'Not this year' });
  assert.deepEqual([await stateOf(cid), await noticesAbout('Not approved: Rounds')], ['refused', [ada!.email]]);
});

test('asking again with nothing new sends no second email', async () => {
  const cid = await draft({ title: 'Once' });
  for (const note of ['a', 'a', 'b']) await author('campaignApprovalAsk', { cid, note });
  assert.equal((await noticesAbout('Please approve: Once')).length, 2 * 3);
});

test('the one who asked, or one who may send, withdraws; others do not', async () => {
  const cid = await draft({}, ada!);
  await ada!.call('campaignApprovalAsk', { cid, schedule_time: later });
  await assert.rejects(author('campaignApprovalWithdraw', { cid }), { fault: 'NOT_ALLOWED' });
  await approveAs(bob!, cid);
  await bob!.call('campaignApprovalWithdraw', { cid });
  assert.deepEqual([await statusOf(cid), await stateOf(cid)], ['draft', 'withdrawn']);
  await assert.rejects(bob!.call('campaignApprovalWithdraw', { cid }), { fault: 'CAMPAIGN_STATE_CONFLICT' });
});

test('a copy and a follow-up have no approval, and a campaign is deleted with its own', async () => {
  await setRule('everyone');
  const cid = await draft();
  await author('campaignApprovalAsk', { cid });
  await approveAs(bob!, cid, { start: false });
  const copy = await author<string>('campaignReplicate', { cid });
  await assert.rejects(ada!.call('campaignSendNow', { cid: copy }), needed);
  await ada!.call('campaignSendNow', { cid });
  await launchNow(cid);
  await t.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(cid)}`);
  const again = await author<string>('campaignFollowUp', { cid, to: 'not_opened' });
  await assert.rejects(ada!.call('campaignSendNow', { cid: again }), needed);
  await ada!.call('campaignDelete', { cid });
  const row = await t.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from campaign_approval_step where campaign_id = ${parseId(cid)}`);
  assert.equal(row!.count, 0);
});

test('the corrected text of an autoresponder is published, and a paused campaign resumed with one, once approved', async () => {
  await setRule('everyone');
  const cid = await draft({ type: 'auto', type_opts: { 'offset-units': 'day', 'offset-time': 1, event: 'signup' } });
  await author('campaignApprovalAsk', { cid });
  await approveAs(bob!, cid);
  await launchNow(cid);
  await ada!.call('campaignUpdate', { cid, name: 'subject', value: 'Corrected' });
  await assert.rejects(ada!.call('campaignRevisionCreate', { cid }), needed);
  await ada!.call('campaignPause', { cid });
  await assert.rejects(ada!.call('campaignResume', { cid }), needed);
  assert.equal(await statusOf(cid), 'paused');
  await author('campaignApprovalAsk', { cid });
  await approveAs(bob!, cid);
  await ada!.call('campaignResume', { cid });
  await launchNow(cid);
  assert.equal(await statusOf(cid), 'sending');
});

test('an automation starts once each of its emails is approved as it is', async () => {
  await setRule('everyone');
  const email = await draft();
  const id = await ada!.call<string>('automationCreate', { title: 'Welcome', list });
  await ada!.call('automationUpdate', {
    id,
    trigger: { type: 'subscribed', imports: false },
    steps: [{ type: 'send', campaign: email }],
  });
  await assert.rejects(ada!.call('automationStart', { id }), needed);
  await author('campaignApprovalAsk', { cid: email });
  await approveAs(bob!, email, { start: false });
  await ada!.call('automationStart', { id });
  await launchNow(email);
  assert.equal(await statusOf(email), 'sending');
});

test('links of a campaign that is being sent are corrected with an approval only', async () => {
  await setRule('everyone');
  const cid = await draft({ html: '<p><a href="https://example.com/">Offer</a> *|UNSUB|*</p>' });
  await author('campaignApprovalAsk', { cid });
  await approveAs(bob!, cid);
  await launchNow(cid);
  const correct = () => ada!.call('campaignLinkUpdate', { cid, link_id: '1', url: 'https://example.com/offer' });
  await assert.rejects(correct(), needed);
  await t.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(cid)}`);
  await correct();
});

test('the rule everyone is refused where no one else could approve, and asking then says so', async () => {
  const alone = await t.anotherAccount();
  const owner = await aPerson({ app: t.app, account: alone.account }, 'owner', 'Solo');
  await t.app.db.run(sql`
    delete from membership where account_id = ${alone.account.id} and user_id <> ${owner.id}`);
  await assert.rejects(owner.call('campaignApprovalRuleUpdate', { rule: 'everyone' }), {
    fault: 'ACCOUNT_OPTION_INVALID',
    message: /only one person of the account may send/,
  });
  await owner.call('campaignApprovalRuleUpdate', { rule: 'authors' });
  const editor = await aPerson({ app: t.app, account: alone.account }, 'editor', 'Second');
  await owner.call('campaignApprovalRuleUpdate', { rule: 'everyone' });
  await t.app.db.run(sql`delete from membership where account_id = ${alone.account.id} and user_id = ${editor.id}`);
  const cid = await aCampaign(owner, { to: ['a@alone.example'] });
  await assert.rejects(owner.call('campaignApprovalAsk', { cid }), /no one who could approve/);
  await owner.call('campaignApprovalRuleUpdate', { rule: 'none' });
  await owner.call('campaignSendNow', { cid });
});

test('what is scheduled when the rule begins stays scheduled as it is', async () => {
  const [kept, changed] = [await draft(), await draft()];
  for (const cid of [kept, changed]) await bob!.call('campaignSchedule', { cid, schedule_time: later });
  await ada!.call('campaignApprovalRuleUpdate', { rule: 'everyone' });
  await ada!.call('campaignUpdate', { cid: changed, name: 'subject', value: 'Changed' });
  await isDue(kept);
  assert.deepEqual([await statusOf(kept), await statusOf(changed)], ['sending', 'draft']);
});

test('comments are on a block or some words, resolved by anyone who may write, and changed by their author', async () => {
  const cid = await draft();
  const no = await bob!.call<number>('campaignCommentCreate', { cid, text: 'Which year?', block: 'b1', quote: 'News' });
  await assert.rejects(ada!.call('campaignCommentUpdate', { cid, comment: no, text: 'Mine' }), {
    fault: 'NOT_ALLOWED',
  });
  await author('campaignCommentUpdate', { cid, comment: no, resolved: true });
  const [comment] = await ada!.call<Record<string, unknown>[]>('campaignComments', { cid });
  const { by, own, text, block, quote, resolved_by } = comment!;
  assert.deepEqual([by, own, text, block, quote], ['Bob', false, 'Which year?', 'b1', 'News']);
  assert.match(String(resolved_by), /^Program/);
  await assert.rejects(author('campaignCommentDelete', { cid, comment: no }), { fault: 'NOT_ALLOWED' });
  await ada!.call('campaignCommentDelete', { cid, comment: no });
  assert.deepEqual(await ada!.call('campaignComments', { cid }), []);
});

async function aSegment(value: string): Promise<string> {
  return t.call<string>('listSegmentCreate', {
    list,
    title: value,
    match: 'all',
    filter: [{ field: 'EMAIL', condition: 'contains', value }],
  });
}

/** The time of a scheduled campaign comes, by the clocks of the approval and of the database. */
async function isDue(cid: string): Promise<void> {
  const id = parseId(cid);
  await t.app.db.run(
    sql`update campaign_approval set wanted_at = now() where campaign_id = ${id} and wanted_at is not null`,
  );
  await t.app.db.run(sql`
    update campaign
    set schedule_at = coalesce((select wanted_at from campaign_approval a where a.campaign_id = id), now())
    where id = ${id}`);
  await startDue(t.app.db);
  await launchNow(cid);
}

async function userId(email: string): Promise<string> {
  const users = await t.call<{ id: string; email: string }[]>('users');
  return users.find((user) => user.email === email)!.id;
}

test('what only the other side of a test shows, the name for readers, and the account that sends are approved too', async () => {
  const own = await listOf(t, ['reader@versions.example']);
  await t.call('listMergeVarAdd', { id: own, tag: 'NICK', name: 'Nick', options: { default_value: 'friend' } });
  const cid = await draft({ to: own });
  await author('campaignTestUpdate', { cid, share: 100, variants: [{ subject: 'Hello *|NICK|*' }] });
  const seen = [(await approvalOf(cid)).version];
  await t.call('listMergeVarUpdate', { id: own, tag: 'NICK', options: { default_value: 'you' } });
  seen.push((await approvalOf(cid)).version);
  await t.call('listUpdate', { id: own, name: 'public_title', value: 'The Letter' });
  seen.push((await approvalOf(cid)).version);
  for (const change of [sql`email = 'main@other.example'`, sql`language = 'fr'`]) {
    await t.app.db.run(sql`update account set ${change} where id = ${t.account.id}`);
    seen.push((await approvalOf(cid)).version);
  }
  await t.app.db.run(sql`update account set email = 'owner@example.com', language = 'en' where id = ${t.account.id}`);
  assert.equal(new Set(seen).size, 5);
});

test('with everyone, what someone attached, or changed in a segment or a list since it was asked, is their own work', async () => {
  await setRule('everyone');
  const own = await listOf(t, ['reader@work.example']);
  const segment = await t.call<string>('listSegmentCreate', {
    ...{ list: own, title: 'R', match: 'all' },
    filter: [{ field: 'EMAIL', condition: 'contains', value: 'r' }],
  });
  const ownWork: Record<string, (cid: string) => Promise<unknown>> = {
    attachment: (cid) =>
      bob!.call('campaignAttachmentCreate', { cid, name: 'a.txt', content: 'T3BlbiBmcm9tIDkgdG8gNQo=' }),
    segment: () =>
      bob!.call('listSegmentUpdate', {
        id: segment,
        filter: [{ field: 'EMAIL', condition: 'contains', value: 'reader' }],
      }),
    list: () => bob!.call('listUpdate', { id: own, name: 'permission_reminder', value: 'You asked for it' }),
  };
  for (const [name, work] of Object.entries(ownWork)) {
    const cid = await draft({ to: own, segment_id: [segment] });
    await author('campaignApprovalAsk', { cid });
    assert.ok((await approvalOf(cid, bob!.call)).may_approve, name);
    await work(cid);
    assert.ok(!(await approvalOf(cid, bob!.call)).may_approve, name);
    await assert.rejects(approveAs(bob!, cid, { start: false }), { fault: 'NOT_ALLOWED' }, name);
    await approveAs(ada!, cid, { start: false });
  }
});

test("with everyone, a new name or a key of their own does not make work another person's", async () => {
  await setRule('everyone');
  const renamed = await draft();
  await bob!.call('campaignUpdate', { cid: renamed, name: 'subject', value: 'By Bob' });
  await author('campaignUpdate', { cid: renamed, name: 'title', value: 'Named by another' });
  await author('campaignApprovalAsk', { cid: renamed });
  await assert.rejects(approveAs(bob!, renamed), { fault: 'NOT_ALLOWED' });

  const key = await ada!.call<string>('apikeyAdd', { label: 'Program of Ada', scope: 'full' });
  const program = <T>(method: string, params: Record<string, unknown>) =>
    call(t.app, method, params, { kind: 'key', key, ip: '127.0.0.1' }, 'json') as Promise<T>;
  const asked = await draft({}, ada!);
  await program('campaignUpdate', { cid: asked, name: 'subject', value: 'By her program' });
  await program('campaignApprovalAsk', { cid: asked });
  await assert.rejects(approveAs(ada!, asked), { fault: 'NOT_ALLOWED' });
  await approveAs(bob!, asked, { start: false });
});
