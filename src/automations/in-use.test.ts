// What is deleted or undone while contacts wait on steps: fields, segments and lists that a step refers to, and the import that brought a
// contact. The cells of "Automation" and "Waiting for an event" in docs/flows.md.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listOf } from '../../test/support/builders/campaigns.ts';
import { type TestApp, testApp } from '../../test/support/installation/app.ts';
import { runImport } from '../audience/import/run.ts';
import { undoImportTask } from '../audience/import/tasks.ts';
import type { Fault } from '../base/faults.ts';
import { renderPacked } from '../base/messages.ts';
import { sql } from '../db/connect.ts';
import { parseId } from '../db/ids.ts';
import { launch } from '../delivery/launch/launch.ts';
import { runAutomations } from './run/engine.ts';

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const call = <T = unknown>(method: string, params: Record<string, unknown> = {}) => app.call<T>(method, params);
const settle = async (clock?: Date) => {
  while ((await runAutomations(app.app, clock)) > 0);
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    ({ fault, message }: Fault) => `${fault} ${message}`,
  );
async function started(list: string, definition: Record<string, unknown>): Promise<string> {
  const id = await call<string>('automationCreate', { title: 'Test', list });
  await call('automationUpdate', { id, trigger: { type: 'event', name: `came ${id}` }, ...definition });
  await call('automationStart', { id });
  return id;
}
const enter = async (id: string, email_address: string) => {
  await call('eventSend', { name: `came ${id}`, email_address });
  await settle();
};
const end = (key: string) => [{ key, type: 'wait', amount: 9, unit: 'days' }];
const step = async (id: string, email_address: string) =>
  (await call<{ step: string; outcome: string }[]>('automationExplain', { id, email_address }))[0];

test('a field that a wait for conditions, a goal or an incoming webhook names', async () => {
  const list = await listOf(app, ['ada@fields.example']);
  for (const tag of ['PLAN', 'TEAM', 'CITY']) await call('listMergeVarAdd', { id: list, tag, name: tag });
  const filter = (field: string) => [{ field, condition: 'is', value: 'Pro' }];
  const id = await started(list, {
    goal: { event: '', filter: filter('TEAM') },
    steps: [
      { key: 'wait', type: 'wait_for', filter: filter('PLAN'), amount: 3, unit: 'days', yes: end('a'), no: end('b') },
    ],
  });
  await enter(id, 'ada@fields.example');
  for (const tag of ['PLAN', 'TEAM'])
    assert.match(await outcome(call('listMergeVarDel', { id: list, tag })), /^CAMPAIGN_STATE_CONFLICT .*Test/, tag);
  const mapping = { email: 'email', event: 'event', fields: [{ tag: 'CITY', member: 'city' }] };
  const made = await call<{ id: string; url: string }>('incomingWebhookCreate', {
    title: 'x',
    service: 'custom',
    list,
    mapping,
  });
  assert.equal(await outcome(call('listMergeVarDel', { id: list, tag: 'CITY' })), 'ok');
  const base = await app.listen();
  const answer = await fetch(base + new URL(made.url).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@fields.example', event: 'moved', city: 'Bonn' }),
  });
  assert.deepEqual(await answer.json(), { status: 'accepted' });
});

test('a list that a wait asks about, and one that a step adds to', async () => {
  const email = 'ada@lists.example';
  for (const at of ['asked', 'added'] as const) {
    const list = await listOf(app, [email]);
    const other = await listOf(app, []);
    const asks = [{ field: 'list', condition: 'is', value: other }];
    const waits = { key: 'wait', type: 'wait_for', name: 'x', amount: 3, unit: 'days', yes: end('a'), no: end('b') };
    const id = await started(list, {
      steps: at === 'asked' ? [{ ...waits, filter: asks }] : [waits, { key: 'move', type: 'add_to_list', list: other }],
    });
    await enter(id, email);
    const deleted = await outcome(call('listDelete', { id: other }));
    await settle(inDays(3.5));
    await settle(inDays(20));
    const row = await app.app.db.row<{ status: string; reason: string }>(
      sql`select status, status_reason as reason from automation where id = ${parseId(id)}`,
    );
    const now = (await step(id, email))!;
    assert.deepEqual(
      [deleted, row!.status, now.step, now.outcome],
      ['ok', 'paused', at === 'asked' ? 'wait' : 'move', ''],
    );
    assert.match(
      renderPacked(row!.reason),
      /^(A condition refers to a campaign or list that was deleted|The list of a step was deleted)\. .*then resume the automation/,
    );
  }
});

