// Approval by people who are limited to some lists: of campaigns that they see they are asked, read what it is about and answer; of others
// they see nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, listOf } from '../../../test/support/builders/campaigns.ts';
import { aPerson, aProgram, type Caller } from '../../../test/support/builders/people.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { parseId } from '../../db/ids.ts';
import { toolsFor } from '../../doors/mcp/tools.ts';

let t: TestApp;
let author: TestApp['call'];
let choir: string;
let board: string;
let [volunteer, other]: Caller[] = [];
before(async () => {
  t = await testApp();
  choir = await listOf(t, ['ada@choir.example'], 'Choir');
  board = await listOf(t, ['bob@board.example'], 'Board');
  volunteer = await aPerson(t, 'editor', 'Vera', [choir]);
  other = await aPerson(t, 'editor', 'Otto', [board]);
  author = await aProgram(t, ['campaigns:read', 'campaigns:write', 'contacts:read', 'contacts:write', 'account:read']);
});
after(() => t.close());

type Approval = {
  state: string;
  version: string;
  needed: boolean;
  may_approve: boolean;
  approvers: string[];
  changes: { member: string }[];
};
const approvalOf = (cid: string, as: TestApp['call']) => as<Approval>('campaignApprovalGet', { cid, changes: true });
const onHome = async ({ call }: Caller) =>
  (await call<{ attention: { kind: string; id: string }[] }>('homeSummary')).attention
    .filter(({ kind }) => kind === 'approval')
    .map(({ id }) => id);
const statusOf = async (cid: string) =>
  (await t.call<{ delivery_status: string }>('campaignGet', { cid })).delivery_status;

test('a person with a set of lists reads that no approval is needed, and sends', async () => {
  const cid = await aCampaign(volunteer!, { to: choir });
  const { needed, state } = await approvalOf(cid, volunteer!.call);
  assert.deepEqual([needed, state], [false, 'none']);
  await volunteer!.call('campaignSendNow', { cid });
  assert.equal(await statusOf(cid), 'launching');
});

test('asked about a campaign to their list they find it on Home and approve it; about another they learn nothing', async () => {
  const [own, foreign] = [await aCampaign(t, { to: choir }), await aCampaign(t, { to: [] })];
  await t.call('campaignUpdate', { cid: foreign, name: 'list_id', value: [choir, board] });
  for (const cid of [own, foreign]) await author('campaignApprovalAsk', { cid });
  assert.deepEqual(await onHome(volunteer!), [own]);
  assert.deepEqual(await onHome(other!), []);
  await assert.rejects(approvalOf(foreign, volunteer!.call), { fault: 'CAMPAIGN_UNKNOWN' });
  assert.deepEqual((await approvalOf(foreign, t.call)).approvers, ['owner@example.com']);
  const { version, may_approve, approvers } = await approvalOf(own, volunteer!.call);
  assert.deepEqual([may_approve, approvers], [true, ['owner@example.com', 'Vera']]);
  await volunteer!.call('campaignApprove', { cid: own, version });
  assert.equal(await statusOf(own), 'launching');
});

test('what a campaign was when it went to other lists too is not shown', async () => {
  await t.call('listMergeVarAdd', { id: board, tag: 'SEAT', name: 'Seat', options: { default_value: 'the back row' } });
  const html = '<p>*|SEAT|*</p><p><a href="*|UNSUB|*">Leave</a></p>';
  const cid = await aCampaign(t, { to: choir, html });
  await t.call('campaignUpdate', { cid, name: 'list_id', value: [choir, board] });
  await t.call('campaignUpdate', { cid, name: 'exclude_list_id', value: [board] });
  await author('campaignApprovalAsk', { cid });
  await t.call('campaignUpdate', { cid, name: 'list_id', value: [choir] });
  await t.call('campaignUpdate', { cid, name: 'exclude_list_id', value: [] });
  await t.call('campaignUpdate', { cid, name: 'subject', value: 'Now for the choir' });
  const forOwner = await approvalOf(cid, t.call);
  assert.match(JSON.stringify(forOwner.changes), /Board.*the back row|the back row.*Board/);
  const { changes } = await approvalOf(cid, volunteer!.call);
  assert.deepEqual(
    changes.map(({ member }) => member),
    ['subject'],
  );
});

test('an assistant with a key for one list has the tool', () => {
  const lists = [parseId(choir)];
  const names = toolsFor({ kind: 'system', permissions: ['campaigns:read'], ip: '', lists }).map(({ name }) => name);
  assert.ok(names.includes('campaignApprovalGet'));
});
