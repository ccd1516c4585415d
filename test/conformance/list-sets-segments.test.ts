// Segments that name lists of others, and campaigns, automations and segments that use them: who got such a campaign, and how many, shows who
// is on the other list. A caller with a set of lists sees none of them, in any of the ways that lead there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { aCampaign, launchDraft } from '../support/builders/campaigns.ts';
import { aPerson } from '../support/builders/people.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { keyWith } from './list-sets-fixture.ts';

let t: TestApp;
let choir: string;
let board: string;
/** The segment of the choir that names the board, and one that names the choir only. */
let across: string;
let own: string;
let volunteer: Awaited<ReturnType<typeof keyWith>>;

const segment = (filter: Record<string, unknown>[], title = 'Segment') =>
  t.call<string>('listSegmentCreate', { list: choir, title, match: 'all', filter });
const campaign = (options: Record<string, unknown> = {}) => aCampaign(t, { to: choir, ...options });
async function sent(options: Record<string, unknown> = {}): Promise<string> {
  const cid = await campaign(options);
  await launchDraft(t, parseId(cid));
  return cid;
}
const sees = async (method: string, params: Record<string, unknown>): Promise<boolean> =>
  volunteer(method, params).then(
    () => true,
    ({ fault }: { fault: string }) => {
      assert.match(fault, /UNKNOWN|SEGMENT_INVALID/);
      return false;
    },
  );
const seesCampaign = async (cid: string) => {
  const listed = ((await volunteer('campaigns', { limit: 200 })) as { id: string }[]).some(({ id }) => id === cid);
  for (const method of ['campaignGet', 'campaignAudience', 'campaignRecipients'])
    assert.equal(await sees(method, { cid }), listed, method);
  return listed;
};
const seesAutomation = async (id: string) => {
  const found = await sees('automationGet', { id });
  for (const method of ['automationContacts', 'automationUpdate'])
    assert.equal(await sees(method, { id }), found, method);
  return found;
};

before(async () => {
  t = await testApp();
  [choir, board] = [
    await t.call<string>('listCreate', { title: 'Choir' }),
    await t.call<string>('listCreate', { title: 'Board' }),
  ];
  for (const [id, name] of [
    [choir, 'ada'],
    [choir, 'bea'],
    [board, 'bea'],
  ])
    await t.call('listSubscribe', { id, email_address: `${name}@example.com`, double_optin: false });
  across = await segment([{ field: 'list', condition: 'is', value: board }], 'And on the board');
  own = await segment([{ field: 'list', condition: 'is', value: choir }], 'On the choir');
  volunteer = await keyWith(t.app, t.account.id, [choir]);
});
after(() => t?.close());

test('a campaign to or without such a segment is not seen, one of an own segment is', async () => {
  for (const cid of [await sent({ segment_id: [across] }), await campaign({ exclude_segment_id: [across] })])
    assert.equal(await seesCampaign(cid), false);
  for (const cid of [await sent({ segment_id: [own] }), await campaign({ exclude_segment_id: [own] })])
    assert.equal(await seesCampaign(cid), true);
});

test('nor what names such a campaign, however far away it is', async () => {
  const got = (value: string) => [{ field: 'was_sent', condition: 'is', value }];
  const first = await sent({ segment_id: [across] });
  const second = await segment(got(first));
  const third = await campaign({ segment_id: [second] });
  const fourth = await segment([{ match: 'any', filter: got(third) }]);
  assert.equal(await sees('listSegmentMembers', { id: second }), false);
  assert.equal(await seesCampaign(third), false);
  assert.equal(await sees('listSegmentMembers', { id: fourth }), false);
  // A circle of own things ends, and is seen.
  const circle = await campaign();
  const around = await segment(got(circle));
  await t.call('campaignUpdate', { cid: circle, name: 'segment_id', value: [around] });
  assert.equal(await seesCampaign(circle), true);
  assert.equal(await sees('listSegmentMembers', { id: around }), true);
});

test('an automation with such a segment is not seen, nor who got its emails', async () => {
  const automation = async (definition: Record<string, unknown>) => {
    const id = await t.call<string>('automationCreate', { title: 'Automation', list: choir });
    await t.call('automationUpdate', { id, ...definition });
    return id;
  };
  const email = await campaign();
  const steps = [{ type: 'send', campaign: email }];
  const joined = (segment: string) => ({ type: 'segment', segment, change: 'joined' });
  assert.equal(await seesAutomation(await automation({ trigger: joined(across) })), false);
  assert.equal(await seesAutomation(await automation({ trigger: joined(own) })), true);
  const goal = { match: 'all', filter: [{ field: 'list', condition: 'is', value: board }] };
  assert.equal(await seesAutomation(await automation({ trigger: { type: 'subscribed' }, goal })), false);
  assert.equal(await seesCampaign(email), true);
  const running = await automation({ trigger: joined(across), steps });
  await t.call('automationStart', { id: running });
  assert.equal(await seesCampaign(email), false);
});

test('who got a campaign stays unseen when the segment is changed or deleted afterwards', async () => {
  for (const change of ['listSegmentUpdate', 'listSegmentDelete']) {
    const id = await segment([{ field: 'list', condition: 'is', value: board }]);
    const cid = await sent({ segment_id: [id] });
    await t.app.db.run(sql`update campaign set status = 'sent' where id = ${parseId(cid)}`);
    const filter = [{ field: 'EMAIL', condition: 'contains', value: '@' }];
    await t.call(change, { id, ...(change === 'listSegmentUpdate' && { filter, match: 'all' }) });
    assert.equal(await seesCampaign(cid), false, change);
  }
});

test('those who cannot see a campaign are not named as ones who may approve it', async () => {
  await aPerson(t, 'editor', 'Vera', [choir]);
  const approvers = async (cid: string) =>
    (await t.call<{ approvers: string[] }>('campaignApprovalGet', { cid })).approvers.includes('Vera');
  assert.equal(await approvers(await campaign({ segment_id: [own] })), true);
  assert.equal(await approvers(await campaign({ segment_id: [across] })), false);
});

test('setting the lists of a campaign keeps the segments of those that stay', async () => {
  const cid = await campaign({ segment_id: [across] });
  const segments = async () => (await t.call<{ segment_id: string[] }>('campaignGet', { cid })).segment_id;
  await t.call('campaignUpdate', { cid, name: 'list_id', value: [choir] });
  assert.deepEqual(await segments(), [across]);
  await t.call('campaignUpdate', { cid, name: 'list_id', value: [choir, board] });
  assert.deepEqual(await segments(), [across]);
  await t.call('campaignUpdate', { cid, name: 'list_id', value: [board] });
  assert.deepEqual(await segments(), []);
});