test('the import is undone that brought contacts who wait, are sent to, asked for an address, and get a message later', async () => {
  const list = await listOf(app, []);
  const emails = ['waits', 'queued', 'asks', 'later'].map((name) => `${name}@undone.example`);
  const [waits, queued, asks, later] = emails as [string, string, string, string];
  const imported = await call<string>('importCreate', { id: list, content: `EMAIL\n${emails.join('\n')}\n` });
  await call('importStart', { import: imported });
  const { log } = app.app;
  const { signal } = new AbortController();
  await runImport(app.app, app.account.id, parseId(imported), false, signal, log);
  const campaign = await call<string>('automationEmailCreate', { list, subject: 'First', text: 'x' });
  const waiting = await started(list, {
    steps: [{ key: 'wait', type: 'wait_for', name: 'invited', amount: 3, unit: 'days', yes: end('a'), no: end('b') }],
  });
  const sending = await started(list, { steps: [{ type: 'send', campaign }, ...end('last')] });
  await launch(app.app, { account: app.account.id, campaign: parseId(campaign) });
  await enter(waiting, waits);
  await call('eventSend', { name: 'invited', email_address: waits });
  await enter(sending, queued);
  const contact = parseId((await call<{ id: string }>('listMemberInfo', { id: list, email_address: asks })).id);
  await app.app.db.run(sql`
    insert into address_change (account_id, contact_id, email, list_id)
    values (${app.account.id}, ${contact}, 'new@undone.example', ${parseId(list)})`);
  const send_at = inDays(1).toISOString();
  const message = await call<{ id: string }>('messageSend', { to: later, subject: 'Later', plain: 'x', send_at });
  await call('importUndo', { import: imported });
  await undoImportTask({ app: app.app, signal, log } as never, {
    account_id: app.account.id,
    import_id: parseId(imported),
  });
  await settle();
  await settle(inDays(4));
  const runs = await app.app.db.rows<{ outcome: string | null }>(sql`
    select outcome from automation_run where automation_id in (${parseId(waiting)}, ${parseId(sending)}) order by automation_id = ${parseId(waiting)} desc`);
  assert.deepEqual(
    runs.map((run) => run.outcome),
    ['deleted', 'deleted'],
    'contacts with events stay, without the subscription',
  );
  assert.deepEqual(await app.app.db.rows(sql`select from automation_signal`), []);
  assert.deepEqual(await app.app.db.rows(sql`select from address_change where contact_id = ${contact}`), []);
  const { recipients } = await call<{ recipients: { state: string }[] }>('messageGet', { id: message.id });
  assert.equal(recipients[0]!.state, 'queued', 'a single message is not about lists');
  assert.deepEqual(await app.app.db.rows(sql`select from subscription where list_id = ${parseId(list)}`), []);
});

test('a step compares and sets yes/no and multiple choice as they are stored, and keeps their choices', async () => {
  const list = await listOf(app, []);
  const topics = { field_type: 'multiple_choice', choices: ['Tea', 'Rum, old'] };
  for (const [tag, options] of Object.entries({ VIP: { field_type: 'yes_no' }, TOPICS: topics }))
    await call('listMergeVarAdd', { id: list, tag, name: tag, options });
  const id = await started(list, {
    steps: [
      {
        ...{ key: 'if', type: 'condition' },
        filter: [
          { field: 'vip', condition: 'is', value: 'true' },
          { field: 'TOPICS', condition: 'contains', value: 'rum, old' },
        ],
        yes: [{ key: 'set', type: 'set_field', field: 'VIP', value: '0' }],
        no: [{ key: 'other', type: 'set_field', field: 'TOPICS', value: 'rum, old; tea' }],
      },
    ],
  });
  const values = async (email_address: string, merge_vars: Record<string, string>) => {
    await call('listSubscribe', { id: list, email_address, merge_vars, double_optin: false });
    await enter(id, email_address);
    const { merges } = await call<{ merges: Record<string, string> }>('listMemberInfo', { id: list, email_address });
    return [merges.VIP, merges.TOPICS];
  };
  const both = await values('both@choices.example', { VIP: 'yes', TOPICS: 'Rum, old' });
  assert.deepEqual(both, ['no', 'Rum\\, old']);
  const no = await values('no@choices.example', { VIP: 'no', TOPICS: 'Rum, old' });
  assert.deepEqual(no, ['no', 'Tea, Rum\\, old']);
  const change = (options: Record<string, unknown>) =>
    outcome(call('listMergeVarUpdate', { id: list, tag: 'TOPICS', options }));
  const refused = /^CAMPAIGN_STATE_CONFLICT .*automation/;
  assert.match(await change({ rename_choices: [{ from: 'Tea', to: 'Green tea' }] }), refused);
  assert.match(await change({ choices: ['Tea'], drop_values: true }), refused);
  assert.match(await change({ field_type: 'text' }), refused);
  assert.equal(await change({ choices: ['Tea', 'Rum, old', 'Milk'] }), 'ok');
});

test('a list is deleted when its automation is paused or deleted, and no one is yet to get an email of it', async () => {
  const withEmail = async (name: string) => {
    const list = await listOf(app, [`${name}@ended.example`]);
    const campaign = await call<string>('automationEmailCreate', { list, subject: `Email of ${name}`, text: 'x' });
    const id = await started(list, { steps: [{ type: 'send', campaign }, ...end('last')] });
    await launch(app.app, { account: app.account.id, campaign: parseId(campaign) });
    return { id, list, campaign };
  };
  const [paused, deleted, queued] = [await withEmail('paused'), await withEmail('deleted'), await withEmail('queued')];
  assert.match(await outcome(call('listDelete', { id: paused.list })), /automation \w+ "Test" of this list is active/);
  await call('automationPause', { id: paused.id });
  await call('automationDelete', { id: deleted.id });
  await enter(queued.id, 'queued@ended.example');
  await call('automationDelete', { id: queued.id });
  const answers = [];
  for (const { list } of [paused, deleted, queued]) answers.push(await outcome(call('listDelete', { id: list })));
  assert.deepEqual(answers.slice(0, 2), ['ok', 'ok']);
  assert.match(answers[2]!, /campaign \w+ "Email of queued" is being sent to this list; pause or delete it first/);
  await call('campaignPause', { cid: queued.campaign });
  assert.equal(await outcome(call('listDelete', { id: queued.list })), 'ok');
});
