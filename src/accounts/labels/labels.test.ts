// Labels, and hidden objects: docs/flows.md, "Labels and hiding". Each test is a cell of its table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { aCampaign, launchedTo, listOf } from '../../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import type { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { launch } from '../../delivery/launch/launch.ts';
import { call as callAs } from '../../doors/call.ts';
import { labelColours } from './colours.ts';
import { maxLabelsOfObject } from './label.ts';

let app: TestApp;
let list: string;
before(async () => {
  app = await testApp();
  list = await listOf(app, ['ada@example.com'], 'Readers');
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) => app.call<T>(method, params);
type Label = { id: string; name: string; colour: string };
type Row = { id: string; labels: Label[]; hidden: boolean };
let made = 0;
const aLabel = (name = `Label ${++made}`, colour = 'teal') => call<string>('labelCreate', { name, colour });
/** 'ok', or the fault's name. */
const outcomes = async (...calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === 'fulfilled' ? 'ok' : ((result.reason as Fault).fault ?? String(result.reason)),
  );

/** Each kind of object that has labels: how one is made, changed, listed and deleted. */
const kinds = {
  campaign: {
    make: () => aCampaign(app, { to: list }),
    update: (cid: string, name: string, value: unknown) => call('campaignUpdate', { cid, name, value }),
    rows: (filters = {}) => call<Row[]>('campaigns', { filters, limit: 1000 }),
    remove: (cid: string) => call('campaignDelete', { cid }),
  },
  list: {
    make: () => call<string>('listCreate', { title: 'Club' }),
    update: (id: string, name: string, value: unknown) => call('listUpdate', { id, name, value }),
    rows: (filters = {}) => call<Row[]>('lists', filters),
    remove: (id: string) => call('listDelete', { id }),
  },
  template: {
    make: () => call<string>('templateCreate', { name: 'Letter', source: '<p>Letter</p>' }),
    update: (template_id: string, name: string, value: unknown) => call('templateUpdate', { template_id, name, value }),
    rows: (filters = {}) => call<Row[]>('campaignTemplates', filters),
    remove: (template_id: string) => call('templateDelete', { template_id }),
  },
  automation: {
    make: () => call<string>('automationCreate', { title: 'Welcome', list }),
    update: (id: string, name: string, value: unknown) => call('automationUpdate', { id, [name]: value }),
    rows: async (filters = {}) => (await call<{ data: Row[] }>('automations', filters)).data,
    remove: (id: string) => call('automationDelete', { id }),
  },
};
type Kind = keyof typeof kinds;
const namesOf = async (kind: Kind, id: string) =>
  (await kinds[kind].rows()).find((row) => row.id === id)!.labels.map(({ name }) => name);
const idsOf = async (kind: Kind, filters: Record<string, unknown>) =>
  (await kinds[kind].rows(filters)).map(({ id }) => id);

test('a name is unique without regard to case, has at most 50 characters, and a colour is one of the list', async () => {
  const id = await aLabel('Österreich', 'violet');
  await assert.rejects(aLabel(' öSTERREICH '), {
    fault: 'LABEL_INVALID',
    message: 'name: there is already a label "Österreich"',
  });
  const other = await aLabel('Schweiz');
  await assert.rejects(call('labelUpdate', { id: other, name: 'ÖSTERREICH' }), { fault: 'LABEL_INVALID' });
  await call('labelUpdate', { id, name: 'ÖSTERREICH' });
  await call('labelUpdate', { id, colour: 'pink' });
  const found = (await call<Label[]>('labels')).find((label) => label.id === id);
  assert.deepEqual(found, { id, name: 'ÖSTERREICH', colour: 'pink' });
  await assert.rejects(aLabel('x'.repeat(51)), { fault: 'INVALID_PARAMETER', message: /^name/ });
  await assert.rejects(aLabel('  '), { fault: 'INVALID_PARAMETER' });
  await assert.rejects(aLabel('Red', 'red'), {
    fault: 'INVALID_PARAMETER',
    message: `colour must be one of ${labelColours.join(', ')}`,
  });
});

for (const kind of Object.keys(kinds) as Kind[]) {
  const { make, update, rows, remove } = kinds[kind];

  test(`${kind}: labels are added, filtered by, renamed everywhere and gone with the label, and the object is not`, async () => {
    const [one, other] = [await make(), await make()];
    const [red, blue] = [await aLabel(`B of ${kind}`), await aLabel(`a of ${kind}`)];
    await update(one, 'add_label', red);
    await update(one, 'add_label', red);
    await update(one, 'add_label', blue);
    await update(other, 'add_label', blue);
    assert.deepEqual(await namesOf(kind, one), [`a of ${kind}`, `B of ${kind}`]);
    assert.deepEqual(await idsOf(kind, { label: red }), [one]);
    assert.deepEqual((await idsOf(kind, { label: blue })).sort(), [one, other].sort());
    assert.deepEqual(await idsOf(kind, { label: 'ffffffff' }), []);
    await call('labelUpdate', { id: red, name: `z of ${kind}` });
    assert.deepEqual(await namesOf(kind, one), [`a of ${kind}`, `z of ${kind}`]);
    await update(one, 'remove_label', red);
    await call('labelDelete', { id: blue });
    assert.deepEqual(await namesOf(kind, one), []);
    assert.deepEqual(await namesOf(kind, other), []);
    await assert.rejects(update(one, 'add_label', blue), { fault: 'LABEL_UNKNOWN' });
    await update(one, 'add_label', red);
    await remove(one);
    assert.ok((await call<Label[]>('labels')).some(({ id }) => id === red));
    await remove(other);
  });

  test(`${kind}: the label of another account is an unknown one, to give and to filter by`, async () => {
    const id = await make();
    const stranger = await app.anotherAccount();
    const theirs = await stranger.call<string>('labelCreate', { name: 'Theirs' });
    const refused = { fault: 'LABEL_UNKNOWN', message: new RegExp(`the label "${theirs}" does not exist$`) };
    await assert.rejects(update(id, 'add_label', theirs), refused);
    await assert.rejects(update(id, 'remove_label', theirs), refused);
    assert.deepEqual(await idsOf(kind, { label: theirs }), []);
    await remove(id);
  });

  test(`${kind}: hidden ones are listed for programs unless they filter, and shown again`, async () => {
    const [one, other] = [await make(), await make()];
    await update(one, 'hidden', true);
    const all = await rows();
    assert.deepEqual(
      [one, other].map((id) => all.find((row) => row.id === id)?.hidden),
      [true, false],
    );
    assert.deepEqual(await idsOf(kind, { hidden: true }), [one]);
    assert.ok(!(await idsOf(kind, { hidden: false })).includes(one));
    // Clients that send every filter leave it empty.
    assert.ok((await idsOf(kind, { hidden: '', label: '' })).includes(one));
    await update(one, 'hidden', false);
    assert.deepEqual(await idsOf(kind, { hidden: true }), []);
    await remove(one);
    await remove(other);
  });

  test(`${kind}: two people who label it at once both succeed, and nothing is labelled twice`, async () => {
    const id = await make();
    const labels = await Promise.all([1, 2, 3, 4].map((n) => aLabel(`${n} at once of ${kind}`)));
    const done = await outcomes(...[...labels, ...labels].map((label) => update(id, 'add_label', label)));
    assert.deepEqual(new Set(done), new Set(['ok']));
    assert.equal((await namesOf(kind, id)).length, 4);
    await remove(id);
  });

  test(`${kind}: a label that is given while it is deleted is in the end on nothing`, async () => {
    const id = await make();
    for (let round = 0; round < 4; round++) {
      const label = await aLabel(`Gone ${round} of ${kind}`);
      const [given, deleted] = await outcomes(update(id, 'add_label', label), call('labelDelete', { id: label }));
      assert.ok(given === 'ok' || given === 'LABEL_UNKNOWN', given);
      assert.equal(deleted, 'ok');
      assert.deepEqual(await namesOf(kind, id), []);
    }
    await remove(id);
  });
}

test(`an object has at most ${maxLabelsOfObject} labels`, async () => {
  const { make, update, remove } = kinds.template;
  const id = await make();
  const labels = await Promise.all(Array.from({ length: maxLabelsOfObject + 1 }, (_, n) => aLabel(`${n} of many`)));
  for (const label of labels.slice(1)) await update(id, 'add_label', label);
  await assert.rejects(update(id, 'add_label', labels[0]), { fault: 'LABEL_INVALID', message: /at most 20 labels/ });
  await update(id, 'add_label', labels[1]);
  for (const label of labels) await call('labelDelete', { id: label });
  await remove(id);
});

test('of labels with the same name that are created at once there is one', async () => {
  const done = await outcomes(...['Same', 'SAME', 'same', 'sAme'].map((name) => aLabel(name)));
  assert.deepEqual(done.sort(), ['LABEL_INVALID', 'LABEL_INVALID', 'LABEL_INVALID', 'ok']);
});

test('a campaign that is scheduled, on its way or paused cannot be hidden; its labels can be changed in every state', async () => {
  const label = await aLabel();
  const refuses = async (cid: string, state: string) => {
    await assert.rejects(call('campaignUpdate', { cid, name: 'hidden', value: true }), {
      fault: 'CAMPAIGN_STATE_CONFLICT',
      message: `The campaign ${state}; only a draft or a sent campaign can be hidden`,
    });
    await call('campaignUpdate', { cid, name: 'add_label', value: label });
  };
  const cid = await aCampaign(app, { to: list });
  await call('campaignSchedule', { cid, schedule_time: '2099-01-01 00:00:00' });
  await refuses(cid, 'is scheduled');
  await call('campaignSendNow', { cid });
  await refuses(cid, 'is already being sent (launching)');
  await launch(app.app, { account: app.account.id, campaign: parseId(cid) });
  await refuses(cid, 'is already being sent');
  await call('campaignPause', { cid });
  await refuses(cid, 'is paused');
  await call('campaignStop', { cid });
  await call('campaignUpdate', { cid, name: 'hidden', value: true });
  await call('campaignUpdate', { cid, name: 'remove_label', value: label });
  // The report is there.
  assert.equal((await call<{ hidden: boolean }[]>('campaigns', { filters: { campaign_id: cid } }))[0]!.hidden, true);
  await call('campaignStats', { cid });
});

test('sending or scheduling a hidden draft shows it again, also of a call to hide it that came at the same moment', async () => {
  const hidden = async (cid: string) => (await call<Row[]>('campaigns', { filters: { campaign_id: cid } }))[0]!.hidden;
  const draft = async () => {
    const cid = await aCampaign(app, { to: list });
    await call('campaignUpdate', { cid, name: 'hidden', value: true });
    return cid;
  };
  const scheduled = await draft();
  await call('campaignSchedule', { cid: scheduled, schedule_time: '2099-01-01 00:00:00' });
  assert.equal(await hidden(scheduled), false);
  for (let round = 0; round < 5; round++) {
    const cid = await draft();
    await call('campaignUpdate', { cid, name: 'hidden', value: false });
    const [hiding, sending] = await outcomes(
      call('campaignUpdate', { cid, name: 'hidden', value: true }),
      call('campaignSendNow', { cid }),
    );
    assert.equal(sending, 'ok');
    assert.ok(hiding === 'ok' || hiding === 'CAMPAIGN_STATE_CONFLICT', hiding);
    assert.equal(await hidden(cid), false);
  }
});

test('a label or hiding is no change of the email: no version, no correction, no conflict with an editor', async () => {
  const label = await aLabel();
  const cid = formatId(await launchedTo(app, list));
  const before = await app.app.db.row(sql`
    select changed_at, corrected_at, revision from campaign where id = ${parseId(cid)}`);
  await call('campaignUpdate', { cid, name: 'add_label', value: label });
  const after = await app.app.db.row(sql`
    select changed_at, corrected_at, revision from campaign where id = ${parseId(cid)}`);
  assert.deepEqual(after, before);
});

test('a copy and a follow-up have the labels and are not hidden', async () => {
  const label = await aLabel('Copied');
  const cid = formatId(await launchedTo(app, list));
  await call('campaignPause', { cid });
  await call('campaignStop', { cid });
  await call('campaignUpdate', { cid, name: 'add_label', value: label });
  await call('campaignUpdate', { cid, name: 'hidden', value: true });
  const copies = [
    await call<string>('campaignReplicate', { cid }),
    await call<string>('campaignFollowUp', { cid, to: 'not_opened' }),
  ];
  const rows = await call<Row[]>('campaigns', { filters: { label } });
  for (const id of copies) assert.equal(rows.find((row) => row.id === id)?.hidden, false, id);
});

test('campaignSearch counts the hidden ones apart and finds by label', async () => {
  const fresh = await app.anotherAccount();
  const own = await fresh.call<string>('listCreate', { title: 'Own' });
  const label = await fresh.call<string>('labelCreate', { name: 'Club' });
  const [one, other] = [await aCampaign(fresh, { to: own }), await aCampaign(fresh, { to: own })];
  await fresh.call('campaignUpdate', { cid: one, name: 'hidden', value: true });
  await fresh.call('campaignUpdate', { cid: one, name: 'add_label', value: label });
  type Found = { total: number; counts: { draft: number }; hidden: number; data: Row[] };
  const search = (params: Record<string, unknown>) => fresh.call<Found>('campaignSearch', params);
  const figures = async (params: Record<string, unknown>) => {
    const { total, counts, hidden, data } = await search(params);
    return [total, counts.draft, hidden, data.map(({ id }) => id)];
  };
  assert.deepEqual(await figures({ hidden: false }), [1, 1, 1, [other]]);
  assert.deepEqual(await figures({ hidden: true }), [1, 1, 1, [one]]);
  assert.deepEqual(await figures({ label }), [1, 1, 1, [one]]);
  assert.deepEqual(await figures({ label, hidden: false }), [0, 0, 1, []]);
  assert.equal((await search({})).total, 2);
});

test('a hidden campaign is not among the results of Home, and is part of the average', async () => {
  const fresh = await app.anotherAccount();
  const own = await listOf(fresh, ['ada@example.com']);
  const cid = await aCampaign(fresh, { to: own });
  await app.app.db.run(sql`
    update campaign set status = 'sent', send_at = now() - interval '3 days' where id = ${parseId(cid)}`);
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, accepted) values (${fresh.account.id}, ${parseId(cid)}, 0, 1, 1)`);
  type Home = { results: unknown[]; average: { campaigns: number } };
  const figures = async () => {
    const { results, average } = await fresh.call<Home>('homeSummary');
    return [results.length, average.campaigns];
  };
  assert.deepEqual(await figures(), [1, 1]);
  await fresh.call('campaignUpdate', { cid, name: 'hidden', value: true });
  assert.deepEqual(await figures(), [0, 1]);
});

test('a hidden list keeps working: its form signs up, the preference page is as before, campaigns go to it', async () => {
  const club = await listOf(app, ['bob@example.com'], 'Hidden club');
  await call('listUpdate', { id: club, name: 'hidden', value: true });
  assert.equal((await call<Row>('listGet', { id: club })).hidden, true);
  await call('listSubscribe', { id: club, email_address: 'eve@example.com', double_optin: false });
  const cid = await launchedTo(app, club);
  const row = await app.app.db.row<{ count: number }>(sql`
    select count(*)::int as count from delivery where campaign_id = ${cid}`);
  assert.equal(row!.count, 2);
});

test('an active automation cannot be hidden; a hidden one that starts is shown', async () => {
  const id = await call<string>('automationCreate', { title: 'Hello', list });
  await call('automationUpdate', {
    id,
    trigger: { type: 'event', name: 'hello' },
    steps: [{ type: 'wait', amount: 1, unit: 'hours' }],
    hidden: true,
  });
  await call('automationStart', { id });
  assert.equal((await call<Row>('automationGet', { id })).hidden, false);
  await assert.rejects(call('automationUpdate', { id, hidden: true }), {
    fault: 'AUTOMATION_STATE_CONFLICT',
    message: 'hidden: the automation is active; pause it before you hide it',
  });
  await call('automationPause', { id });
  await call('automationUpdate', { id, hidden: true });
  assert.equal((await call<Row>('automationGet', { id })).hidden, true);
});

test('a key with a set of lists sees and gives the labels of what it sees, and changes no label', async () => {
  const [own, foreign] = [await aLabel('Own'), await aLabel('Of another client')];
  const mine = await call<string>('listCreate', { title: 'Mine' });
  const theirs = await call<string>('listCreate', { title: 'Theirs' });
  await call('listUpdate', { id: mine, name: 'add_label', value: own });
  for (const label of [own, foreign]) await call('listUpdate', { id: theirs, name: 'add_label', value: label });
  const key = await call<string>('apikeyAdd', { label: 'mine', scope: 'write', lists: [mine] });
  const limited = (method: string, params = {}) =>
    callAs(app.app, method, params, { kind: 'key', key, ip: '' }, 'json');
  assert.deepEqual(await limited('labels'), [{ id: own, name: 'Own', colour: 'teal' }]);
  const cid = (await limited('campaignReplicate', { cid: await aCampaign(app, { to: mine }) })) as string;
  await limited('campaignUpdate', { cid, name: 'add_label', value: own });
  await limited('campaignUpdate', { cid, name: 'hidden', value: true });
  await limited('listUpdate', { id: mine, name: 'hidden', value: true });
  const unknown = { fault: 'LABEL_UNKNOWN' };
  await assert.rejects(limited('campaignUpdate', { cid, name: 'add_label', value: foreign }), unknown);
  await assert.rejects(limited('listUpdate', { id: theirs, name: 'add_label', value: own }), { fault: 'LIST_UNKNOWN' });
  for (const [method, params] of [
    ['labelCreate', { name: 'No' }],
    ['labelUpdate', { id: own, name: 'No' }],
    ['labelDelete', { id: own }],
  ] as const)
    await assert.rejects(limited(method, params), { fault: 'NOT_ALLOWED' }, method);
  assert.deepEqual(await namesOf('list', theirs), ['Of another client', 'Own']);
});

test('who may read sees labels and changes none', async () => {
  const key = await app.anotherKey('read');
  const label = await aLabel();
  const asReader = (method: string, params = {}) =>
    callAs(app.app, method, params, { kind: 'key', key, ip: '' }, 'json');
  assert.ok(((await asReader('labels')) as Label[]).some(({ id }) => id === label));
  for (const [method, params] of [
    ['labelCreate', { name: 'No' }],
    ['labelUpdate', { id: label, name: 'No' }],
    ['labelDelete', { id: label }],
    ['listUpdate', { id: list, name: 'add_label', value: label }],
    ['listUpdate', { id: list, name: 'hidden', value: true }],
  ] as const)
    await assert.rejects(asReader(method, params), { fault: 'NOT_ALLOWED' }, method);
});
